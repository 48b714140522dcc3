// The client without its types: how it gets its connection, loses it, and gets another.
//
// When the connection ends (the server died, closed, or wrote nonsense; or close() here), every pending call ends with
// the reason. The next call, when the last thread has left the old connection, connects anew.
// What needs a thread of the client's own (asynchronous calls, callbacks, news of the connection) is in background.hpp.
#ifndef IPC_RPC_DETAIL_CLIENT_CORE_HPP
#define IPC_RPC_DETAIL_CLIENT_CORE_HPP

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "../status.hpp"
#include "background.hpp"
#include "caller_core.hpp"
#include "client_callee.hpp"
#include "client_connect.hpp"
#include "client_connecting.hpp"
#include "frame.hpp"
#include "guarded.hpp"
#include "method_table.hpp"
#include "task_pool.hpp"
#include "wait.hpp"

namespace ipc::rpc::detail
{

class client_core final : public client_connecting,
                          public std::enable_shared_from_this<client_core>,
                          private background_host
{
  public:
    client_core(std::string name, client_options options, std::shared_ptr<method_table> services)
        : client_connecting(std::move(name), std::move(options)), services_(std::move(services)),
          background_(mutex_, *this)
    {
    }

    // First of all.
    outcome connect()
    {
        if (services_ != nullptr && !services_->flaw())
            return services_->flaw();
        const ipc_deadline until = deadline(options_.connect_timeout).at();
        if (outcome connected = open_connection(name_, options_, until, closing_.get(), connection_); !connected)
            return connected;
        observe_made(options_.observer);
        intercept_made(options_.interceptors);
        if (services_ != nullptr)
            handlers_ = std::make_unique<task_pool>(options_.max_threads);
        return {};
    }

    // Its own thread may run from now on. Once somebody owns it.
    void begin_life()
    {
        const lock_type held(mutex_);
        begin_connection();
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

    std::string peer() override
    {
        const lock_type held(mutex_);
        return server_of(name_, peer_pid_);
    }

    // Pending calls end with status::unavailable; later ones throw ipc::error(IPC_CLOSED), or without exceptions fail
    // with failed_precondition. Waits for the user's code that runs on threads of the client, unless it is called
    // there: then somebody else has to. Returns whether all is over.
    bool close() noexcept
    {
        lock_type held(mutex_);
        if (!std::exchange(closed_, true)) {
            const outcome why = was_closed();
            closing_.trigger();
            if (usable_) {
                connection_.reader().stop();
                break_off(why);
            }
            queue_.drop(UINT64_MAX);
            calls_.end_all(why);
            background_.begin_stop();
            changed_.notify_all();
        }
        if (background_.is_current() || (handlers_ != nullptr && handlers_->is_current()))
            return false;
        if (std::exchange(finishing_, true)) {
            changed_.wait(held, [this] { return finished_; });
            return true;
        }
        changed_.wait(held, [this] { return inside_ == 0 && !connecting_; });
        connection_.close();
        background_.stop(held);
        held.unlock();
        if (handlers_ != nullptr)
            handlers_->stop();
        held.lock();
        finished_ = true;
        changed_.notify_all();
        return true;
    }

    bool is_called_back() const noexcept override
    {
        return callee_ != nullptr && callee_->is_served_here();
    }

    background &thread() noexcept
    {
        return background_;
    }

    void report_thrown(const call_info &call, const outcome &thrown) noexcept
    {
        detail::report_thrown(options_.observer.get(), call, thrown);
    }

  private:
    // Somebody has tried to connect.
    outcome connected(connection &&made, outcome result) override
    {
        connecting_ = false;
        changed_.notify_all();
        if (closed_)
            return {}; // which prepare() sees
        if (!result) {
            reason_ = result.text;
            peer_pid_ = 0;
            background_.wake();
            return result;
        }
        connection_ = std::move(made);
        ++epoch_;
        begin_connection();
        return {};
    }

    void begin_connection()
    {
        usable_ = true;
        left_ = false;
        peer_pid_ = connection_.peer_pid();
        unflushed_ = false;
        room_looks_.had_room();
        owed_.clear();
        owed_bytes_ = 0;
        owed_report_ = {};
        transit_.begin(connection_.writer(), connection_.reader());
        if (services_ != nullptr) {
            callee_ = std::make_shared<client_callee>(link(), epoch_, peer_of(connection_), options_.stream_window);
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
        // From there on the server has handled no request. What was not sent at all nobody has, however it ended.
        const bool is_said = why.code == status::unavailable && connection_.close_code() == IPC_CLOSE_SHUTDOWN;
        const uint64_t handled = is_said ? connection_.handled() : UINT64_MAX;
        ended_well_ = handled != UINT64_MAX;
        const bool goes_on = repeats_ && !closed_;
        if (goes_on)
            queue_.move_on(epoch_);
        else
            queue_.drop(epoch_);
        const outcome of_others = of_pending(why), of_unhandled = of_unsent(why);
        calls_.end_each(epoch_, [&](pending &entry) -> const outcome * {
            if (entry.queued == 0 && entry.sent_at < handled)
                return &of_others;
            if (entry.queued != 0 && goes_on) {
                entry.epoch = epoch_ + 1;
                return nullptr;
            }
            return send_again(entry) ? nullptr : &of_unhandled;
        });
        if (callee_ != nullptr) // not from here: a handler's calls may be this client's, whose lock we have
            background_.run([ended = callee_] { ended->end_calls(); });
        tell({false, connection_.peer_pid(), why.text});
        changed_.notify_all();
        background_.wake();
    }

    void tell(connection_change change)
    {
        if (options_.on_connection)
            background_.run([this, change = std::move(change)] {
                if (const outcome thrown = guarded([&] { options_.on_connection(change); }); !thrown)
                    report_thrown({{}, "on_connection"}, thrown);
            });
    }

    void lose(ipc::status code) override
    {
        if (usable_)
            break_off(why_lost(name_, connection_, code));
    }

    void room_came() override
    {
        if (callee_ != nullptr)
            callee_->room_came();
    }

    // A frame of a call that the server makes. On the thread that reads, without the lock.
    const char *called(const frame &got) override
    {
        if (got.kind() != frame_kind::request)
            return callee_ != nullptr ? callee_->arrived(got) : nullptr;
        if (callee_ == nullptr) {
            const outcome why(status::unimplemented,
                              "The client of " + server_of(name_, 0) + " offers no services to call back.");
            if (!got.has(flag_one_way))
                client_callee(link(), epoch_, {}).post_error(got.header.call, why);
            return nullptr;
        }
        if (callee_->clashes(got.header))
            return nullptr;
        handler *const found = services_->find(got.header.method);
        outcome result;
        if (found == nullptr)
            result = services_->unknown(got.header.method, "The client of " + server_of(name_, 0));
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

    bool always_reads() const noexcept
    {
        return services_ != nullptr || options_.on_connection;
    }

    void look() noexcept override
    {
        background_.look();
    }

    void look_for_room() noexcept override
    {
        client_connecting::look_for_room();
        background_.wake(); // it may sleep beside who reads
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
            sleep_until(held, on, owes_here() ? room_looks_.next(until) : until);
            calls_.end_waiting(on);
        } else {
            arrival none;
            read(held, nullptr, until, interrupt, none);
        }
        pay(held);
        leave();
    }

    void leave() noexcept override
    {
        client_channel::leave();
        if (inside_ == 0 && !usable_ && !queue_.empty())
            background_.wake(); // it may connect now
    }

    bool has_to_connect() override
    {
        return !usable_ && !connecting_ && !closed_ && inside_ == 0 && !queue_.empty();
    }

    void connect_once(lock_type &held, deadline until, ipc_cancel *interrupt) override
    {
        if (!deadline(connect_at_).has_passed()) { // it looks about meanwhile: there may be other things to do
            sleep_until(held, changed_, soon(deadline(std::min(until.at(), connect_at_)), between_looks));
            return;
        }
        // One that is there may take seconds to answer, and it is this thread that ends calls at their deadlines. So
        // nobody is asked whether it is there first, unless somebody wants to know that.
        const bool waits = waits_for_server_ = waits_for_server_ || all_wait_for_server();
        connection made;
        connecting_ = true;
        held.unlock();
        outcome result = open_connection(name_, options_, waits ? until.at() : IPC_NOW, interrupt, made);
        held.lock();
        waits_for_server_ = false;
        result = of_unsent(connected(std::move(made), std::move(result)));
        if (result) {
            connect_at_ = std::max(connect_at_, ipc_deadline_after(between_looks)); // should this one end at once
            return pay(held);
        }
        if (background_.was_interrupted())
            return;                       // by somebody whom it has to look at first
        if (waits && !until.has_passed()) // it was there, and took no clients: its successor may
            sleep_until(held, changed_, soon(until, between_looks));
        if (usable_ || connecting_ || closed_)
            return; // a caller has connected meanwhile, or does: what waits goes out there
        // Those who have the time to ask again learn it; the others wait, if waiting can help: else this would be asked
        // again at once, and again.
        for (auto each = queue_.first(); each != queue_.end();) {
            pending *const entry = calls_.find(each->second.header.call);
            const bool stays = result.code == status::unavailable && waits_for_server(each->second.until);
            waits_for_server_ = waits_for_server_ || stays; // next time
            each = stays ? std::next(each) : queue_.remove(each);
            if (!stays)
                calls_.end(*entry, result);
        }
    }

    bool all_wait_for_server() noexcept
    {
        return std::all_of(queue_.first(), queue_.end(),
                           [this](const auto &each) { return waits_for_server(each.second.until); });
    }

    bool expire(lock_type &held, uint64_t call) override
    {
        return end_late(held, call);
    }

    const std::shared_ptr<method_table> services_;
    bool finishing_ = false; // somebody waits for the end of all
    bool finished_ = false;
    std::shared_ptr<client_callee> callee_; // this connection's, when there are services
    std::unique_ptr<task_pool> handlers_;
    background background_;
};

} // namespace ipc::rpc::detail
#endif
