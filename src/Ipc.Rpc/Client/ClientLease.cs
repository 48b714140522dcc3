using System;
using System.Threading;

namespace Ipc.Rpc;

// What keeps a connection going (the reader's thread, the timer, the watch on the server's process) is reachable for as
// long as it runs, and knows the session, but never this. Whoever can still use the client does know this: the client
// itself, its views, its batches, its callers within interceptors, and calls that are pending. So when the collector
// finds nobody, nobody can call any more, and what was forgotten is disposed. Subscribers, who often know the client,
// belong to the lease for the same reason.

/// <summary>The right to use a client's session, held by everything that can call on it. When it is collected, the
/// client is disposed.</summary>
internal sealed class ClientLease : IDisposable
{
    private readonly ClientSession _session;

    public ClientLease(ClientSession session, ConnectionEvents events)
    {
        _session = session;
        Events = events;
    }

    // closing may take a moment
    ~ClientLease() =>
        ThreadPool.UnsafeQueueUserWorkItem(static state => ((ClientSession)state!).DisposeForgotten(), _session);

    /// <summary>Who wants to know about connections.</summary>
    public ConnectionEvents Events { get; }

    /// <summary>The client was disposed.</summary>
    public void Dispose() => GC.SuppressFinalize(this);
}
