// Where not everything may start at once: starts a server's calls in the order of its gate.
#ifndef IPC_RPC_DETAIL_CALL_STARTER_HPP
#define IPC_RPC_DETAIL_CALL_STARTER_HPP

#include <memory>
#include <utility>

#include "crew.hpp"
#include "frame.hpp"
#include "gate.hpp"
#include "handler.hpp"
#include "session.hpp"
#include "worker.hpp"

namespace ipc::rpc::detail
{

class call_starter
{
  public:
    // HOST reads on sessions that have waited.
    call_starter(gate &order, crew &threads, crew_host &host) : gate_(order), threads_(threads), host_(host)
    {
    }

    // A request for FOUND was read. False when another thread reads FROM now.
    bool request(session &from, worker &me, handler &found, const frame &got)
    {
        const std::shared_ptr<session> kept = from.shared_from_this();
        const frame_header header = got.header;
        const bool starts = gate_.try_start(from, found.has_streams());
        if (starts && !found.has_streams()) {
            const turn mine(*this, kept, false);
            return found.handle(threads_, from, me, got);
        }
        const std::shared_ptr<job> accepted = found.accept(from.keep(), got);
        const uint64_t bytes = frame_header_size + uint64_t{got.size}, lay_at = from.reader().released();
        from.reader().release();
        switch (starts ? gate::verdict::starts : gate_.wait(kept, accepted, found.has_streams(), bytes)) {
        case gate::verdict::starts:
            start(kept, accepted, found.has_streams(), lay_at);
            return true;
        case gate::verdict::waits_alone:
            kept->watch();
            return false;
        case gate::verdict::too_many:
            refuse(from, header);
            return true;
        case gate::verdict::too_long:
            refuse(from, header,
                   "the requests of this connection that wait for their turn take as many bytes as they may "
                   "(server_options::max_held_bytes)");
            return true;
        default:
            return true;
        }
    }

    static void refuse(session &from, const frame_header &header,
                       const char *why = "the server has too many calls to run or to wait "
                                         "(server_options::max_threads)")
    {
        if ((header.flags & flag_one_way) == 0)
            from.post_error(header.call, {status::resource_exhausted, why});
    }

    // The server is ending: no handler sees the request.
    static void refuse_ending(session &from, const frame_header &header)
    {
        if ((header.flags & flag_one_way) == 0)
            from.post_unhandled(header.call, "The server is stopping and takes no further calls.");
    }

    // One that lay at LAY_AT and is accepted, and that no thread runs.
    static void refuse_not_run(const crew &threads, session &from, const frame_header &header, uint64_t lay_at)
    {
        if (!threads.is_stopping())
            return refuse(from, header);
        if (threads.is_draining())
            from.note_ending(lay_at);
        refuse_ending(from, header);
    }

  private:
    class turn final : public call_turn
    {
      public:
        turn(call_starter &in, std::shared_ptr<session> of, bool streams)
            : in_(in), of_(std::move(of)), streams_(streams)
        {
        }

        ~turn()
        {
            in_.go_on(in_.gate_.end(*of_, streams_));
        }

        void rest() override
        {
            resting = true;
            in_.go_on(in_.gate_.rest(*of_, streams_));
        }

        void go_on() noexcept override
        {
            resting = false;
            in_.gate_.go_on(*of_, streams_);
        }

      private:
        call_starter &in_;
        const std::shared_ptr<session> of_;
        const bool streams_;
    };

    // LAY_AT: where its request was the last that was read; not known of one that has waited.
    void start(const std::shared_ptr<session> &from, const std::shared_ptr<job> &call, bool streams,
               uint64_t lay_at = UINT64_MAX)
    {
        const auto run = [this, from, call, streams] {
            const turn mine(*this, from, streams);
            call->run();
        };
        if (threads_.run(run))
            return;
        refuse_not_run(threads_, *from, call->request, lay_at);
        go_on(gate_.end(*from, streams));
    }

    void go_on(const gate::release &freed)
    {
        for (const gate::waiting_call &each : freed.start)
            start(each.from, each.call, each.streams);
        for (const auto &each : freed.read_on)
            host_.read_on(*each);
    }

    gate &gate_;
    crew &threads_;
    crew_host &host_;
};

} // namespace ipc::rpc::detail
#endif
