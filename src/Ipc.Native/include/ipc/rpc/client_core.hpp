// The client without its types: the connection, and who reads.
//
// One mutex guards everything but the reading itself. A call enters the table and writes its request under the mutex;
// then it waits for its reply. *One waiting thread at a time is the reader*: it holds the reading role, not the mutex,
// while it is in the ring. A frame for the reader's own call is used where it lies; a frame for another call is copied
// into that call's entry, whose thread is woken. A reader that is done gives up the role and wakes one of those that
// wait, which takes it. So a single caller never meets another thread, and a burst of callers costs a copy per reply.
//
// When the connection ends (the server died, closed, or wrote nonsense; or close() here), every pending call ends with
// the reason. The next call, when the last thread has left the old connection, connects anew.
//
// A request that does not fit the ring now must not wait for space alone: the server may be waiting for space in the
// other ring, the one that we read. So the two alternate: read a little, try again.
//
// What needs a thread of the client's own (asynchronous calls, callbacks, news of the connection) is in background.hpp.
#ifndef IPC_RPC_CLIENT_CORE_HPP
#define IPC_RPC_CLIENT_CORE_HPP

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "background.hpp"
#include "caller_core.hpp"
#include "client_callee.hpp"
#include "client_connect.hpp"
#include "frame.hpp"
#include "service.hpp"
#include "status.hpp"
#include "task_pool.hpp"
#include "wait.hpp"

