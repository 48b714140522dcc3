// The client without its types: how it gets its connection, loses it, and gets another.
//
// When the connection ends (the server died, closed, or wrote nonsense; or close() here), every pending call ends with
// the reason. The next call, when the last thread has left the old connection, connects anew.
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
#include "client_channel.hpp"
#include "client_connect.hpp"
#include "frame.hpp"
#include "service.hpp"
#include "status.hpp"
#include "task_pool.hpp"
#include "wait.hpp"

namespace ipc::rpc::detail
{

class client_core final : public client_channel,
                          public std::enable_shared_from_this<client_core>,
                          private background_host
{
  public:
    client_core(std::string name, client_options options)
        : client_channel(options), name_(std::move(name)), options_(std::move(options)), background_(mutex_, *this)
    {
    }

    // First of all.
    outcome connect()
    {
        if (options_.services != nullptr && !options_.services->flaw())
            return options_.services->flaw();
        const ipc_deadline until = deadline(options_.connect_timeout).at();
        if (outcome connected = open_connection(name_, options_, until, closing_.get(), connection_); !connected)
            return connected;
        observe_made(options_.observer);
        if (options_.services != nullptr)
            handlers_ = std::make_unique<task_pool>(options_.max_threads);
        return {};
    }

    // Its own thread may run from now on. Once somebody owns it.
    void begin_life()
    {
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

    // Pending calls end with status::unavailable; later ones throw ipc::error(IPC_CLOSED), or without exceptions fail
    // with failed_precondition.
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

    void abort(lock_type &held, uint64_t call, const outcome &why)
    {
        pending *const entry = calls_.find(call);
        if (entry == nullptr || entry->ended)
            return;
        calls_.abort(*entry, why);
        pay(held);
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
                return refuse();
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

    // A mistake in the program, which no caller expects to handle.
    outcome refuse() const
    {
        std::string text = "the client of \"" + name_ + "\" is closed; make a new one";
#ifdef IPC_NO_EXCEPTIONS
        return {status::failed_precondition, std::move(text)};
#else
        throw ipc::error(IPC_CLOSED, text);
#endif
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
            return {}; // which prepare() sees
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
        if (options_.services != nullptr) {
            callee_ = std::make_shared<client_callee>(link(), epoch_, connection_.peer_pid());
            callee_->observe_served(options_.observer);
        }
        tell({true, connection_.peer_pid(), ""});
        background_.wake();
    }

    // Everything pending ends with WHY.
    void break_off(const outcome &why) noexcept override
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

    void lose(ipc::status code) override
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

    // A frame of a call that the server makes. On the thread that reads, without the lock.
    const char *called(const frame &got) override
    {
        if (got.kind() != frame_kind::request)
            return callee_ != nullptr ? callee_->arrived(got) : nullptr;
        if (callee_ == nullptr) {
            if (!got.has(flag_one_way))
                client_callee(link(), epoch_, 0)
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

    const std::string name_;
    const client_options options_;
    bool connecting_ = false;
    bool closed_ = false;
    cancel_source closing_;
    std::shared_ptr<client_callee> callee_; // this connection's, when there are services
    std::unique_ptr<task_pool> handlers_;
    background background_;
};

} // namespace ipc::rpc::detail
#endif
