using System.Threading;

namespace Ipc;

/// <summary>One end's attachment to a ring region: the link between <see cref="RingEnd"/> and
/// <see cref="Region"/>.</summary>
internal sealed unsafe class RingRegion : IRingLink
{
    private readonly Region _region;
    private readonly RingHeader* _header;
    private readonly bool _isWriter;
    private RingEnd? _end;
    private int _disposed;
    private readonly PeerProcessors _processors;
    private uint _watchedAt;   // the change word at that look
    private int _watchedOwner; // the peer that is watched already, and its generation
    private uint _watchedGeneration;

    private RingRegion(Region region, bool isWriter)
    {
        _region = region;
        _header = (RingHeader*)region.Body;
        _isWriter = isWriter;
        _processors = isWriter
            ? new PeerProcessors(&_header->WriterProcessor, &_header->ReaderProcessor)
            : new PeerProcessors(&_header->ReaderProcessor, &_header->WriterProcessor);
    }

    public PeerState Peer
    {
        get
        {
            // [close]
            uint state = Atomic.LoadAcquire(ref _isWriter ? ref _header->ReaderState : ref _header->WriterState);
            return state <= (uint)PeerState.Died ? (PeerState)state : PeerState.Died;
        }
    }

    public WaiterWords* Change => &_region.Header->Change;

    public bool WakesReader => true;

    public WaiterWords* Doorbell => null;

    public MappedView? DoorbellView => null;

    public static RingWriter OpenWriter(string name, RingOptions options, CancellationToken cancellationToken)
    {
        RingEntrance entrance = new(options, isWriter: true);
        WaitStyle style = Check(name, options);
        return WriterOf(Open(name, options, entrance, cancellationToken), entrance, style);
    }

    public static RingReader OpenReader(string name, RingOptions options, CancellationToken cancellationToken)
    {
        RingEntrance entrance = new(options, isWriter: false);
        WaitStyle style = Check(name, options);
        return ReaderOf(Open(name, options, entrance, cancellationToken), entrance, style);
    }

    /// <summary>Null: there is no such ring.</summary>
    public static RingWriter? TryOpenWriter(string name, RingOptions options, CancellationToken cancellationToken)
    {
        RingEntrance entrance = new(options, isWriter: true);
        WaitStyle style = Check(name, options);
        return TryOpen(name, options, entrance, cancellationToken) is { } region
            ? WriterOf(region, entrance, style)
            : null;
    }

    /// <summary>Null: there is no such ring.</summary>
    public static RingReader? TryOpenReader(string name, RingOptions options, CancellationToken cancellationToken)
    {
        RingEntrance entrance = new(options, isWriter: false);
        WaitStyle style = Check(name, options);
        return TryOpen(name, options, entrance, cancellationToken) is { } region
            ? ReaderOf(region, entrance, style)
            : null;
    }

    public void IdentifyPeer(out int processId, out int generation)
    {
        processId = generation = 0;
        uint owner = Owner;
        if (RingKind.IsLive(_region, owner))
        {
            processId = _region.ProcessOf((int)owner - 1).Pid;
            generation = (int)_region.Entry((int)owner - 1)->Generation;
        }
    }

    public void WatchPeer()
    {
        uint owner = Owner;
        if (!RingKind.IsLive(_region, owner))
            return;

        // before the looks: who gives up in between moves it again
        uint change = Atomic.LoadAcquire(ref _region.Header->Change.Word) & ~WaiterWords.SleeperBit;
        if (_watchedAt != change && _region.HasGivenUp((int)owner - 1))
            _region.RecoverSoon();
        _watchedAt = change;
        uint generation = Atomic.LoadAcquire(ref _region.Entry((int)owner - 1)->Generation);
        if (_watchedOwner == owner && _watchedGeneration == generation)
            return;
        _region.WatchParticipant((int)owner - 1);
        _watchedGeneration = generation;
        _watchedOwner = (int)owner;
    }

    public bool IsPeerHere() => _processors.AreOne();

    public void NotePlace() => _processors.Note();

    public void WakeReader()
    {
        // It sleeps at its data waiter, which has been signalled.
    }

    public bool RelaySignal() => false;

    public void Corrupted(string what)
    {
        // A ring has no way to tell the other side; the exception tells this one.
    }

    public void DisposeEnd()
    {
        if (Atomic.Exchange(ref _disposed, 1) != 0)
            return;

        bool quiet = _end!.Close();
        (_end as RingReader)?.TellRead();
        _region.Leave();
        if (quiet)
            _region.View.Dispose();
        else
            _region.View.LeaveToCollector();
    }

    private uint Owner => Atomic.LoadAcquire(ref _isWriter ? ref _header->Reader : ref _header->Writer);

    private static RingWriter WriterOf(Region region, RingEntrance entrance, WaitStyle style)
    {
        RingRegion link = new(region, isWriter: true);
        RingWriter writer = new(
            link,
            region.View,
            entrance.Geometry,
            style,
            entrance.Position,
            entrance.Free,
            (uint)region.Index + 1);
        link._end = writer;
        return writer;
    }

    private static RingReader ReaderOf(Region region, RingEntrance entrance, WaitStyle style)
    {
        RingRegion link = new(region, isWriter: false);
        RingReader reader = new(
            link, region.View, entrance.Geometry, style, entrance.Position, entrance.RedeliverUntil);
        link._end = reader;
        return reader;
    }

    private static WaitStyle Check(string name, RingOptions options)
    {
        RegionName.Check(name);
        _ = RingGeometry.CheckRequested(options.Capacity);
        _ = PoolGeometry.CheckRequested(options.LoanBudget);
        return WaitStyle.Of(options.WaitMode, options.SpinLimit);
    }

    private static Region Open(
        string name, RingOptions options, RingEntrance entrance, CancellationToken cancellationToken) =>
        Region.Open(name, entrance, options.OpenMode, Deadline.After(options.OpenTimeout), cancellationToken);

    private static Region? TryOpen(
        string name, RingOptions options, RingEntrance entrance, CancellationToken cancellationToken) =>
        Region.TryOpen(name, entrance, Deadline.After(options.OpenTimeout), cancellationToken);
}
