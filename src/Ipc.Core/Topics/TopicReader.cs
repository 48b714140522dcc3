using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc;

/// <summary>Reads all messages of a topic, in the order of the topic.</summary>
/// <remarks>
/// <para>For one thread at a time. It allocates nothing except when its buffer grows.</para>
/// <para>The reader stands at a position of its own and looks at the state word of the slot there. Where writers wait
/// for it, it reads in place and says with its cursor how far it is done <c>[cursor]</c>. Where they do not (a lossy
/// reader; any reader before the tail that it joined at), it copies the message and then looks whether the word is
/// still the same: only then is the copy a message <c>[overwrite]</c>.
/// </para>
/// <para>A reader that may be evicted reads in place too, so it may see bytes of a message that overwrites the one it
/// reads. It cannot prevent that, but it learns it: <see cref="Release"/> says whether everything since the last
/// release was whole. (A message longer than a block may have lost its memory meanwhile. It reads as zeros then; but
/// with a full file system the access is a fault, SIGBUS: SECURITY.md.)
/// </para>
/// </remarks>
public sealed unsafe partial class TopicReader : TopicEnd
{
    private readonly byte* _slots;
    private readonly WaiterWords* _data; // its address alone, which is good after the end of the mapping too
    private readonly ulong _mask;
    private readonly ulong _stride;
    private readonly int _lapShift;
    private readonly ulong _count;
    private readonly uint _blockSize;
    private readonly uint _participants;
    private readonly TopicReaderEntry* _seat;
    private readonly TopicWriter? _ignored;
    private readonly uint _ignoredOwner; // its index + 1; 0 none
    private uint _seatState;             // the word of our place since we joined; another: evicted
    private ulong _joined;               // writers wait for us from here on, if they do at all
    private ulong _inPlaceFrom;          // the same, or never
    private ulong _position;             // ours alone
    private ulong _cursor;               // what is before it is done with

    private TopicReader(Region region, TopicEntrance entrance, TopicOptions options, TopicReaderOptions own)
        : base(region, entrance, options)
    {
        Policy = own.Policy;
        _slots = region.Base + Geometry.SlotsOffset;
        _data = &Header->Data;
        _mask = Geometry.SlotCount - 1;
        _stride = Geometry.Stride;
        _lapShift = Geometry.LapShift;
        _count = Geometry.SlotCount;
        _blockSize = Geometry.BlockSize;
        _participants = (uint)Geometry.Participants;
        _seat = Seat(region.Index);
        _ignored = own.IgnoreWriter;
        _ignoredOwner = _ignored is null ? 0 : (uint)_ignored.Index + 1;
        _latest = Policy == TopicPolicy.Latest ? new ConflationTable() : null;
        Begin(StartOf(own.Join));
    }

    /// <summary>What happens when it is too slow.</summary>
    public TopicPolicy Policy { get; }

    /// <summary>How many messages it has lost: overwritten before it read them, or missed between being cut off and
    /// rejoining (counted when it rejoins).</summary>
    public long Lost => (long)_lost;

    /// <summary>How many messages it has skipped because there was a newer one with the same key.</summary>
    public long Conflated => (long)_conflated;

    private protected override bool HasSpanOut => Policy <= TopicPolicy.Evict && _position != _cursor;

    /// <summary>Opens a reader of the topic <paramref name="name"/>, or creates the topic.</summary>
    /// <exception cref="IpcException">It cannot be opened; see <see cref="IpcException.Status"/>. InvalidArgument: the
    /// topic does not allow that policy.</exception>
    public static TopicReader Open(
        string name,
        TopicOptions? options = null,
        TopicReaderOptions? reader = null,
        CancellationToken cancellationToken = default)
    {
        options ??= new TopicOptions();
        reader ??= new TopicReaderOptions();
        TopicEntrance entrance = EntranceOf(options, reader);
        return From(OpenRegion(name, entrance, options, cancellationToken), entrance, options, reader);
    }

