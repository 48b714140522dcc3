// The turn that a running handler has, where a server limits how many run at once.
#ifndef IPC_RPC_DETAIL_CALL_TURN_HPP
#define IPC_RPC_DETAIL_CALL_TURN_HPP

#include <utility>

namespace ipc::rpc::detail
{

// Lives while the handler runs, on its thread.
class call_turn
{
  public:
    call_turn() noexcept : before_(std::exchange(current_one(), this))
    {
    }

    call_turn(const call_turn &) = delete;
    call_turn &operator=(const call_turn &) = delete;

    // The handler waits for its client: others may start. Without any lock.
    virtual void rest() = 0;
    // It has what it waited for.
    virtual void go_on() noexcept = 0;

    // This thread's; null when it runs no handler, or nothing is limited.
    static call_turn *current() noexcept
    {
        return current_one();
    }

    bool resting = false;

  protected:
    ~call_turn()
    {
        current_one() = before_;
    }

  private:
    static call_turn *&current_one() noexcept
    {
        static thread_local call_turn *mine = nullptr;
        return mine;
    }

    call_turn *const before_;
};

} // namespace ipc::rpc::detail
#endif
