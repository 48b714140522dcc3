using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc;

/// <summary>What both ends of a ring have in common: the peer, stopping, closing.</summary>
/// <remarks>
/// <para>An end is for one thread at a time; <see cref="Stop"/>, <see cref="Resume"/>, <see cref="Peer"/> and Dispose
/// are for any thread at any time.</para>
/// <para>A call that is under way while another thread disposes is let finish (<see cref="CallGate"/>). A thread that
/// holds a span (an open claim, a record that is not released) is outside but not done: then the memory is left to the
/// garbage collector instead of being unmapped.</para>
/// <para>Dispose ends every span: what one reads afterwards means nothing, but its memory never becomes invalid as long
/// as it was not released or committed before. An end that is dropped without Dispose while a span is out keeps its
/// memory until the process ends.</para>
/// </remarks>
public abstract unsafe class RingEnd : IDisposable
{
    private readonly IRingLink _link;
    private readonly MappedView _view;
    private CallGate _gate;
    private PeerEvents? _events;

    private protected RingEnd(IRingLink link, MappedView view, in RingGeometry geometry, WaitStyle style, bool isWriter)
    {
        _link = link;
        _view = view;
        Geometry = geometry;
        Header = (RingHeader*)(view.Base + geometry.HeaderOffset);
        Control = new WaitControl(
            style, isWriter ? &Header->Space : link.WakesReader ? &Header->Data : null, link.Change, place: link);
        view.AddHolder(() => HasSpanOut);
        Os.Current.Touch(view.Base + geometry.DataOffset, geometry.Capacity);
    }

    /// <summary>Bytes for records.</summary>
    public long Capacity => (long)Geometry.Capacity;

    /// <summary>The largest payload: half the capacity less 8, or the loan budget if that is more.</summary>
    public int MaxPayload => (int)Geometry.MaxPayload;

    /// <summary>The other end, as far as is known now. Its death is noticed while this end waits, or asks here now and
    /// then. Any thread. Left when this end is closed.</summary>
    public PeerState Peer
    {
        get
        {
            if (!_view.TryUse())
                return PeerState.Left;
            try
            {
                _link.WatchPeer();
                return _link.Peer;
            }
            finally
            {
                _view.Unuse();
            }
        }
    }

    /// <summary>The other end is there and this one is open. For the thread that uses this end and asks before each
    /// message: unlike <see cref="Peer"/> it takes no reference, and looks at memory that rarely changes.</summary>
    public bool IsPeerLive
    {
        [MethodImpl(Tiering.Optimized)]
        get
        {
            bool live = Enter() && !Control.IsClosed && _link.Peer == PeerState.Live;
            Leave();
            return live;
        }
    }

    /// <summary>The other end came, left or died. Raised on a background thread of this end, which exists once somebody
    /// has subscribed and sleeps otherwise. What a handler throws is traced and goes no further. Ends of a connection
    /// raise none: see <c>Connection.Closed</c>.</summary>
    public event EventHandler<PeerChangedEventArgs> PeerChanged
    {
        add
        {
            lock (Control)
            {
                if (_link.Change == null)
                    return;
                _events ??= new PeerEvents(this);
                _events.Add(value);
            }
        }

        remove
        {
            lock (Control)
                _events?.Remove(value);
        }
    }

    internal IRingLink Link => _link;

    internal MappedView View => _view;

    internal RingGeometry Geometry { get; }

    internal WaitControl Control { get; }

    private protected RingHeader* Header { get; }

    /// <summary>There is something to read, whatever became of who wrote it.</summary>
    private protected virtual bool HasRecord => false;

    /// <summary>This end holds a span that its user may still touch.</summary>
    private protected abstract bool HasSpanOut { get; }

    /// <summary>All waits of this end return <see cref="IpcStatus.Stopped"/>, now and until resumed; what needs no
    /// waiting still works.</summary>
    public void Stop()
    {
        Control.Stop(_view);
        _link.WakeReader();
    }

    /// <summary>Waits work again.</summary>
    public void Resume() => Control.Resume();

    /// <summary>Waits until a live peer is attached; a reader also returns when there is something to read, from a
    /// writer that has come and is gone already. Ends of a connection: Ok, or what became of the peer.</summary>
    public IpcStatus WaitForPeer(Deadline deadline, CancellationToken cancellationToken = default)
    {
        try
        {
            if (!Enter())
                return IpcStatus.Closed;
            if (_link.Change == null)
                return StatusOf(_link.Peer);
            PeerCondition condition = new(this);
            return Control.Wait(ref condition, _link.Change, deadline, cancellationToken);
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>Leaves. Waits of other threads return <see cref="IpcStatus.Closed"/> first. Unpublished records are
    /// dropped, unreleased ones stay in the ring. Later calls do nothing: reads find nothing, waits return Closed. Any
    /// thread. An end of a connection closes the connection.</summary>
    public void Dispose()
    {
        _link.DisposeEnd();
        GC.SuppressFinalize(this);
    }

    /// <summary>Closes this end without leaving. True when nobody is inside or holds a span: the memory may be
    /// unmapped.</summary>
    internal bool Close()
    {
        if (!_view.TryUse())
            return true;
        try
        {
            return _gate.Close(Control) && !HasSpanOut;
        }
        finally
        {
            _view.Unuse();
        }
    }

    /// <summary>Ok, PeerClosed or PeerDied.</summary>
    [MethodImpl(Tiering.Optimized)]
    internal static IpcStatus StatusOf(PeerState peer) => peer switch
    {
        PeerState.Left => IpcStatus.PeerClosed,
        PeerState.Died => IpcStatus.PeerDied,
        _ => IpcStatus.Ok,
    };

    /// <summary>Whether waiting has a point; watched from now on.</summary>
    [MethodImpl(Tiering.Optimized)]
    private protected IpcStatus PeerStatus()
    {
        _link.WatchPeer();
        return StatusOf(_link.Peer);
    }

    /// <summary>The same from a thread that is not inside a call of this end.</summary>
    private protected IpcStatus PeerStatusFromOutside()
    {
        try
        {
            // closed: that ends the wait, and the memory that says what became of the peer may be gone
            return Enter() ? PeerStatus() : IpcStatus.Ok;
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>Begins a call; false when this end is closed. Leave in either case.</summary>
    private protected bool Enter() => _gate.Enter();

    private protected void Leave() => _gate.Leave();

    /// <summary>Throws; a connection is closed first.</summary>
    private protected void Corrupted(string what)
    {
        _link.Corrupted(what);
        Throw.Corrupt(
            "The ring holds " + what + ". The peer is faulty or hostile: end it and make a new ring or connection.");
    }

    private readonly struct PeerCondition : IWaitCondition
    {
        private readonly RingEnd _end;

        public PeerCondition(RingEnd end) => _end = end;

        public ulong LongestSleep => ulong.MaxValue;

        // First [close], then [publish]: who has died by the first look has published by the second.
        public bool IsTrue() => _end._link.Peer == PeerState.Live || _end.HasRecord;

        [MethodImpl(Tiering.Optimized)]
        public IpcStatus PeerStatus()
        {
            _end._link.WatchPeer();
            return IpcStatus.Ok; // another one may come
        }

        public void BeforeSleep()
        {
        }
    }
}