    /// <summary>Opens the topic <paramref name="name"/> if it exists; never creates it, whatever the options say. The
    /// options say how long to wait for it.</summary>
    /// <returns>False if there is none.</returns>
    /// <exception cref="IpcException">It exists but cannot be opened; see
    /// <see cref="IpcException.Status"/>.</exception>
    public static bool TryOpen(
        string name,
        [NotNullWhen(true)] out TopicReader? topicReader,
        TopicOptions? options = null,
        TopicReaderOptions? reader = null,
        CancellationToken cancellationToken = default)
    {
        options ??= new TopicOptions();
        reader ??= new TopicReaderOptions();
        TopicEntrance entrance = EntranceOf(options, reader);
        Region? region = TryOpenRegion(name, entrance, options, cancellationToken);
        topicReader = region is null ? null : From(region, entrance, options, reader);
        return topicReader is not null;
    }

    private static TopicEntrance EntranceOf(TopicOptions options, TopicReaderOptions reader)
    {
        if (reader.Policy is < TopicPolicy.Reliable or > TopicPolicy.Latest ||
            reader.Join is < TopicJoin.Newest or > TopicJoin.LastValue)
        {
            Throw.Status(
                IpcStatus.InvalidArgument,
                $"A reader of policy {reader.Policy} that joins at {reader.Join} was asked for; there is no such " +
                "thing.");
        }

        return TopicEntrance.ForReader(options, reader.Policy);
    }

    private static TopicReader From(
        Region region, TopicEntrance entrance, TopicOptions options, TopicReaderOptions reader)
    {
        TopicReader opened = new(region, entrance, options, reader);
        if (reader.IgnoreWriter is { } ignored && !ignored.IsOf(region))
        {
            opened.Dispose();
            Throw.Status(
                IpcStatus.InvalidArgument, $"The writer to ignore is closed, or of another topic than {region.Path}.");
        }

        TopicMetrics.Add(opened);
        return opened;
    }

    /// <summary>Reads the next message. It may be called again before <see cref="Release"/>, to read ahead.</summary>
    /// <returns>Ok; Empty; Evicted: a writer has cut this reader off (<c>message.Lost</c> says how many it misses), see
    /// <see cref="Rejoin"/>; Closed. Never blocks.</returns>
    /// <exception cref="CorruptRegionException">A participant has written an invalid message.</exception>
    [MethodImpl(Tiering.Optimized)]
    public IpcStatus TryRead(out TopicMessage message)
    {
        ulong position = _position;
        if (Enter() && position >= _inPlaceFrom)
        {
            SlotHeader* slot = SlotAt(position);
            ulong word = Atomic.LoadAcquire(ref slot->State); // [ready-slot]
            uint owner = SlotState.OwnerOf(word);
            if ((word & ~SlotState.OwnerMask) == SlotState.At(position, _lapShift, 0, SlotState.Ready) &&
                owner != _ignoredOwner && owner - 1 < _participants &&
                Atomic.LoadAcquire(ref _seat->State) == _seatState)
            {
                ulong description = Atomic.LoadAcquire(ref *(ulong*)&slot->Length); // length, type and flags, once
                byte* payload = description >> FlagsShift == SlotHeader.LoanFlag
                    ? LoanInPlace(slot, word, (uint)description)
                    : (uint)description <= _blockSize && description >> FlagsShift == 0 ? (byte*)(slot + 1) : null;
                if (payload != null)
                {
                    _position = position + 1;
                    message = new TopicMessage(
                        new ReadOnlySpan<byte>(payload, (int)(uint)description),
                        (ushort)(description >> TypeShift),
                        slot->Key,
                        position,
                        0,
                        (int)owner - 1);
                    Leave();
                    FaultPoints.Pass(FaultPoints.TopicReadDone);
                    return IpcStatus.Ok;
                }
            }
        }

        return TryReadSlow(out message);
    }

    /// <summary>Reads the next message, waiting for it if there is none.</summary>
    /// <returns>Ok; Timeout; Stopped; Cancelled; Closed; Evicted. It also waits while there are no writers.</returns>
    /// <exception cref="CorruptRegionException">A participant has written an invalid message.</exception>
    [MethodImpl(Tiering.Optimized)]
    public IpcStatus Read(out TopicMessage message, Deadline deadline, CancellationToken cancellationToken = default)
    {
        IpcStatus status = TryRead(out message);
        return status == IpcStatus.Empty ? ReadWaiting(deadline, cancellationToken, out message) : status;
    }

