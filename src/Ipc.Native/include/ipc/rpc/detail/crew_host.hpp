// What a server's threads work for: the server, as crew_threads.hpp sees it.
#ifndef IPC_RPC_DETAIL_CREW_HOST_HPP
#define IPC_RPC_DETAIL_CREW_HOST_HPP

namespace ipc::rpc::detail
{

class session;
class worker;

class crew_host
{
  public:
    // Waits for events and serves them, until stopped or until ME has lost the lead.
    virtual void lead(worker &me) = 0;
    // Goes on reading a connection whose reader is stuck in a handler.
    virtual void serve(session &from, worker &me) = 0;
    // The same, by whoever leads.
    virtual void read_on(session &from) = 0;
    // The same, if it is not read because its requests wait for their turn: something else is awaited from it.
    virtual void read_anyway(session &from) = 0;
    // Whoever leads may be stuck from now on, with no thread to take over.
    virtual void exhausted() = 0;

  protected:
    ~crew_host() = default;
};

} // namespace ipc::rpc::detail
#endif
