using System;
using System.Diagnostics;
using System.Threading;

namespace Ipc;

/// <summary>Raises <see cref="RingEnd.PeerChanged"/>: a thread that sleeps on the region's change waiter.</summary>
internal sealed unsafe class PeerEvents
{
    private readonly RingEnd _end;
    private EventHandler<PeerChangedEventArgs>? _handlers;
    private bool _started;

    public PeerEvents(RingEnd end) => _end = end;

    /// <summary>The thread starts with the first handler, not before: it would tell nobody who is there.</summary>
    public void Add(EventHandler<PeerChangedEventArgs> handler)
    {
        _handlers += handler;
        if (_started || !_end.View.TryUse()) // the thread gives it back
            return;
        _started = true;
        OwnThread.Start(new Thread(Run) { IsBackground = true, Name = "ipc-peer-events" });
    }

    public void Remove(EventHandler<PeerChangedEventArgs> handler) => _handlers -= handler;

    private void Run()
    {
        try
        {
            Watch();
        }
        finally
        {
            _end.View.Unuse();
        }
    }

    private void Watch()
    {
        IRingLink link = _end.Link;
        PeerState state = PeerState.NeverAttached;
        int processId = 0, generation = 0;
        ulong announcedAt = 0;
        while (!_end.Control.IsClosed)
        {
            link.WatchPeer();
            uint announced = Waiter.Announce(link.Change);
            if (_end.Control.IsClosed)
                return;

            PeerState now = link.Peer;
            link.IdentifyPeer(out int nowId, out int nowGeneration);
            // One that leaves between the two looks is not told of as one that came: it is Left at the next look, and
            // who has made it so signals.
            bool live = now == PeerState.Live;
            bool same = live
                ? nowId == 0 || (state == now && nowId == processId && nowGeneration == generation)
                : now == state;
            if (same)
            {
                ulong until = WaitControl.NextLook(ulong.MaxValue, Deadline.Never, ref announcedAt);
                Os.Current.Sleep(&link.Change->Word, link.Change->Asleep, announced, until);
                continue;
            }

            state = now;
            if (live)
                (processId, generation) = (nowId, nowGeneration);
            Raise(new PeerChangedEventArgs(state, processId, generation));
        }
    }

    private void Raise(PeerChangedEventArgs change)
    {
        try
        {
            _handlers?.Invoke(_end, change);
        }
#pragma warning disable CA1031 // a handler's failure is its author's; the thread lives on for the other handlers
        catch (Exception error)
#pragma warning restore CA1031
        {
            Trace.TraceError("A PeerChanged handler threw: " + error);
        }
    }
}
