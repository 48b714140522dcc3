// coroutines.hpp - co_await for everything of ipc.hpp that waits. C++20; header only, and nothing without coroutines.
//
//     ipc::detached serve(ipc::queue &jobs)
//     {
//         for (;;) {
//             ipc::queue_message job;
//             if (co_await jobs.receive_async(job, 5s) != IPC_OK) // or: job = co_await jobs.receive_async(); which throws
//                 co_return;
//             handle(job);
//         }
//     }
//
// What there is is taken at once, on the caller's thread, without a system call. What is not is waited for without a
// thread: one of the library sleeps for all who wait (ready_handle.h). When there may be something it posts the wait to its
// executor: there the object is asked again, and there the coroutine goes on.
//
//   queue::receive_async      shared_mutex::acquire_async       listener::next_async
//   reader_ref::read_async    shared_semaphore::acquire_async   (ring_reader, and a connection's reader)
//   topic_reader::read_async  shared_event::wait_async
//
// Each is called with what its synchronous namesake takes, all of it optional but what the result goes to, and with an
// executor last; the result is the same status. Without anything to put the result into, those that receive or read
// return it, and throw ipc::error (which the locks never do: their status says what was acquired).
//
// Executor. Where a coroutine goes on: a run_loop (the thread that is in its run()), one of yours (asio, Qt, a pool),
// or, by default, background_executor(): one thread of the process, on which nothing should block for long.
//
// Ends. A deadline, a cancel_source, stop() of the object: as in the synchronous calls. A coroutine may be destroyed
// while it waits: its wait is taken back, and nothing is lost; not while it is just being resumed on another thread. An
// object that is closed ends the waits at it with IPC_CLOSED, without being touched again; what was received from it
// must be released before.
//
// Threads. As in ipc.h: while a wait of a ring or a topic is pending, no other call of that end may be made. Those of
// queues and locks may be any number, of any threads.
//
// Cost. The library's thread, and the background executor's if it is used. A wait that has to wait takes two to four
// system calls and two changes of threads; waits are kept and used again, so that steady state allocates nothing.
#ifndef IPC_COROUTINES_HPP
#define IPC_COROUTINES_HPP

#if defined(__cpp_impl_coroutine)

#include <condition_variable>
#include <coroutine>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "connection.hpp"
#include "queue.hpp"
#include "ring.hpp"
#include "sync.hpp"
#include "topic.hpp"

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

namespace detail
{

// A wait that has had to wait. It belongs to the awaiter; an awaiter that goes while the wait has been posted leaves it
// to that post.
class pending_wait final : public resumption
{
  public:
    // True: over, the coroutine goes on. CLOSED: the object is not to be touched.
    using advance = bool (*)(void *awaiter, ipc_ready_handle *handle, bool closed) noexcept;

    // Null: no memory, or no descriptor; CODE says which.
    static pending_wait *take(executor *on, std::coroutine_handle<> waiting, void *awaiter, advance how,
                              status &code) noexcept
    {
        pending_wait *taken = nullptr;
        {
            store &all = kept();
            const std::lock_guard<std::mutex> hold(all.mutex);
            taken = all.first;
            if (taken != nullptr) {
                all.first = static_cast<pending_wait *>(taken->next);
                all.count--;
            }
        }
        if (taken == nullptr)
            taken = make(code);
        if (taken == nullptr)
            return nullptr;
        taken->on_ = on != nullptr ? on : &background_executor();
        taken->waiting_ = waiting;
        taken->awaiter_ = awaiter;
        taken->advance_ = how;
        taken->posted_ = false;
        return taken;
    }

    // Over: nobody has it, and it is armed nowhere.
    static void give_back(pending_wait *over) noexcept
    {
        {
            store &all = kept();
            const std::lock_guard<std::mutex> hold(all.mutex);
            if (all.count < most_kept) {
                over->next = all.first;
                all.first = over;
                all.count++;
                return;
            }
        }
        delete over;
    }

    // The awaiter goes, without having been resumed.
    void abandon() noexcept
    {
        bool posted = false;
        {
            const std::lock_guard<std::mutex> hold(mutex_);
            awaiter_ = nullptr;
            (void)ipc_ready_handle_disarm(handle_); // the call, which does not take the mutex, is over and comes no more
            posted = posted_;
        }
        if (!posted)
            give_back(this);
    }

