using System;

namespace Ipc;

/// <summary>The server's side: being taken, answered, polled and given up.</summary>
public sealed unsafe partial class Connection
{
    private int _answered;

    /// <summary>Where the listener stands with it. The leader writes Lent, the borrower Watched, whoever disposes
    /// Gone.</summary>
    private int _lease = LeaseLent;

    private const int LeaseWatched = 0, LeaseLent = 1, LeaseGone = 2;

    /// <summary>Armed: its ring was empty and the next publish rings. Only the leader looks.</summary>
    internal bool IsArmed { get; set; }

    /// <summary>In the leader's list of connections to poll.</summary>
    internal bool IsHot { get; set; }

    /// <summary>Accepted and told of as closed: nothing more comes of it.</summary>
    internal bool IsFinished { get; set; }

    /// <summary>When its ring was last seen with something in it.</summary>
    internal ulong LastActive { get; set; }

    internal bool IsWatched => Atomic.LoadAcquire(ref _lease) == LeaseWatched;

    /// <summary>This side was shut down: nothing more comes of it than what has come already.</summary>
    internal bool IsShutDown => Atomic.LoadAcquire(ref _closedHere) != 0;

    internal bool IsGone => Atomic.LoadAcquire(ref _lease) == LeaseGone;

    /// <summary>Accepts the request. Call <see cref="Listener.Return"/> next, so that the listener watches the
    /// connection.</summary>
    /// <remarks>It has no effect on a connection that is disposed, also by its listener's Dispose, which has refused
    /// it.</remarks>
    /// <exception cref="InvalidOperationException">It was answered before, or is a client's side.</exception>
    public void Accept()
    {
        if (!TryAnswer() || !_view.TryUse())
            return;
        try
        {
            Reply(ConnectionHeader.Accepted);
        }
        finally
        {
            _view.Unuse();
        }
    }

    /// <summary>Refuses the request with a reason, cut to 240 bytes of UTF-8, and frees the connection.</summary>
    /// <remarks>See <see cref="Accept"/>.</remarks>
    /// <exception cref="InvalidOperationException">It was answered before, or is a client's side.</exception>
    public void Refuse(string reason)
    {
        if (!TryAnswer())
            return;
        RefuseAnswered(reason);
        Dispose();
    }

    /// <summary>False: it is disposed, and so answered.</summary>
    private bool TryAnswer()
    {
        if (!IsServer)
            throw new InvalidOperationException("Only a server answers.");
        if (Atomic.Exchange(ref _answered, 1) == 0)
            return true;
        if (Atomic.LoadAcquire(ref _disposed) == 0) // which is said first
            throw new InvalidOperationException("The request has been answered before.");
        return false;
    }

    /// <summary>The same from a server that ends: the client is to look for its successor.</summary>
    internal void TurnAway() => RefuseWith(CloseCode.Shutdown, "The server is ending.");

    /// <summary>Refuses with another code than Refused, and frees the connection.</summary>
    internal void RefuseWith(CloseCode code, string text)
    {
        if (!TryAnswer())
            return;
        Shutdown(code, text); // before the reply
        RefuseAnswered(null);
        Dispose();
    }

    /// <param name="reason">The words; null keeps those that are there.</param>
    /// <param name="overwrites">Whether they take the place of those of a
    /// <see cref="Shutdown(CloseCode, string)"/> before.</param>
    private void RefuseAnswered(string? reason, bool overwrites = true)
    {
        if (!_view.TryUse())
            return;
        try
        {
            // [close]
            if (reason is not null && (overwrites || Atomic.LoadAcquire(ref _header->ServerClose) == 0))
                WriteServerText(reason);
            Reply(ConnectionHeader.Refused);
            Shutdown(CloseCode.Refused);
        }
        finally
        {
            _view.Unuse();
        }
    }

    private void Reply(uint reply)
    {
        Atomic.StoreRelease(ref _header->Reply, reply); // [reply]
        FaultPoints.Pass(FaultPoints.ListenerAcceptReplied);
        Waiter.SignalAlways(&_header->Session);
    }

    /// <summary>The server's side of a request that was checked and mapped.</summary>
    internal static Connection ForServer(
        Region region,
        ConnectionEntrance layout,
        Region listenerRegion,
        ListenerEntrance entrance,
        Listener listener,
        int slot,
        WaitStyle style)
    {
        Connection connection = new(region, layout, listenerRegion, entrance, listener, slot, style);
        // Its client publishes when it has the reply: the listener, which forgets whom it has armed, is never missed.
        connection.Reader.AskEarly();
        return connection;
    }

    /// <summary>The leader takes it to lend it to its caller.</summary>
    internal bool TryLend() => CompareLease(LeaseWatched, LeaseLent);

    /// <summary>The borrower gives it back.</summary>
    internal bool TryReturn() => CompareLease(LeaseLent, LeaseWatched);

    /// <summary>The client has closed or died. Whoever has it may still be handling what came before.</summary>
    internal void TellIfEnded(bool onPool)
    {
        IpcStatus ended = RingEnd.StatusOf(Use(static connection => connection.PeerNow, PeerState.Live));
        if (ended != IpcStatus.Ok)
            RaiseClosed(ended, onPool);
    }

    /// <summary>This side was shut down: if it is not lent, its own leader is to hand it out, to be disposed.</summary>
    private void TellListener()
    {
        if (!IsGone)
            Notify();
    }

    private bool CompareLease(int from, int to) => Atomic.CompareExchange(ref _lease, to, from) == from;

    private void DisposeServerSide()
    {
        if (Atomic.Exchange(ref _answered, 1) == 0)
            RefuseAnswered("The server closed the connection without accepting it.", overwrites: false);
        Atomic.Exchange(ref _lease, LeaseGone);
        Shutdown(CloseCode.Normal);
        ((IRingLink)this).WakeReader(); // one that is awaited
        bool quiet = CloseEnds();
        Free(_view, quiet);
        _listener!.Forget(this, quiet);
    }
}
