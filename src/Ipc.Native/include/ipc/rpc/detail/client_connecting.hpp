// How a client sees to it that a call has a connection: the present one, or the next, which a thread that calls makes
// itself. What the client's own thread connects for is in client_core.hpp.
//
// A server that ends in good order answers what it does not take any more with "not handled", while it still has
// calls: the connection is left then, and the next one made when it has ended. Such a call, and one that the server had
// not read when it closed, is made again by itself (calling.hpp, client_posting.hpp).
#ifndef IPC_RPC_DETAIL_CLIENT_CONNECTING_HPP
#define IPC_RPC_DETAIL_CLIENT_CONNECTING_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "../canceller.hpp"
#include "../client_options.hpp"
#include "../status.hpp"
#include "client_connect.hpp"
#include "client_posting.hpp"
#include "wait.hpp"

namespace ipc::rpc::detail
{

class client_connecting : public client_posting
{
  public:
    client_connecting(std::string name, client_options options)
        : client_posting(options), name_(std::move(name)), options_(std::move(options))
    {
    }

    bool follow(lock_type &held, following &again, deadline until, canceller *cancel, outcome &result) override
    {
        if (again.called_back)
            result = is_stopping();
        if (again.called_back || closed_ || !options_.auto_reconnect)
            return false;
        again.reached = false;
        if (again.times++ == 0) {
            again.until = patience_of(until, true);
            return true;
        }
        const deadline next(std::min(again.until.at(), ipc_deadline_after(pause_before(again.times))));
        while (!closed_ && !next.has_passed() && (cancel == nullptr || !cancel->triggered()))
            sleep_until(held, changed_, next);
        return !closed_ && (!again.until.has_passed() || until.has_passed()); // its own deadline it is to be told
    }

  protected:
    // Somebody has tried to connect.
    virtual outcome connected(connection &&made, outcome result) = 0;

    // A mistake in the program, which no caller expects to handle.
    outcome refuse() const override
    {
        std::string text = "The client of " + server_of(name_, 0) + " is closed; make a new one.";
#ifdef IPC_NO_EXCEPTIONS
        return {status::failed_precondition, std::move(text)};
#else
        throw ipc::error(IPC_CLOSED, text);
#endif
    }

    outcome was_closed() const
    {
        return {status::unavailable, "The client of " + server_of(name_, 0) + " was closed."};
    }

    outcome is_stopping() const override
    {
        return of_unsent({status::unavailable,
                          first_word(server_of(name_, peer_pid_)) + " is stopping and has not handled the call."});
    }

    // What was published before the end is still ours: what a ring can hold. A server may close and write on.
    void drain(lock_type &held)
    {
        arrival none;
        enter();
        uint64_t left = (options_.to_client_capacity | (256u << 10)) / 16; // powers of two; 16: the shortest record
        while (usable_ && read(held, nullptr, deadline::now(), nullptr, none) == IPC_OK && --left != 0)
            continue;
        if (usable_)
            lose(connection_.close_code() != 0 ? IPC_PEER_CLOSED : IPC_PEER_DIED);
        leave();
    }

    static constexpr uint64_t between_looks = 5'000'000; // ns

    const std::string name_;
    const client_options options_;
    int32_t peer_pid_ = 0; // of the last connection, for errors; 0 when no other could be made after it
    bool connecting_ = false;
    bool ended_well_ = false; // the last connection: its server has said what it has handled
    canceller closing_;

  private:
    bool is_prepared(deadline until) noexcept override
    {
        return usable_ && !left_ && !closed_ && !owes() && (until.is_never() || !until.has_passed()) &&
               connection_.is_open();
    }

    outcome prepare(lock_type &held, deadline until, canceller *cancel, following *again) override
    {
        bool follows = again != nullptr && again->times != 0;
        deadline patience = follows ? again->until : patience_of(until, false);
        unsigned made = 0; // connections that have ended before it had one
        deadline next = deadline::now();
        for (bool begins = !follows;; begins = false) {
            if (usable_ && left_ && !std::exchange(follows, true)) { // as those wait that the server has refused
                patience = patience_of(until, true);
                if (again != nullptr) {
                    again->times = 1;
                    again->until = patience;
                }
            }
            if (closed_)
                return begins ? refuse() : of_unsent(was_closed());
            if (!usable_ && !options_.auto_reconnect) // before the deadline: who asks late learns the same
                return of_unsent({status::unavailable, reason_});
            if (until.has_passed())
                return is_late();
            if (usable_ && !left_ && connection_.is_open()) {
                pay(held);
                return {};
            }
            if (cancel != nullptr && cancel->triggered())
                return {status::cancelled};
            if (usable_ && left_ && connection_.is_open()) { // until it has ended
                if (patience.has_passed() || is_called_back())
                    return given_up(is_stopping(), until);
                enter();
                read_meanwhile(held, soon(patience));
                leave();
                continue;
            }
            if (usable_ && !reading_) {
                drain(held);
                continue;
            }
            if (!usable_ && !connecting_ && inside_ == 0) {
                if (made >= most_in_vain && patience.has_passed())
                    return given_up({status::unavailable, reason_}, until);
                if (!next.has_passed()) {
                    sleep_until(held, changed_, deadline(std::min(until.at(), next.at())));
                    continue;
                }
                outcome connected = reconnect(held, patience, cancel);
                if (connected)
                    next = deadline(ipc_deadline_after(pause_before(++made + 1)));
                if (!connected && (connected.code != status::unavailable || patience.has_passed()))
                    return given_up(std::move(connected), until);
                if (!connected) // it was there, and took no clients: its successor may
                    sleep_until(held, changed_, soon(patience, between_looks));
                continue;
            }
            // Somebody else reads, perhaps to the end of the old connection; or leaves it; or connects.
            if (!await_another(held, until))
                return is_late();
        }
    }

    // WHY a call gets no connection. One that has waited until its deadline, UNTIL, has come to that, whoever
    // connected: those who wait for another thread's attempt are told the same.
    static outcome given_up(outcome why, deadline until)
    {
        if (why.code == status::unavailable && until.has_passed())
            return too_late(why.text);
        return of_unsent(std::move(why));
    }

    outcome is_late() const
    {
        return too_late(usable_ ? std::string() : reason_);
    }

    static constexpr unsigned most_in_vain = 3; // connections, for a call that waits for none

    // How long a call waits for a server.
    deadline patience_of(deadline until, bool follows) const noexcept
    {
        if (waits_for_server(until))
            return until;
        const deadline most = follows ? deadline(options_.connect_timeout) : deadline::now();
        return deadline(std::min(until.at(), most.at()));
    }

    // Nobody has handled it, whoever has died. A server that ended in good order has a successor.
    bool is_for_another(deadline until) const noexcept override
    {
        return !closed_ && (ended_well_ || waits_for_server(until));
    }

    // Nobody is inside.
    outcome reconnect(lock_type &held, deadline patience, canceller *cancel)
    {
        connecting_ = true;
        held.unlock();
        connection made;
        outcome result;
        {
            canceller either;
            const relay from_us(closing_, either);
            std::optional<relay> from_caller;
            if (cancel != nullptr)
                from_caller.emplace(*cancel, either);
            const ipc_deadline wait = patience.has_passed() ? IPC_NOW : patience.at();
            result = open_connection(name_, options_, wait, either.get(), made);
        }
        held.lock();
        result = connected(std::move(made), std::move(result));
        if (!result && cancel != nullptr && cancel->triggered())
            return {status::cancelled};
        return result;
    }
};

} // namespace ipc::rpc::detail
#endif