    ipc_ready_handle *handle() const noexcept
    {
        return handle_;
    }

  private:
    struct store {
        std::mutex mutex;
        pending_wait *first = nullptr;
        unsigned count = 0;
    };
    static constexpr unsigned most_kept = 256;

    pending_wait() noexcept : resumption(&run)
    {
    }

    ~pending_wait()
    {
        ipc_ready_handle_destroy(handle_);
    }

    static store &kept() noexcept
    {
        static store *const all = new store; // never destroyed, as the executor's thread
        return *all;
    }

    static pending_wait *make(status &code) noexcept
    {
        auto *const made = new (std::nothrow) pending_wait;
        code = made == nullptr ? IPC_E_NO_MEMORY : ipc_ready_handle_create(&told, made, &made->handle_);
        if (made != nullptr && code != IPC_OK) {
            delete made;
            return nullptr;
        }
        return made;
    }

    // On a thread of the library. Whoever disarms waits for the end of this.
    static void told(void *self) noexcept
    {
        auto *const wait = static_cast<pending_wait *>(self);
        wait->posted_ = true; // read by who has disarmed, or runs what is posted here
        wait->on_->post(*wait);
    }

    // On the executor.
    static void run(resumption &self) noexcept
    {
        auto &wait = static_cast<pending_wait &>(self);
        std::coroutine_handle<> waiting;
        {
            const std::lock_guard<std::mutex> hold(wait.mutex_);
            if (wait.awaiter_ != nullptr) {
                wait.posted_ = false;
                const bool closed = ipc_ready_handle_disarm(wait.handle_) == IPC_CLOSED;
                if (!wait.advance_(wait.awaiter_, wait.handle_, closed))
                    return; // armed again
                waiting = wait.waiting_;
            }
        }
        if (waiting)
            waiting.resume(); // who takes the result gives the wait back
        else
            give_back(&wait);
    }

    std::mutex mutex_; // between the executor and an awaiter that goes
    ipc_ready_handle *handle_ = nullptr;
    executor *on_ = nullptr;
    std::coroutine_handle<> waiting_;
    void *awaiter_ = nullptr;
    advance advance_ = nullptr;
    bool posted_ = false;
};

// What co_await waits with. WAIT says for what: attempt() does it or returns IPC_EMPTY, arm() arms a handle for it,
// result() is what co_await returns.
template <class Wait> class awaiter
{
  public:
    awaiter(Wait wait, executor *on) noexcept : wait_(std::move(wait)), on_(on)
    {
    }

    awaiter(const awaiter &) = delete;
    awaiter &operator=(const awaiter &) = delete;

    ~awaiter()
    {
        if (pending_ != nullptr)
            pending_->abandon();
    }

    bool await_ready() noexcept
    {
        code_ = wait_.attempt();
        return code_ != IPC_EMPTY;
    }

    bool await_suspend(std::coroutine_handle<> waiting) noexcept
    {
        pending_ = pending_wait::take(on_, waiting, this, &advance, code_);
        return pending_ != nullptr && !proceed(*this, pending_->handle());
    }

    auto await_resume()
    {
        if (pending_ != nullptr)
            pending_wait::give_back(std::exchange(pending_, nullptr));
        return wait_.result(code_);
    }

  private:
    // False: armed; from then on the coroutine may be resumed elsewhere, and be gone.
    static bool proceed(awaiter &self, ipc_ready_handle *handle) noexcept
    {
        for (;;) {
            const status armed = self.wait_.arm(handle);
            if (armed == IPC_EMPTY)
                return false;
            self.code_ = armed == IPC_OK ? self.wait_.attempt() : armed;
            if (self.code_ != IPC_EMPTY)
                return true;
        }
    }

    static bool advance(void *self, ipc_ready_handle *handle, bool closed) noexcept
    {
        auto &waits = *static_cast<awaiter *>(self);
        waits.code_ = closed ? IPC_CLOSED : waits.wait_.attempt();
        return waits.code_ != IPC_EMPTY || proceed(waits, handle);
    }

    Wait wait_;
    executor *on_;
    pending_wait *pending_ = nullptr;
    status code_ = IPC_EMPTY;
};

// A try of a lock is a wait that is over at once.
inline status empty_if_timed_out(status code) noexcept
{
    return code == IPC_TIMEOUT ? IPC_EMPTY : code;
}

// What all of them have.
struct wait_limits {
    deadline until;
    ipc_cancel *cancel;
};

template <class Source, class Result, status (*Attempt)(Source &, Result &) noexcept,
          status (*Arm)(Source &, const wait_limits &, ipc_ready_handle *) noexcept>
struct into_wait {
    Source from;
    Result *into;
    wait_limits limits;

