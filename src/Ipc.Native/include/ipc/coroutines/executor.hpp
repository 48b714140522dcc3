// Where coroutines go on. Included by ipc/coroutines.hpp.
#ifndef IPC_COROUTINES_EXECUTOR_HPP
#define IPC_COROUTINES_EXECUTOR_HPP

#if defined(__cpp_impl_coroutine)

#include <condition_variable>
#include <coroutine>
#include <exception>
#include <mutex>
#include <thread>

namespace ipc
{

// Something that is to go on. Belongs to the library: an executor keeps the pointer until it has called it.
class resumption
{
  public:
    // Once for each post. May resume a coroutine, which may do anything; the object is not to be used afterwards.
    void operator()() noexcept
    {
        run_(*this);
    }

    // For the executor that has it: the next in its list.
    resumption *next = nullptr;

    resumption(const resumption &) = delete;
    resumption &operator=(const resumption &) = delete;

  protected:
    explicit resumption(void (*run)(resumption &) noexcept) noexcept : run_(run)
    {
    }

    ~resumption() = default;

  private:
    void (*run_)(resumption &) noexcept;
};

// Where coroutines go on. It must be there as long as anything awaits on it.
class executor
{
  public:
    executor() = default;
    executor(const executor &) = delete;
    executor &operator=(const executor &) = delete;
    virtual ~executor() = default;

    // Calls WHAT later, once, from wherever coroutines of this executor run: never within this call, which comes on
    // threads of the library and must not wait for anybody.
    virtual void post(resumption &what) noexcept = 0;
};

// Coroutines go on in the thread that is in run(). One thread at a time.
class run_loop : public executor
{
  public:
    ~run_loop() override = default;

    void post(resumption &what) noexcept override
    {
        what.next = nullptr;
        {
            const std::lock_guard<std::mutex> hold(mutex_);
            *last_ = &what;
            last_ = &what.next;
        }
        arrived_.notify_one();
    }

    // Until stop(). What was posted by then has run, too.
    void run()
    {
        std::unique_lock<std::mutex> hold(mutex_);
        while (!(first_ == nullptr && stopped_)) {
            arrived_.wait(hold, [this] { return first_ != nullptr || stopped_; });
            run_all(hold);
        }
        stopped_ = false;
    }

    // Runs what was posted by now, and waits for nothing.
    void poll()
    {
        std::unique_lock<std::mutex> hold(mutex_);
        run_all(hold);
    }

    // Makes run() return. Any thread, also before it is called.
    void stop() noexcept
    {
        {
            const std::lock_guard<std::mutex> hold(mutex_);
            stopped_ = true;
        }
        arrived_.notify_one();
    }

  private:
    void run_all(std::unique_lock<std::mutex> &hold)
    {
        while (first_ != nullptr) {
            resumption *const what = first_;
            first_ = what->next;
            if (first_ == nullptr)
                last_ = &first_;
            hold.unlock();
            (*what)();
            hold.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable arrived_;
    resumption *first_ = nullptr; // under the mutex, like the rest
    resumption **last_ = &first_;
    bool stopped_ = false;
};

namespace detail
{

// Never destroyed: a coroutine may still be waiting when the program's static objects go.
inline executor &make_background_executor()
{
    auto *const loop = new run_loop;
    std::thread([loop] { loop->run(); }).detach();
    return *loop;
}

} // namespace detail

// The default: one thread of the process, begun with the first wait that needs it, for as long as the process lasts.
inline executor &background_executor()
{
    static executor &only = detail::make_background_executor();
    return only;
}

// A coroutine that nobody waits for: it begins at once, and frees itself at its end. An exception that leaves it ends the
// program.
struct detached {
    struct promise_type {
        detached get_return_object() const noexcept
        {
            return {};
        }
        std::suspend_never initial_suspend() const noexcept
        {
            return {};
        }
        std::suspend_never final_suspend() const noexcept
        {
            return {};
        }
        void return_void() const noexcept
        {
        }
        void unhandled_exception() const noexcept
        {
            std::terminate();
        }
    };
};

} // namespace ipc

#endif
#endif
