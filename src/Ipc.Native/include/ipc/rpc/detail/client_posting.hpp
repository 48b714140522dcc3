// How asynchronous calls begin, and how they end from outside. Nothing in here waits: what cannot be sent at once is
// queued, for this connection or for the next one, which the client's thread makes.
#ifndef IPC_RPC_DETAIL_CLIENT_POSTING_HPP
#define IPC_RPC_DETAIL_CLIENT_POSTING_HPP

#include <algorithm>
#include <cstdint>
#include <string>

#include "../status.hpp"
#include "client_channel.hpp"
#include "client_connect.hpp"
#include "frame.hpp"

namespace ipc::rpc::detail
{

class client_posting : public client_channel
{
  public:
    explicit client_posting(const client_options &options)
        : client_channel(options), reconnects_(options.auto_reconnect), waits_always_(options.wait_for_ready)
    {
    }

    void abort(lock_type &held, uint64_t call, const outcome &why)
    {
        pending *const entry = calls_.find(call);
        if (entry == nullptr || entry->ended)
            return;
        if (queue_.remove(entry->queued)) // the server has not heard of it
            return calls_.end(*entry, why.code == status::deadline_exceeded ? too_late() : why);
        calls_.abort(*entry, why);
        pay(held);
    }

    // begin() of an asynchronous call: never waits. What cannot be sent at once is queued, for this connection or the
    // next.
    outcome ask(lock_type &held, const asking &what, deadline until, canceller *cancel)
    {
        if (closed_)
            return refuse();
        if (until.has_passed())
            return too_late();
        if (cancel != nullptr && cancel->triggered())
            return {status::cancelled};
        if (usable_)
            pay(held);
        const bool connected = usable_ && !left_ && connection_.is_open();
        if (!connected && !reconnects_)
            return of_unsent({status::unavailable, usable_ ? "the connection has ended" : reason_});
        const bool stays = is_called_back();
        if (stays && usable_ && left_ && connection_.is_open())
            return is_stopping();
        const uint64_t epoch = connected ? epoch_ : epoch_ + 1;
        pending *const fresh = take_entry(what, epoch);
        if (fresh == nullptr)
            return too_many();
        fresh->stays = stays;
        outcome result = connected ? write_or_queue(*fresh, what, until) : queue(*fresh, what, epoch, until);
        if (result)
            calls_.attach(*fresh, what.done); // perhaps the connection is lost by now: then it ends here
        else
            calls_.free(*fresh);
        if (!connected && waits_for_server_ && !waits_for_server(until))
            look(); // this one wants to know whether there is a server
        return result;
    }

  protected:
    bool waits_for_server(deadline until) const noexcept
    {
        return waits_always_ || is_hurried(until);
    }

    // ENTRY's call, which nobody has handled, waits for the next connection. False: it cannot.
    bool send_again(pending &entry)
    {
        if (!repeats_ || !entry.kept || entry.stays || closed_)
            return false; // not an asynchronous one, among others
        entry.queued = queue_.add_again(entry.request, std::move(entry.body), epoch_ + 1, entry.until);
        entry.kept = false;
        entry.epoch = epoch_ + 1;
        connect_at_ = std::max(connect_at_, ipc_deadline_after(pause_before(++entry.times)));
        return true;
    }

    bool is_sent_again(uint64_t call) override
    {
        pending *const entry = calls_.find(call);
        return entry != nullptr && !entry->ended && send_again(*entry);
    }

    // The deadline of an asynchronous call has passed. False: it may not end yet.
    bool end_late(lock_type &held, uint64_t call)
    {
        pending *const entry = calls_.find(call);
        if (entry != nullptr && !entry->ended && !is_over(entry->late))
            return false;
        abort(held, call, {status::deadline_exceeded});
        return true;
    }

    // What a call is told that begins on a closed client.
    virtual outcome refuse() const = 0;
    // What a call is told that its server does not handle any more, and no other one either.
    virtual outcome is_stopping() const = 0;

    bool closed_ = false;
    bool waits_for_server_ = false;     // the client's thread, when it connects
    ipc_deadline connect_at_ = IPC_NOW; // and not before that

  private:
    outcome write_or_queue(pending &fresh, const asking &what, deadline until)
    {
        const uint64_t limit = connection_.writer().max_payload() - frame_header_size;
        if (what.body.size() > limit)
            return {status::resource_exhausted, too_large("request", what.body.size(), limit)};
        if (!queue_.empty())
            return queue(fresh, what, epoch_, until);
        const ipc::status code = try_write(static_cast<uint32_t>(what.body.size()) + frame_header_size,
                                           header_for(what, fresh.id(), until), what.body);
        if (code == IPC_FULL)
            return queue(fresh, what, epoch_, until);
        fresh.sent_at = sent_at_;
        if (code == IPC_OK && repeats_) {
            std::string bytes(static_cast<size_t>(what.body.size()), '\0');
            what.body.write(reinterpret_cast<uint8_t *>(bytes.data()));
            keep(fresh, header_for(what, fresh.id(), until), std::move(bytes), until);
        }
        if (code != IPC_OK)
            lose(code);
        return {};
    }

    outcome queue(pending &fresh, const asking &what, uint64_t epoch, deadline until)
    {
        fresh.queued = queue_.add(header_for(what, fresh.id(), until), what.body, epoch, until);
        if (fresh.queued != 0)
            return {};
        return {status::resource_exhausted,
                "the server does not read, or is not there, and " + std::to_string(queue_.most_bytes()) +
                    " bytes of requests wait for it already (client_options::max_queued_bytes)"};
    }

    const bool reconnects_;
    const bool waits_always_;
};

} // namespace ipc::rpc::detail
#endif
