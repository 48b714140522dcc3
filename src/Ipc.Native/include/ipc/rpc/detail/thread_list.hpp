// Threads that are started when they are needed and end when they are not.
#ifndef IPC_RPC_DETAIL_THREAD_LIST_HPP
#define IPC_RPC_DETAIL_THREAD_LIST_HPP

#include <list>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace ipc::rpc::detail
{

// All members under the mutex of the one who has it.
class thread_list
{
  public:
    explicit thread_list(unsigned most) : most_(most)
    {
    }

    // Starts one more, which runs WORK and then calls end_this(). False when there are as many as there may be, or the
    // system has none.
    template <class Work> bool start(Work work)
    {
        for (const auto &ended : ended_) {
            ended->join();
            threads_.erase(ended);
        }
        ended_.clear();
        if (threads_.size() >= most_)
            return false;
#ifdef IPC_NO_EXCEPTIONS
        threads_.emplace_back(std::move(work));
#else
        try {
            threads_.emplace_back(std::move(work));
        } catch (const std::system_error &) {
            was_refused_ = true;
            return false;
        }
#endif
        was_refused_ = false;
        return true;
    }

    // How many more there may be.
    size_t left() const noexcept
    {
        return most_ + ended_.size() - threads_.size();
    }

    // Whether start() would be in vain, as far as is known: the system had none when one was last asked for.
    bool is_spent() const noexcept
    {
        return was_refused_ || left() == 0;
    }

    // The calling thread has nothing more to do: the next start() joins it, which waits for no more than its return.
    void end_this()
    {
        for (auto it = threads_.begin(); it != threads_.end(); ++it)
            if (it->get_id() == std::this_thread::get_id())
                ended_.push_back(it);
    }

    // All of them, to be joined without the mutex. The list is empty then.
    std::list<std::thread> take_all()
    {
        ended_.clear();
        return std::exchange(threads_, {});
    }

  private:
    const unsigned most_;
    std::list<std::thread> threads_;
    std::vector<std::list<std::thread>::iterator> ended_;
    bool was_refused_ = false;
};

} // namespace ipc::rpc::detail
#endif