    status attempt() noexcept
    {
        return Attempt(from, *into);
    }
    status arm(ipc_ready_handle *handle) noexcept
    {
        return Arm(from, limits, handle);
    }
    status result(status code) noexcept
    {
        return code;
    }
};

#ifndef IPC_NO_EXCEPTIONS
template <class Source, class Result, status (*Attempt)(Source &, Result &) noexcept,
          status (*Arm)(Source &, const wait_limits &, ipc_ready_handle *) noexcept>
struct value_wait {
    Source from;
    Result value;

    status attempt() noexcept
    {
        return Attempt(from, value);
    }
    status arm(ipc_ready_handle *handle) noexcept
    {
        return Arm(from, {deadline::never(), nullptr}, handle);
    }
    Result result(status code)
    {
        require(code);
        return std::move(value);
    }
};
#endif

// Without a result but the status.
template <class Source, status (*Attempt)(Source &) noexcept,
          status (*Arm)(Source &, const wait_limits &, ipc_ready_handle *) noexcept>
struct status_wait {
    Source from;
    wait_limits limits;

    status attempt() noexcept
    {
        return Attempt(from);
    }
    status arm(ipc_ready_handle *handle) noexcept
    {
        return Arm(from, limits, handle);
    }
    status result(status code) noexcept
    {
        return code;
    }
};

// ---- for what
// ---------------------------------------------------------------------------------------------------------

inline status attempt_receive(queue *&from, queue_message &message) noexcept
{
    return from->try_receive(message);
}

inline status arm_receive(queue *&from, const wait_limits &limits, ipc_ready_handle *handle) noexcept
{
    return ipc_queue_arm(from->get(), limits.until.at(), limits.cancel, handle);
}

inline auto await_receive(queue &from, queue_message &message, deadline until = deadline::never(),
                          ipc_cancel *cancel = nullptr, executor *on = nullptr) noexcept
{
    using wait = into_wait<queue *, queue_message, attempt_receive, arm_receive>;
    return awaiter<wait>(wait{&from, &message, {until, cancel}}, on);
}

inline status attempt_read(reader_ref &from, record &next) noexcept
{
    return from.try_read(next);
}

inline status arm_read(reader_ref &from, const wait_limits &limits, ipc_ready_handle *handle) noexcept
{
    return ipc_ring_arm(from.get(), limits.until.at(), limits.cancel, handle);
}

inline auto await_read(reader_ref from, record &next, deadline until = deadline::never(), ipc_cancel *cancel = nullptr,
                       executor *on = nullptr) noexcept
{
    using wait = into_wait<reader_ref, record, attempt_read, arm_read>;
    return awaiter<wait>(wait{from, &next, {until, cancel}}, on);
}

inline status attempt_read_topic(topic_reader *&from, topic_message &message) noexcept
{
    return from->try_read(message);
}

inline status arm_read_topic(topic_reader *&from, const wait_limits &limits, ipc_ready_handle *handle) noexcept
{
    return ipc_topic_arm(from->get(), limits.until.at(), limits.cancel, handle);
}

inline auto await_read_topic(topic_reader &from, topic_message &message, deadline until = deadline::never(),
                             ipc_cancel *cancel = nullptr, executor *on = nullptr) noexcept
{
    using wait = into_wait<topic_reader *, topic_message, attempt_read_topic, arm_read_topic>;
    return awaiter<wait>(wait{&from, &message, {until, cancel}}, on);
}

inline status attempt_next(listener *&from, ipc_event &event) noexcept
{
    return empty_if_timed_out(from->next(event, deadline::now()));
}

inline status arm_next(listener *&from, const wait_limits &limits, ipc_ready_handle *handle) noexcept
{
    return ipc_listener_arm(from->get(), limits.until.at(), limits.cancel, handle);
}

inline auto await_next(listener &from, ipc_event &event, deadline until = deadline::never(),
                       ipc_cancel *cancel = nullptr, executor *on = nullptr) noexcept
{
    using wait = into_wait<listener *, ipc_event, attempt_next, arm_next>;
    return awaiter<wait>(wait{&from, &event, {until, cancel}}, on);
}

#ifndef IPC_NO_EXCEPTIONS
inline auto await_receive(queue &from, executor *on = nullptr)
{
    using wait = value_wait<queue *, queue_message, attempt_receive, arm_receive>;
    return awaiter<wait>(wait{&from, {}}, on);
}

inline auto await_read(reader_ref from, executor *on = nullptr)
{
    using wait = value_wait<reader_ref, record, attempt_read, arm_read>;
    return awaiter<wait>(wait{from, {}}, on);
}

inline auto await_read_topic(topic_reader &from, executor *on = nullptr)
{
    using wait = value_wait<topic_reader *, topic_message, attempt_read_topic, arm_read_topic>;
    return awaiter<wait>(wait{&from, {}}, on);
}

inline auto await_next(listener &from, executor *on = nullptr)
{
    using wait = value_wait<listener *, ipc_event, attempt_next, arm_next>;
    return awaiter<wait>(wait{&from, {}}, on);
}
#endif

template <class Lock> status attempt_acquire(Lock *&from) noexcept
{
    return empty_if_timed_out(from->acquire(deadline::now()));
}

inline status attempt_wait(shared_event *&from) noexcept
{
    return empty_if_timed_out(from->wait(deadline::now()));
}

template <class Handle, class Lock,
          status (*Function)(Handle *, ipc_deadline, ipc_cancel *, ipc_ready_handle *)>
status arm_lock(Lock *&from, const wait_limits &limits, ipc_ready_handle *handle) noexcept
{
    return Function(from->get(), limits.until.at(), limits.cancel, handle);
}

inline auto await_acquire(shared_mutex &from, deadline until = deadline::never(), ipc_cancel *cancel = nullptr,
                          executor *on = nullptr) noexcept
{
    using wait = status_wait<shared_mutex *, attempt_acquire<shared_mutex>,
                             arm_lock<ipc_shared_mutex, shared_mutex, ipc_shared_mutex_arm>>;
    return awaiter<wait>(wait{&from, {until, cancel}}, on);
}

inline auto await_acquire(shared_semaphore &from, deadline until = deadline::never(), ipc_cancel *cancel = nullptr,
                          executor *on = nullptr) noexcept
{
    using wait = status_wait<shared_semaphore *, attempt_acquire<shared_semaphore>,
                             arm_lock<ipc_shared_semaphore, shared_semaphore, ipc_shared_semaphore_arm>>;
    return awaiter<wait>(wait{&from, {until, cancel}}, on);
}

inline auto await_wait(shared_event &from, deadline until = deadline::never(), ipc_cancel *cancel = nullptr,
                       executor *on = nullptr) noexcept
{
    using wait = status_wait<shared_event *, attempt_wait, arm_lock<ipc_shared_event, shared_event, ipc_shared_event_arm>>;
    return awaiter<wait>(wait{&from, {until, cancel}}, on);
}

} // namespace detail

