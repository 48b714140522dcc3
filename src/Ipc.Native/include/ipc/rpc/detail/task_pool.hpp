// Threads for the handlers of a client: made when they are needed, ended after ten seconds without work.
#ifndef IPC_RPC_DETAIL_TASK_POOL_HPP
#define IPC_RPC_DETAIL_TASK_POOL_HPP

#include <chrono>
#include <condition_variable>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "handler.hpp"
#include "thread_list.hpp"

namespace ipc::rpc::detail
{

class task_pool
{
  public:
    explicit task_pool(unsigned most_threads) : threads_(most_threads)
    {
    }

    task_pool(const task_pool &) = delete;
    task_pool &operator=(const task_pool &) = delete;

    ~task_pool()
    {
        stop();
    }

    // Waits for what runs, and for nothing else; nothing is run from now on. Not from a thread of the pool.
    void stop()
    {
        std::deque<std::shared_ptr<job>> dropped; // destroyed without the mutex
        std::list<std::thread> all;
        {
            const std::lock_guard held(mutex_);
            stopping_ = true;
            dropped.swap(tasks_);
            all = threads_.take_all();
            work_.notify_all();
        }
        for (std::thread &thread : all)
            thread.join();
    }

    // Whether the calling thread is one of the pool.
    bool is_current() const noexcept
    {
        return current() == this;
    }

    // False when all threads are busy and there may be no more.
    bool run(std::shared_ptr<job> task)
    {
        const std::lock_guard held(mutex_);
        if (stopping_ || (idle_ <= tasks_.size() && !spawn()))
            return false;
        tasks_.push_back(std::move(task));
        work_.notify_one();
        return true;
    }

  private:
    static const task_pool *&current() noexcept
    {
        static thread_local const task_pool *mine = nullptr;
        return mine;
    }

    void work()
    {
        current() = this;
        std::unique_lock held(mutex_);
        while (!stopping_) {
            if (!tasks_.empty()) {
                std::shared_ptr<job> task = std::move(tasks_.front());
                tasks_.pop_front();
                --idle_;
                held.unlock();
                task->run();
                task.reset();
                held.lock();
                ++idle_;
            } else if (work_.wait_for(held, std::chrono::seconds(10)) == std::cv_status::timeout && tasks_.empty()) {
                break;
            }
        }
        --idle_;
        threads_.end_this();
    }

    // A new thread counts as idle at once.
    bool spawn()
    {
        if (!threads_.start([this] { work(); }))
            return false;
        ++idle_;
        return true;
    }

    std::mutex mutex_;
    std::condition_variable work_;
    bool stopping_ = false;
    size_t idle_ = 0; // threads that are not in a task
    std::deque<std::shared_ptr<job>> tasks_;
    thread_list threads_;
};

} // namespace ipc::rpc::detail
#endif
