using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc;

/// <summary>The common base of the writer and the reader of a ring.</summary>
/// <remarks>
/// <para>One thread at a time may use a writer or reader; any thread may call <see cref="Stop"/>, <see cref="Resume"/>,
/// <see cref="Peer"/> and Dispose.</para>
/// <para>A call that is under way while another thread disposes is let finish (<see cref="CallGate"/>). A thread that
/// holds a span (an open claim, a record that is not released) is outside but not done: then the memory is left to the
/// garbage collector instead of being unmapped.</para>
/// <para>After Dispose the contents of spans are undefined, but their memory stays valid if it was not released or
/// committed before. A writer or reader that is garbage collected without Dispose while a span is in use keeps its
/// memory until the process ends.</para>
/// </remarks>
public abstract unsafe partial class RingEnd : IDisposable
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
        bool isAtDoorbell = !isWriter && !link.WakesReader;
        Control = new WaitControl(
            style,
            isWriter ? &Header->Space : isAtDoorbell ? null : &Header->Data,
            link.Change,
            place: link,
            wakeElsewhere: isAtDoorbell ? link.WakeReader : null,
            shown: isWriter ? &Header->WriterSpin : &Header->ReaderSpin);
        view.AddHolder(() => HasSpanOut);
        Os.Current.Touch(view.Base + geometry.DataOffset, geometry.Present);
    }

    /// <summary>The size of the ring in bytes.</summary>
    public long Capacity => (long)Geometry.Capacity;

    /// <summary>The largest payload: half the capacity less 8, or the loan budget if that is more.</summary>
    public int MaxPayload => (int)Geometry.MaxPayload;

    /// <summary>The state of the other end, as far as it is known. Its death is noticed while this end waits, or when
    /// this property is read. For any thread. Left when this end is closed.</summary>
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

    /// <summary>Whether the other end is attached and this end is open. For the thread that uses this end: it is
    /// cheaper than <see cref="Peer"/>, so it may be checked before each message.</summary>
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

    /// <summary>Raised when the other end attaches, leaves or dies. Handlers run on a background thread of this object,
    /// which starts with the first subscriber; their exceptions are traced. It is not raised for connections: see
    /// <c>Connection.Closed</c>.</summary>
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

    /// <summary>All waits of this end return <see cref="IpcStatus.Stopped"/>, now and until <see cref="Resume"/>. Calls
    /// that need not wait still work.</summary>
    public void Stop()
    {
        Control.Stop(_view);
        _link.WakeReader();
    }

    /// <summary>Lets waits work again after <see cref="Stop"/>.</summary>
    public void Resume() => Control.Resume();

    /// <summary>Waits until the other end is attached and alive. A reader also returns when there is something to read,
    /// even if the writer has gone again. For a connection it returns at once: Ok, or PeerClosed or PeerDied.</summary>
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

    /// <summary>Waits until the other end is attached and alive, no longer than <paramref name="timeout"/>. It reads
    /// the clock only if it has to wait. See <see cref="WaitForPeer(Deadline, CancellationToken)"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative, and not
    /// <c>Timeout.InfiniteTimeSpan</c>.</exception>
    public IpcStatus WaitForPeer(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        IpcStatus status = WaitForPeer(Deadline.Now, cancellationToken);
        return status == IpcStatus.Timeout ? WaitForPeer(Deadline.After(timeout), cancellationToken) : status;
    }

    /// <summary>Leaves the ring. Waits of other threads return <see cref="IpcStatus.Closed"/>. Unpublished records are
    /// dropped, unreleased ones stay in the ring. Later calls have no effect, and waits return Closed. It may be called
    /// on any thread. Disposing an end of a connection closes the connection.</summary>
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

        public bool BeforeSleep() => true;
    }
}