// ---- the members that ipc.hpp declares
// ---------------------------------------------------------------------------------------------------------

template <class... Arguments> auto queue::receive_async(Arguments &&...arguments)
{
    return detail::await_receive(*this, std::forward<Arguments>(arguments)...);
}

template <class... Arguments> auto reader_ref::read_async(Arguments &&...arguments)
{
    return detail::await_read(*this, std::forward<Arguments>(arguments)...);
}

template <class... Arguments> auto topic_reader::read_async(Arguments &&...arguments)
{
    return detail::await_read_topic(*this, std::forward<Arguments>(arguments)...);
}

template <class... Arguments> auto listener::next_async(Arguments &&...arguments)
{
    return detail::await_next(*this, std::forward<Arguments>(arguments)...);
}

template <class... Arguments> auto shared_mutex::acquire_async(Arguments &&...arguments)
{
    return detail::await_acquire(*this, std::forward<Arguments>(arguments)...);
}

template <class... Arguments> auto shared_semaphore::acquire_async(Arguments &&...arguments)
{
    return detail::await_acquire(*this, std::forward<Arguments>(arguments)...);
}

template <class... Arguments> auto shared_event::wait_async(Arguments &&...arguments)
{
    return detail::await_wait(*this, std::forward<Arguments>(arguments)...);
}

} // namespace ipc

#endif
#endif
