// A server's thread for connections that are not read: because their client does not read, until what is queued for it
// has been sent; or because too many of its calls wait or block, until one of them has gone on, or the client has. It
// is there from the server's start on: it is needed most where the system has no thread any more.
//
// Sessions may outlive their server, and know the courier, not the server.
#ifndef IPC_RPC_DETAIL_COURIER_HPP
#define IPC_RPC_DETAIL_COURIER_HPP

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <iterator>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace ipc::rpc::detail
{

class session;

// The server.
class courier_host
{
  public:
    enum class attention { done, waited, again };

    // Sees to it that OF is read again, if that can be; may wait for TIMEOUT. Done: it need not come back.
    virtual attention attend(session &of, std::chrono::milliseconds timeout) = 0;

  protected:
    ~courier_host() = default;
};

class courier
{
  public:
    explicit courier(courier_host &host) : host_(host)
    {
    }

    courier(const courier &) = delete;
    courier &operator=(const courier &) = delete;

    // Starts its thread. Where the system has none, take() tries again.
    void prepare()
    {
        const std::lock_guard held(mutex_);
        if (!stopping_ && !thread_.joinable())
            (void)start();
    }

    // False: there is no thread for it, and ONE must go.
    bool take(std::shared_ptr<session> one)
    {
        const std::lock_guard held(mutex_);
        if (stopping_)
            return true; // and so is everything else
        if (!thread_.joinable() && !start())
            return false;
        fresh_.push_back(std::move(one));
        changed_.notify_one();
        return true;
    }

    // Once no other thread of the server is left.
    void stop() noexcept
    {
        {
            const std::lock_guard held(mutex_);
            stopping_ = true;
            changed_.notify_one();
        }
        if (thread_.joinable())
            thread_.join();
        fresh_.clear();
    }

  private:
    static constexpr std::chrono::milliseconds longest_pause{16};

    bool start()
    {
#ifdef IPC_NO_EXCEPTIONS
        thread_ = std::thread([this] { work(); });
#else
        try {
            thread_ = std::thread([this] { work(); });
        } catch (const std::system_error &) {
            return false;
        }
#endif
        return true;
    }

    void work()
    {
        std::vector<std::shared_ptr<session>> mine;
        std::chrono::milliseconds pause{1};
        std::unique_lock held(mutex_);
        while (!stopping_) {
            if (!fresh_.empty())
                pause = std::chrono::milliseconds(1);
            std::move(fresh_.begin(), fresh_.end(), std::back_inserter(mine));
            fresh_.clear();
            if (mine.empty()) {
                changed_.wait(held);
                continue;
            }
            held.unlock();
            // One that is alone is waited for where it makes room; several are looked at in turn.
            const bool is_alone = mine.size() == 1;
            const size_t before = mine.size();
            bool waited = false;
            const auto is_done = [&](const std::shared_ptr<session> &each) {
                const auto got = host_.attend(*each, is_alone ? pause : std::chrono::milliseconds(0));
                waited = waited || got == courier_host::attention::waited;
                return got == courier_host::attention::done;
            };
            mine.erase(std::remove_if(mine.begin(), mine.end(), is_done), mine.end());
            pause = mine.size() != before ? std::chrono::milliseconds(1) : std::min(pause * 2, longest_pause);
            held.lock();
            if (!waited && !mine.empty() && !stopping_ && fresh_.empty())
                changed_.wait_for(held, pause);
        }
    }

    courier_host &host_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::thread thread_;
    std::vector<std::shared_ptr<session>> fresh_;
    bool stopping_ = false;
};

} // namespace ipc::rpc::detail
#endif
