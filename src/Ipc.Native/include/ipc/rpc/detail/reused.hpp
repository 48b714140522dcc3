// The messages of a server's unary calls. A thread uses the same request and the same response for every call of a
// method, so that their memory is allocated once. A reference that a handler keeps shows the next call's bytes.
//
// That is a mistake, and a silent one. So debug builds (without NDEBUG, or with IPC_POISON=1) make new messages for
// each call, and fill their memory with 0xDD when the call is over; AddressSanitizer reports whoever looks at it then. A
// program has to be compiled with it, or without it, in all its parts.
#ifndef IPC_RPC_DETAIL_REUSED_HPP
#define IPC_RPC_DETAIL_REUSED_HPP

#if !defined(IPC_POISON) && !defined(NDEBUG)
#define IPC_POISON 1
#elif !defined(IPC_POISON)
#define IPC_POISON 0
#endif

#if IPC_POISON
#include <cstring>
#include <deque>
#include <memory>
#include <new>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IPC_POISON_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define IPC_POISON_ASAN 1
#endif
#ifdef IPC_POISON_ASAN
#include <sanitizer/asan_interface.h>
#endif
#endif

namespace ipc::rpc::detail
{

#if IPC_POISON

// The memory of messages that are gone, kept for a while: who still looks there finds 0xDD and nobody else's bytes.
class graveyard
{
  public:
    static graveyard &of_this_thread()
    {
        static thread_local graveyard mine;
        return mine;
    }

    void bury(void *memory, size_t size, std::align_val_t alignment)
    {
        std::memset(memory, 0xDD, size);
#ifdef IPC_POISON_ASAN
        __asan_poison_memory_region(memory, size);
#endif
        graves_.push_back({memory, size, alignment});
        if (graves_.size() > most)
            dig_up();
    }

    ~graveyard()
    {
        while (!graves_.empty())
            dig_up();
    }

  private:
    struct grave {
        void *memory;
        size_t size;
        std::align_val_t alignment;
    };

    void dig_up() noexcept
    {
        const grave oldest = graves_.front();
        graves_.pop_front();
#ifdef IPC_POISON_ASAN
        __asan_unpoison_memory_region(oldest.memory, oldest.size);
#endif
        ::operator delete(oldest.memory, oldest.alignment);
    }

    static constexpr size_t most = 64;

    std::deque<grave> graves_;
};

#endif

// The message of one call, on the thread that runs it. OWNER and WHICH tell apart what may be in use at once.
template <class Message, class Owner, int which> class reused
{
  public:
#if IPC_POISON
    reused() : value_(*new (::operator new(sizeof(Message), alignment)) Message())
    {
    }

    ~reused()
    {
        value_.~Message();
        graveyard::of_this_thread().bury(&value_, sizeof(Message), alignment);
    }
#else
    reused() : value_(of_this_thread())
    {
    }
#endif

    reused(const reused &) = delete;
    reused &operator=(const reused &) = delete;

    Message &operator*() const noexcept
    {
        return value_;
    }

  private:
#if IPC_POISON
    static constexpr std::align_val_t alignment{alignof(Message)};
#else
    static Message &of_this_thread()
    {
        static thread_local Message mine;
        return mine;
    }
#endif

    Message &value_;
};

} // namespace ipc::rpc::detail
#endif
