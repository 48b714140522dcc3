using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc;

/// <summary>A queue between any number of processes: each message is received by one of them, and by one only while
/// nobody dies.</summary>
/// <remarks>
/// <para>Any thread may use one object, any number at a time. Nothing is allocated per message. What a process holds
/// when it dies, unsent or unreleased, is undone: an unsent message was never there, an unreleased one comes again,
/// flagged. A process that is merely slow, or stopped, holds up nobody else's messages.</para>
/// <para>
/// The queue is a ring of slots, and the 64-bit word in each slot is the only truth about it (docs/wire-format.md
/// sections 8 and 9): a sender takes the slot at the tail by a CAS from Free to Writing, fills it, and makes it Ready
/// <c>[ready-slot]</c>; a receiver takes it by a CAS to Reading <c>[take]</c>, and when it has done makes it Free for
/// the next lap <c>[free-slot]</c>. Tail and head are hints that everybody helps along. The owner stands in the word,
/// so the living can clean up for the dead; and the lap, so whoever comes late changes nothing.
/// </para>
/// <para>
/// A thread may be inside a call while another disposes the object, and what it is about to do would then be done in
/// the name of a participant that has left. So whoever has taken a slot looks at <c>_closed</c> afterwards, and gives
/// it back if it is set; Dispose sets it before it looks at the slots. The CAS and Dispose's fence are full barriers:
/// one of the two sees the other. The memory cannot be unmapped under such a thread either: it is left to the garbage
/// collector, and every call keeps this object alive to its end.
/// </para>
/// <para>
/// A slot that is given back while somebody still copies into it would spoil the message of whoever has it next. So a
/// call that copies marks its slot, before it looks at <c>_closed</c>, and Dispose, after a barrier in every thread of
/// the process, waits until no slot of ours is marked. Claims in the hands of the user get a few milliseconds, should
/// their commit be under way; after that they are undone.
/// </para>
/// <para>Dispose ends every span: what one reads afterwards means nothing, but its memory never becomes invalid as long
/// as it was not released or committed before. A queue that is dropped without Dispose keeps its memory until the
/// process ends.</para>
/// </remarks>
public sealed unsafe partial class SharedQueue : IDisposable
{
    private const int CopyPatienceMilliseconds = 1000, ClaimPatienceMilliseconds = 10;

    private readonly Region _region;
    private readonly QueueGeometry _geometry;
    private readonly Pool? _pool;
    private readonly QueueHeader* _header;
    // this and the next: addresses alone, which are good after the end of the mapping too
    private readonly WaiterWords* _data;
    private readonly WaiterWords* _space;
    private readonly QueueSegmentHeader* _segments; // their headers
    private readonly QueueSegmentHeader* _only;     // if there can be only one; null otherwise
    private readonly byte* _slots;                  // of segment 0
    private readonly ulong _segmentStride;
    private readonly ulong _stride;
    private readonly ulong _mask;
    private readonly int _shift;
    private readonly uint _blockSize;
    private readonly uint _limit;                   // how many segments there can be
    private readonly uint _me;                      // our owner number: participant index + 1
    private readonly ulong _writing;                // the owner and phase of a slot that we write
    private readonly ulong _reading;
    private readonly ulong _prepareMask;            // claims of such positions look whether the next segment is due
    private readonly Attachment _place;
    private readonly StreamLag _sendingLag;
    private readonly StreamLag _receivingLag;
    private readonly bool _isSingleThreaded;        // promised
    private int _waiting;                           // debug, and promised: a thread waits
    private int _closed;
    // who is dropped without Dispose keeps its memory: nobody counts what is handed out
    private bool _mayHaveSpanOut = true;
    private int _orphanHint;                        // where the last orphan was found

    private SharedQueue(Region region, QueueRules rules, QueueOptions options)
    {
        _region = region;
        _geometry = rules.Geometry;
        _pool = rules.Pool;
        _header = (QueueHeader*)region.Body;
        _data = &_header->Data;
        _space = &_header->Space;
        _segments = (QueueSegmentHeader*)(region.Body + QueueHeader.ByteSize);
        _limit = _geometry.SegmentLimit;
        _only = _limit == 1 ? _segments : null;
        _slots = region.Base + _geometry.SegmentsOffset;
        _segmentStride = _geometry.SegmentStride;
        _stride = _geometry.Stride;
        _mask = _geometry.SlotCount - 1;
        _shift = _geometry.SlotShift;
        _blockSize = _geometry.BlockSize;
        _me = (uint)region.Index + 1;
        _writing = SlotState.Of(0, _me, SlotState.Writing);
        _reading = SlotState.Of(0, _me, SlotState.Reading);
        _prepareMask = Math.Max(_geometry.SlotCount / 8, 1) - 1;
        _isSingleThreaded = options.SingleThreaded;
        _sendingLag = new StreamLag(options.WaitMode, (ulong)options.SpinLimit.Ticks * 100, _geometry.SlotCount);
        _receivingLag = new StreamLag(options.WaitMode, (ulong)options.SpinLimit.Ticks * 100, _geometry.SlotCount);
        region.View.AddHolder(() => _mayHaveSpanOut);
        Os.Current.Touch(_slots, _segmentStride); // the first segment; others when they are linked
        WaitControl control = new(
            options.WaitMode,
            &_header->Data,
            &_header->Space,
            &region.Header->Change,
            (ulong)options.SpinLimit.Ticks * 100);
        _place = new Attachment(region, control);
    }