    /// <summary>Reads the next message, waiting for it no longer than <paramref name="timeout"/>. It reads the clock
    /// only if it has to wait. See <see cref="Read(out TopicMessage, Deadline, CancellationToken)"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative, and not
    /// <c>Timeout.InfiniteTimeSpan</c>.</exception>
    [MethodImpl(Tiering.Optimized)]
    public IpcStatus Read(out TopicMessage message, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        IpcStatus status = TryRead(out message);
        return status == IpcStatus.Empty
            ? ReadWaiting(Deadline.After(timeout), cancellationToken, out message)
            : status;
    }

    /// <summary>Waits until a message can be read, or this reader has been cut off (Ok), without reading it. Results as
    /// <see cref="Read(out TopicMessage, Deadline, CancellationToken)"/>.</summary>
    public IpcStatus Wait(Deadline deadline, CancellationToken cancellationToken = default)
    {
        try
        {
            if (!Enter())
                return IpcStatus.Closed;
            DataCondition condition = new(this);
            return Control.Wait(ref condition, &Header->Data, deadline, cancellationToken, Lag, _position);
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>Waits until a message can be read, or this reader has been cut off (Ok), no longer than
    /// <paramref name="timeout"/>. It reads the clock only if it has to wait. See
    /// <see cref="Wait(Deadline, CancellationToken)"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative, and not
    /// <c>Timeout.InfiniteTimeSpan</c>.</exception>
    public IpcStatus Wait(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        IpcStatus status = Wait(Deadline.Now, cancellationToken);
        return status == IpcStatus.Timeout ? Wait(Deadline.After(timeout), cancellationToken) : status;
    }

    /// <summary>Releases all messages read so far: writers may overwrite them.</summary>
    /// <returns>Ok; Evicted: messages read since the last release may have been overwritten while they were read, so do
    /// not trust them; Closed.</returns>
    [MethodImpl(Tiering.Optimized)]
    public IpcStatus Release()
    {
        IpcStatus status = IpcStatus.Closed;
        if (Enter())
        {
            FaultPoints.Pass(FaultPoints.TopicReleaseBeforeCursor);
            ulong before = _cursor;
            _cursor = _position;
            StoreCursor(before);
            FaultPoints.Pass(FaultPoints.TopicReleaseAfterCursor);
            Atomic.FenceLoads(); // [overwrite] everything that was read, before the look at whether it was ours to read
            if (Atomic.LoadAcquire(ref _seat->State) == _seatState)
            {
                status = IpcStatus.Ok;
            }
            else
            {
                _cursor = before; // the rest counts as missed
                status = IpcStatus.Evicted;
            }
        }

        Leave();
        return status;
    }

    /// <summary>Joins again at the chosen message: for a reader that was cut off, or that wants to skip messages.
    /// Unreleased messages are released.</summary>
    /// <returns>Ok; Closed.</returns>
    public IpcStatus Rejoin(TopicJoin join = TopicJoin.Newest)
    {
        try
        {
            if (!Enter())
                return IpcStatus.Closed;
            ulong released = _cursor;
            bool evicted = Atomic.LoadAcquire(ref _seat->State) != _seatState;
            TopicKind.JoinAgain(Region);
            ulong start = StartOf(join);
            if (evicted)
                AddLost(released, start);
            Begin(start);
            return IpcStatus.Ok;
        }
        finally
        {
            Leave();
        }
    }

    private SlotHeader* SlotAt(ulong position) => (SlotHeader*)(_slots + (position & _mask) * _stride);

    /// <summary>Says how far this reader is done; never before where it joined, which is as far back as writers wait
    /// for it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void StoreCursor(ulong before)
    {
        if (_cursor < _joined)
            return;
        Atomic.StoreRelease(ref _seat->Cursor, _cursor); // [cursor]
        if (_inPlaceFrom == _joined && Waiter.NeedsSignal(&Header->Space))
            SignalSpace(before);
    }
}