namespace ipc::rpc::detail
{

class client_core final : public caller_core,
                          public std::enable_shared_from_this<client_core>,
                          private client_link,
                          private background_host
{
  public:
    client_core(std::string name, client_options options)
        : caller_core(options.max_pending, options.stream_window, 0), name_(std::move(name)),
          options_(std::move(options)), background_(mutex_, *this)
    {
        const ipc_deadline until = deadline(options_.connect_timeout).at();
        if (const outcome connected = open_connection(name_, options_, until, closing_.get(), connection_); !connected)
            throw error(connected);
        if (options_.services != nullptr)
            handlers_ = std::make_unique<task_pool>(options_.max_threads);
        const lock_type held(mutex_);
        connected();
        if (always_reads())
            background_.start();
    }

    ~client_core() override
    {
        close();
    }

    int32_t server_pid()
    {
        const lock_type held(mutex_);
        return usable_ ? connection_.peer_pid() : 0;
    }

    // Pending calls end with status::unavailable; later ones throw ipc::error(IPC_CLOSED).
    void close() noexcept
    {
        lock_type held(mutex_);
        closed_ = true;
        closing_.trigger();
        if (usable_) {
            connection_.reader().stop();
            break_off({status::unavailable, "the client was closed on this side"});
        }
        changed_.notify_all();
        changed_.wait(held, [this] { return inside_ == 0 && !connecting_; });
        connection_.close();
        background_.stop(held);
        const std::unique_ptr<task_pool> handlers = std::move(handlers_);
        held.unlock();
    }

    // ---- asynchronous calls and batches
    // ------------------------------------------------------------------------------------

    background &thread() noexcept
    {
        return background_;
    }

    void flush(lock_type &) noexcept
    {
        if (std::exchange(unflushed_, false) && usable_)
            connection_.writer().flush();
    }

    // What this thread sends from now on goes out together. Returns what it batched for before.
    client_core *begin_batch() noexcept
    {
        return std::exchange(batching(), this);
    }

    void end_batch(client_core *before) noexcept
    {
        batching() = before;
        lock_type held(mutex_);
        flush(held);
    }

    // Waits until something may have changed, as await(); for those who wait for the end of an asynchronous call.
    bool wait_for_frame(lock_type &held, std::condition_variable &on, deadline until)
    {
        arrival none;
        enter();
        const bool in_time = await(held, nullptr, on, until, nullptr, none);
        leave();
        return in_time;
    }

    void abort(lock_type &held, uint64_t call, const outcome &why)
    {
        pending *const entry = calls_.find(call);
        if (entry == nullptr || entry->ended)
            return;
        calls_.abort(*entry, why);
        pay(held);
    }

    // ---- caller_core
    // -------------------------------------------------------------------------------------------------------

    void enter() noexcept override
    {
        ++inside_;
    }

    void leave() noexcept override
    {
        if (!reading_)
            calls_.wake_one();
        if (--inside_ == 0 && !usable_) {
            connection_.close();
            changed_.notify_all();
        }
    }

    void settle(lock_type &held, pending &entry, arrival &got) noexcept override
    {
        if (got.in_place)
            connection_.reader().release();
        if (!held.owns_lock())
            held.lock();
        if (got.in_place) {
            got.in_place = false;
            entry.ended = entry.ended || got.kind() == frame_kind::response;
            leave_reading();
        }
    }

    void wake(pending *const &entry) noexcept override
    {
        caller_core::wake(entry);
        const lock_type held(mutex_);
        changed_.notify_all();
    }

  private:
    // ---- the connection
    // ---------------------------------------------------------------------------------------------------

    outcome prepare(lock_type &held, deadline until, canceller *cancel) override
    {
        if (until.has_passed())
            return {status::deadline_exceeded, "the deadline had passed before the call began"};
        for (;;) {
            if (closed_)
                throw ipc::error(IPC_CLOSED, "the client of \"" + name_ + "\" is closed; make a new one");
            if (usable_ && connection_.is_open()) {
                pay(held);
                return {};
            }
            if (usable_ && !reading_) {
                drain(held);
                continue;
            }
            if (!usable_ && !options_.auto_reconnect)
                return {status::unavailable, reason_};
            if (!usable_ && !connecting_ && inside_ == 0) {
                if (outcome connected = reconnect(held, until); !connected)
                    return connected;
                continue;
            }
            // Somebody else reads the end of the old connection, leaves it, or connects.
            if (cancel != nullptr && cancel->triggered())
                return {status::cancelled, "the caller cancelled"};
            if (!sleep_until(held, changed_, until))
                return {status::deadline_exceeded, "the deadline passed before there was a connection"};
        }
    }

    // Nobody is inside. Fails at once where there is no server: a caller that wants to wait asks again.
    outcome reconnect(lock_type &held, deadline until)
    {
        connecting_ = true;
        held.unlock();
        connection made;
        const bool hurry = until.at() < ipc_deadline_after(5'000'000'000u);
        outcome result = open_connection(name_, options_, hurry ? until.at() : IPC_NOW, closing_.get(), made);
        held.lock();
        connecting_ = false;
        changed_.notify_all();
        if (closed_)
            return {status::unavailable, "the client was closed on this side"};
        if (!result) {
            reason_ = result.text;
            return result;
        }
        connection_ = std::move(made);
        ++epoch_;
        connected();
        return {};
    }

    void connected()
    {
        usable_ = true;
        unflushed_ = false;
        owed_.clear();
        if (options_.services != nullptr)
            callee_ = std::make_shared<client_callee>(static_cast<client_link &>(*this), epoch_, connection_.peer_pid());
        tell({true, connection_.peer_pid(), ""});
        background_.wake();
    }

    // Everything pending ends with WHY.
    void break_off(const outcome &why) noexcept
    {
        usable_ = false;
        reason_ = why.text;
        calls_.end_all(why);
        if (callee_ != nullptr) // not from here: a handler's calls may be this client's, whose lock we have
            background_.run([ended = callee_] { ended->end_calls(); });
        tell({false, connection_.peer_pid(), why.text});
        changed_.notify_all();
        background_.wake();
    }

    void tell(connection_change change)
    {
        if (options_.on_connection)
            background_.run([this, change = std::move(change)] { options_.on_connection(change); });
    }

    void lose(ipc::status code)
    {
        if (usable_)
            break_off(why_lost(name_, connection_, code));
    }

    // What was published before the end is still ours.
    void drain(lock_type &held)
    {
        enter();
        arrival none;
        while (usable_ && read(held, nullptr, deadline::now(), nullptr, none) == IPC_OK) {
        }
        if (usable_)
            lose(connection_.close_code() != 0 ? IPC_PEER_CLOSED : IPC_PEER_DIED);
        leave();
    }

    // ---- reading
    // ------------------------------------------------------------------------------------------------------------

    bool await(lock_type &held, pending *mine, std::condition_variable &on, deadline until, canceller *cancel,
               arrival &got) override
    {
        flush(held);
        if (reading_ || !usable_) {
            calls_.begin_waiting(on);
            const bool in_time = sleep_until(held, on, until);
            calls_.end_waiting(on);
            return in_time;
        }
        const ipc::status code = read(held, mine, until, cancel != nullptr ? cancel->get() : nullptr, got);
        return got.in_place || (code != IPC_TIMEOUT && code != IPC_EMPTY);
    }

    // Takes the reading role for one frame. If it carries a body for MINE it stays where it lies: GOT is in place, the
    // role is kept and the lock is not. Else the lock is held on return and the role given up; the code is the ring's.
    ipc::status read(lock_type &held, pending *mine, deadline until, ipc_cancel *cancel, arrival &got)
    {
        reading_ = true;
        held.unlock();
        record raw;
        frame next;
        ipc::status code = connection_.reader().read(raw, until, cancel);
        const char *wrong = code == IPC_OK ? decode(raw, side::server, next) : nullptr;
        if (code == IPC_OK && wrong == nullptr && mine != nullptr && !next.is_callback() && mine->takes(next)) {
            if (next.kind() == frame_kind::item)
                --mine->window; // nobody but the reader counts it down, nobody but its own thread up
            got.point_to(next);
            return IPC_OK;
        }
        const bool is_callback = code == IPC_OK && wrong == nullptr && next.is_callback();
        if (is_callback)
            wrong = called(next);
        held.lock();
        if (code == IPC_OK) {
            if (wrong == nullptr && next.kind() == frame_kind::ping)
                answer_ping(connection_.writer(), next);
            else if (wrong == nullptr && !is_callback && next.kind() != frame_kind::pong)
                wrong = calls_.dispatch(next);
            connection_.reader().release();
            if (wrong != nullptr)
                violate(wrong);
            else
                pay(held);
        } else if (code != IPC_TIMEOUT && code != IPC_EMPTY && code != IPC_CANCELLED) {
            lose(code);
        }
        leave_reading();
        return code;
    }

    void leave_reading() noexcept
    {
        reading_ = false;
        calls_.wake_one();
        if (!usable_)
            changed_.notify_all();
    }

    // A frame of a call that the server makes. On the thread that reads, without the lock.
    const char *called(const frame &got)
    {
        if (got.kind() != frame_kind::request)
            return callee_ != nullptr ? callee_->arrived(got) : nullptr;
        if (callee_ == nullptr) {
            if (!got.has(flag_one_way))
                client_callee(static_cast<client_link &>(*this), epoch_, 0)
                    .post_error(got.header.call, {status::unimplemented,
                                                  "the client of \"" + name_ + "\" offers nothing to its server"});
            return nullptr;
        }
        if (callee_->clashes(got.header))
            return nullptr;
        handler *const found = options_.services->find(got.header.method);
        outcome result;
        if (found == nullptr)
            result = options_.services->unknown(got.header.method, "the client of \"" + name_ + "\"");
        else if (!handlers_->run(found->accept(callee_, got)))
            result = {status::resource_exhausted, "all threads of the client are busy (client_options::max_threads)"};
        if (!result && !got.has(flag_one_way))
            callee_->post_error(got.header.call, result);
        return nullptr;
    }

    // The peer wrote what is not a frame.
    void violate(const char *what)
    {
        const std::string text = std::string("the server sent ") + what;
        connection_.shutdown(IPC_CLOSE_PROTOCOL, text);
        if (usable_)
            break_off({status::data_loss, text});
    }

    // ---- writing
    // ------------------------------------------------------------------------------------------------------------

    outcome send(lock_type &held, const frame_header &header, const payload &body, deadline until,
                 canceller *cancel) override
    {
        const uint64_t epoch = epoch_;
        for (;;) {
            if (!usable_ || epoch != epoch_)
                return {status::unavailable, reason_};
            const uint32_t limit = connection_.writer().max_payload();
            if (body.size() + frame_header_size > limit)
                return {status::resource_exhausted, too_large("request", body.size(), limit - frame_header_size)};
            const auto length = static_cast<uint32_t>(body.size()) + frame_header_size;
            uint8_t *place = nullptr;
            ipc::status code = connection_.writer().try_claim(length, place);
            if (code == IPC_OK) {
                encode(place, header, [&](uint8_t *at) { body.write(at); });
                code = batching() == this ? connection_.writer().commit_batched(length, frame_record_type)
                                          : connection_.writer().commit(length, frame_record_type);
                unflushed_ = unflushed_ || batching() == this;
                if (code == IPC_OK)
                    return {};
            }
            if (code != IPC_FULL) {
                lose(code);
                continue;
            }
            if (cancel != nullptr && cancel->triggered())
                return {status::cancelled, "the caller cancelled"};
            if (until.has_passed())
                return {status::deadline_exceeded, "the deadline passed while the request waited for room in the ring"};
            flush(held);
            const deadline soon(ipc_deadline_after(1'000'000));
            arrival none;
            if (reading_)
                sleep_until(held, changed_, soon);
            else
                read(held, nullptr, soon, nullptr, none);
        }
    }

    // A frame that finds the ring full is owed: it goes out before the next request.
    void pay(lock_type &) noexcept override
    {
        auto &cancels = calls_.owed_cancels;
        while (usable_ && !cancels.empty()) {
            if (try_send(connection_.writer(), header_of(frame_kind::cancel, cancels.back())) != IPC_OK)
                return;
            cancels.pop_back();
        }
        while (usable_ && !owed_.empty()) {
            const auto &[header, body] = owed_.back();
            if (try_send(connection_.writer(), header, body.data(), static_cast<uint32_t>(body.size())) != IPC_OK)
                return;
            owed_.pop_back();
        }
    }

    // ---- client_link: what the answers to callbacks go out through
    // ------------------------------------------------------------------

    bool transmit(uint64_t epoch, const frame_header &header, const payload &body) override
    {
        lock_type held(mutex_);
        if (!usable_ || epoch != epoch_)
            return false;
        enter();
        const outcome sent = send(held, header, body, deadline::never(), nullptr);
        leave();
        return static_cast<bool>(sent);
    }

    bool transmit_now(uint64_t epoch, const frame_header &header, const payload &body) override
    {
        const lock_type held(mutex_);
        if (!usable_ || epoch != epoch_)
            return false;
        const auto length = static_cast<uint32_t>(body.size()) + frame_header_size;
        uint8_t *place = nullptr;
        if (connection_.writer().try_claim(length, place) != IPC_OK)
            return false;
        encode(place, header, [&](uint8_t *at) { body.write(at); });
        return connection_.writer().commit(length, frame_record_type) == IPC_OK;
    }

    void post(uint64_t epoch, const frame_header &header, std::string body) override
    {
        lock_type held(mutex_);
        if (!usable_ || epoch != epoch_)
            return;
        owed_.emplace_back(header, std::move(body));
        pay(held);
    }

    uint64_t limit() noexcept override
    {
        const lock_type held(mutex_);
        return usable_ ? connection_.writer().max_payload() - frame_header_size : 16384;
    }

    std::shared_ptr<caller_core> caller() override
    {
        return shared_from_this();
    }

    // ---- background_host
    // ---------------------------------------------------------------------------------------------------

    bool always_reads() const noexcept
    {
        return options_.services != nullptr || options_.on_connection;
    }

    bool has_to_read(size_t calls) override
    {
        return usable_ && (calls != 0 || always_reads());
    }

    void read_once(lock_type &held, std::condition_variable &on, deadline until, ipc_cancel *interrupt) override
    {
        enter();
        flush(held);
        if (reading_) {
            calls_.begin_waiting(on);
            sleep_until(held, on, until);
            calls_.end_waiting(on);
        } else {
            arrival none;
            read(held, nullptr, until, interrupt, none);
        }
        leave();
    }

    void expire(lock_type &held, uint64_t call) override
    {
        abort(held, call, {status::deadline_exceeded, "the deadline passed while the call waited for its reply"});
    }

    static client_core *&batching() noexcept
    {
        static thread_local client_core *mine = nullptr;
        return mine;
    }

    const std::string name_;
    const client_options options_;
    connection connection_;
    bool usable_ = false;
    bool connecting_ = false;
    bool closed_ = false;
    cancel_source closing_;
    std::string reason_;              // why the connection is not usable
    int inside_ = 0;                  // threads that may be using the connection
    bool reading_ = false;            // the reading role is taken
    bool unflushed_ = false;          // a batch is not published yet
    std::condition_variable changed_; // the connection's life
    std::vector<std::pair<frame_header, std::string>> owed_;
    std::shared_ptr<client_callee> callee_; // this connection's, when there are services
    std::unique_ptr<task_pool> handlers_;
    background background_;
};

} // namespace ipc::rpc::detail
#endif