    /// <summary>Payload bytes of a block: messages up to this length travel in the queue itself, longer ones as
    /// loans.</summary>
    public int BlockSize => (int)_blockSize;

    /// <summary>The longest message.</summary>
    public int MaxPayload => (int)(_pool is null ? _blockSize : Math.Max(_blockSize, _pool.MaxLength));

    /// <summary>A participant attached, left or died. Raised on a background thread of this object, which exists once
    /// somebody has subscribed and sleeps otherwise; it begins with those who are there. What a handler throws is
    /// traced and goes no further.</summary>
    public event EventHandler<ParticipantChangedEventArgs> ParticipantChanged
    {
        add => _place.Subscribe(this, value);
        remove => _place.Unsubscribe(value);
    }

    internal string Name => _region.Name;

    /// <summary>Opens the queue <paramref name="name"/>, or creates it.</summary>
    /// <exception cref="IpcException">Why not; see <see cref="IpcException.Status"/>. TableFull: all places for
    /// participants are taken.</exception>
    public static SharedQueue Open(
        string name, QueueOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= new QueueOptions();
        RegionName.Check(name);
        if (options.SpinLimit < TimeSpan.Zero)
            Throw.Status(
                IpcStatus.InvalidArgument,
                $"A spin limit of {options.SpinLimit} was asked for; it cannot be negative.");
        QueueRules rules = new(options);
        Region region = Region.Open(
            name, rules, options.OpenMode, Deadline.After(options.OpenTimeout), cancellationToken);
        var queue = new SharedQueue(region, rules, options);
        QueueMetrics.Add(queue);
        return queue;
    }

    /// <summary>Waits until something can be received (Ok), without taking it: another receiver may be
    /// faster.</summary>
    /// <returns>Ok; Timeout; Stopped; Cancelled; Closed.</returns>
    public IpcStatus Wait(Deadline deadline, CancellationToken cancellationToken = default)
    {
        DataCondition condition = new(this, takes: false);
        IpcStatus status = WaitFor(ref condition, &_header->Data, deadline, cancellationToken);
        GC.KeepAlive(this);
        return status;
    }

    /// <summary>All waits of this object return <see cref="IpcStatus.Stopped"/>, now and until resumed; what needs no
    /// waiting still works.</summary>
    public void Stop() => _place.Stop();

    /// <summary>Waits work again.</summary>
    public void Resume() => _place.Resume();

    /// <summary>Gives the memory of loans that are not in use back to the system.</summary>
    public void TrimLoans()
    {
        if (_pool is not null && Atomic.LoadAcquire(ref _closed) == 0)
        {
            _pool.Trim(_me);
            Waiter.Signal(&_header->Space); // who waits for a loan
        }

        GC.KeepAlive(this);
    }

    /// <summary>Who has the queue open now, this object included; none when it is closed.</summary>
    public ParticipantInfo[] GetParticipants() => _place.GetParticipants();

    /// <summary>What the queue is and has been through. Also after Dispose.</summary>
    public QueueInfo GetInfo()
    {
        QueueHeader* header = _header;
        uint segments = Math.Min(Atomic.LoadAcquire(ref header->Segments), _limit);
        long depth = 0;
        for (uint i = 0; i < segments; i++)
            depth += Math.Max(
                0, (long)(Atomic.LoadAcquire(ref _segments[i].Tail) - Atomic.LoadAcquire(ref _segments[i].Head)));
        QueueInfo info = new()
        {
            BlockSize = (int)_blockSize,
            BlockCount = (int)_geometry.SlotCount,
            Segments = (int)segments,
            SegmentLimit = (int)_limit,
            Participants = ParticipantInfo.AllOf(_region).Length,
            ParticipantCapacity = _region.Geometry.ParticipantCapacity,
            Depth = depth,
            Redelivered = (long)Atomic.LoadAcquire(ref header->Redelivered),
            Dropped = (long)Atomic.LoadAcquire(ref header->Dropped),
            GrowthFailures = (int)Atomic.LoadAcquire(ref header->GrowthFailures),
            LoanBudget = _pool is null ? 0 : (long)_pool.Geometry.Budget,
            LoansPresent = _pool is null ? 0 : (long)_pool.PresentBytes(),
            LoansExhausted = _pool is null ? 0 : (long)_pool.Exhausted,
        };
        GC.KeepAlive(this);
        return info;
    }

    /// <summary>Leaves. Waits of other threads return <see cref="IpcStatus.Closed"/>. Claims that are open are undone,
    /// messages that are not released become available again, flagged; their spans must not be used any more. Later
    /// calls do nothing: nothing is sent or received, waits return Closed. Any thread.</summary>
    public void Dispose()
    {
        if (Atomic.Exchange(ref _closed, 1) != 0) // a full barrier: see the remarks
            return;
        QueueMetrics.Remove(this);
        _place.Control.End(IpcStatus.Closed);
        if (!_isSingleThreaded)
            WaitForSends();
        _mayHaveSpanOut = HoldsSlots();
        _place.Leave();
        _region.View.LeaveToCollector((long)(_geometry.SegmentsOffset + _segmentStride));
        GC.KeepAlive(this);
    }

    private IpcStatus WaitFor<TCondition>(
        ref TCondition condition,
        WaiterWords* waiter,
        Deadline deadline,
        CancellationToken cancellationToken,
        StreamLag? lag = null,
        ulong progress = 0)
        where TCondition : struct, IWaitCondition
    {
        CheckPromise();
        try
        {
            return _place.Control.Wait(ref condition, waiter, deadline, cancellationToken, lag, progress);
        }
        finally
        {
            EndPromise();
        }
    }

    [Conditional("DEBUG")]
    private void CheckPromise()
    {
        if (_isSingleThreaded && Atomic.Exchange(ref _waiting, 1) != 0)
            throw new InvalidOperationException("This queue was opened for a single thread, and another waits.");
    }

    [Conditional("DEBUG")]
    private void EndPromise() => Atomic.StoreRelease(ref _waiting, 0);

    private void WaitForSends()
    {
        bool fenced = Atomic.TryFenceProcess();
        Deadline copies = Deadline.FromMilliseconds(CopyPatienceMilliseconds);
        Deadline claims = Deadline.FromMilliseconds(ClaimPatienceMilliseconds);
        for (int attempt = 0; IsWriting(out bool marked) && !(marked || !fenced ? copies : claims).HasPassed; attempt++)
            ClosePause.Take(attempt);
    }

    /// <summary>There are slots that this object has claimed; <paramref name="marked"/>: and copies into.</summary>
    private bool IsWriting(out bool marked)
    {
        bool writing = false;
        marked = false;
        uint segments = Math.Min(Atomic.LoadAcquire(ref _header->Segments), _limit);
        for (uint segment = 0; segment < segments; segment++)
        {
            for (uint index = 0; index < _geometry.SlotCount; index++)
            {
                SlotHeader* slot = SlotAt(segment, index);
                if ((Atomic.LoadAcquire(ref slot->State) & (SlotState.OwnerMask | SlotState.PhaseMask)) != _writing)
                    continue;
                writing = true;
                marked |= Atomic.LoadAcquire(ref slot->Length) == InFlight;
            }
        }

        return writing;
    }

    /// <summary>There are slots that this object has claimed or received: their spans are in somebody's
    /// hands.</summary>
    private bool HoldsSlots()
    {
        uint segments = Math.Min(Atomic.LoadAcquire(ref _header->Segments), _limit);
        for (uint segment = 0; segment < segments; segment++)
        {
            for (uint index = 0; index < _geometry.SlotCount; index++)
            {
                ulong holder = Atomic.LoadAcquire(
                    ref SlotAt(segment, index)->State) & (SlotState.OwnerMask | SlotState.PhaseMask);
                if (holder == _writing || holder == _reading)
                    return true;
            }
        }

        return false;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private SlotHeader* SlotAt(uint segment, ulong position) =>
        (SlotHeader*)(_slots + segment * _segmentStride + (position & _mask) * _stride);

    /// <summary>The segment of a turn; throws when there is none of that number.</summary>
    private uint SegmentOf(ulong turn)
    {
        uint segment = QueueTurn.SegmentOf(turn);
        if (segment >= _limit)
            Corrupted($"segment {segment} of {_limit} in turn 0x{turn:X}");
        return segment;
    }

    private void Corrupted(string what) =>
        Throw.Corrupt(
            $"The queue {_region.Path} holds {what}. A participant is faulty or hostile: end it and make a new queue.");

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void WakeReceivers()
    {
        if (Waiter.TryTakeSleeper(&_header->Data))
            Waiter.Wake(&_header->Data);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void WakeSenders()
    {
        if (Waiter.TryTakeSleeper(&_header->Space))
            Waiter.Wake(&_header->Space);
    }
}
