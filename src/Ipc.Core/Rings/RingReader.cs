using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc;

/// <summary>The reading end of a ring: it reads records in place and releases them.</summary>
/// <remarks>
/// <para>One thread at a time may use it. It never allocates. Records that are not released when this process dies are
/// delivered again to the next reader.</para>
/// <para>The reader stands at a position of its own and looks at the header there: 0 means empty, anything else is a
/// record, checked before use, since the writer may be anybody. Releasing says "handled" <c>[release]</c>; the space
/// goes back in bulk, when an eighth of the ring has gathered, or the writer wants it, or this end is about to sleep.
/// Returning means zeroing the first 8 bytes of every line, so that the writer's next lap finds zeros, and then moving
/// the free position <c>[reclaim]</c>. In bulk, because the lines are then no longer in the writer's cache, and the
/// writer looks at the free position once per lap instead of once per record.
/// </para>
/// <para>A record may hold the descriptor of a block of the pool instead of a payload (RingReader.Loans.cs); then the
/// record that the user gets is the block's bytes, in place.
/// </para>
/// </remarks>
public sealed unsafe partial class RingReader : RingEnd
{
    private const int ReturnsPerLap = 8;

    private readonly byte* _records;
    private readonly WaiterWords* _data;    // its address alone, which is good after the end of the mapping too
    private readonly ulong _capacity;
    private readonly ulong _mask;
    private readonly uint _maxInline;
    private ulong _returnAt;                // this much is returned without being asked; nothing while loans are out
    private readonly ulong _redeliverUntil; // records before this may have been handled by a predecessor
    private ulong _position;                // ours alone
    private ulong _released;                // = read_position, which is for others
    private ulong _free;                    // = free_position
    private ulong _limit;                   // the writer can have published up to here

    internal RingReader(
        IRingLink link,
        MappedView view,
        in RingGeometry geometry,
        WaitStyle style,
        ulong position,
        ulong redeliverUntil)
        : base(link, view, geometry, style, isWriter: false)
    {
        _records = view.Base + geometry.DataOffset;
        _data = &Header->Data;
        _capacity = geometry.Capacity;
        _mask = geometry.Capacity - 1;
        _maxInline = geometry.MaxInline;
        _returnAt = geometry.Capacity / ReturnsPerLap;
        _redeliverUntil = redeliverUntil;
        _position = _released = _free = position;
        _limit = position + _capacity;
    }

    private protected override bool HasRecord => SeesRecord();

    private protected override bool HasSpanOut => _position != _released;

    /// <summary>Before the reader leaves, its memory mapped: what it has read and not released may have been handled.
    /// Its successors are told.</summary>
    internal void TellRead()
    {
        if (_position > _released && _position > _redeliverUntil)
            Atomic.StoreRelease(ref Header->RedeliverUntil, _position);
    }

    /// <summary>Opens the reading end of the ring <paramref name="name"/>. A ring has one live reader: a second is
    /// refused (<see cref="IpcStatus.InUse"/>).</summary>
    /// <exception cref="IpcException">It cannot be opened; see <see cref="IpcException.Status"/>.</exception>
    public static RingReader Open(
        string name, RingOptions? options = null, CancellationToken cancellationToken = default) =>
        RingRegion.OpenReader(name, options ?? new RingOptions(), cancellationToken);

    /// <summary>Opens the ring <paramref name="name"/> if it exists; never creates it, whatever the options say. The
    /// options say how long to wait for it.</summary>
    /// <returns>False if there is none.</returns>
    /// <exception cref="IpcException">It exists but cannot be opened; see
    /// <see cref="IpcException.Status"/>.</exception>
    public static bool TryOpen(
        string name,
        [NotNullWhen(true)] out RingReader? reader,
        RingOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        reader = RingRegion.TryOpenReader(name, options ?? new RingOptions(), cancellationToken);
        return reader is not null;
    }

    /// <summary>Whether everything that was published by now has been read and released. True when this end is closed.
    /// It may be called on any thread, also while another reads. Never blocks.</summary>
    public bool IsDrained
    {
        get
        {
            if (!View.TryUse())
                return true;
            try
            {
                ulong position = Atomic.LoadAcquire(ref Header->ReadPosition); // [release]
                // [publish] or the reader's zero, of a record that it has released [walk]
                return Atomic.LoadAcquire(ref *HeaderAt(position & ~(RecordHeader.Line - 1UL))) == 0
                    && Atomic.LoadAcquire(ref Header->ReadPosition) == position; // [walk] then it is not there any more
            }
            finally
            {
                View.Unuse();
            }
        }
    }

    /// <summary>How far the ring has been read and released, as a position of it (<see cref="RingWriter.Position"/>);
    /// -1 when this end is closed. It may be called on any thread, also while another reads. Never blocks.</summary>
    public long ReleasedTo
    {
        get
        {
            if (!View.TryUse())
                return -1;
            try
            {
                return (long)Atomic.LoadAcquire(ref Header->ReadPosition); // [release]
            }
            finally
            {
                View.Unuse();
            }
        }
    }

    /// <summary>Reads the next record, in place. It may be called again before <see cref="Release"/>, to read ahead, up
    /// to one lap of the ring.</summary>
    /// <returns>False if there is none, or this end is closed. Never blocks.</returns>
    /// <exception cref="CorruptRegionException">The writer has written an invalid record.</exception>
    [MethodImpl(Tiering.Inlined)]
    public bool TryRead(out RingRecord record)
    {
        ulong header = 0;
        if (Enter())
        {
            ulong position = _position;
            ulong offset = position & _mask;
            header = Atomic.LoadAcquire(ref *(ulong*)(_records + offset)); // [publish]
            uint length = RecordHeader.LengthOf(header);
            ulong size = RecordHeader.SizeOf(length);
            if (header >> RecordHeader.TagShift == RecordHeader.RecordTag && length <= _maxInline &&
                offset + size <= _capacity && position + size <= _limit)
            {
                _position = position + size;
                record = new RingRecord(new ReadOnlySpan<byte>(_records + offset + RecordHeader.ByteSize, (int)length),
                    RecordHeader.TypeOf(header), position < _redeliverUntil);
                Leave();
                FaultPoints.Pass(FaultPoints.RingReadDone);
                return true;
            }
        }

        return TryReadSlow(header, out record);
    }

    /// <summary>Releases all records read so far. Their spans must not be used any more.</summary>
    [MethodImpl(Tiering.Inlined)]
    public void Release()
    {
        if (Enter())
        {
            FaultPoints.Pass(FaultPoints.RingReleaseBeforeStore);
            ulong position = _position;
            _released = position;
            Atomic.StoreRelease(ref Header->ReadPosition, position); // [release]
            FaultPoints.Pass(FaultPoints.RingReleaseAfterStore);
            if (position - _free >= _returnAt || Atomic.LoadAcquire(ref Header->Space.Wanted) != 0) // [wanted]
                ReleaseSlow();
        }

        Leave();
    }

    /// <summary>Reads the next record, waiting for it if there is none.</summary>
    /// <returns>Ok; Timeout; Stopped; Cancelled; Closed; PeerClosed or PeerDied when everything is read and the writer
    /// has left or died. It waits for the first writer to attach.</returns>
    /// <exception cref="CorruptRegionException">The writer has written an invalid record.</exception>
    [MethodImpl(Tiering.Optimized)]
    public IpcStatus Read(out RingRecord record, Deadline deadline, CancellationToken cancellationToken = default) =>
        TryRead(out record) ? IpcStatus.Ok : ReadWaiting(deadline, cancellationToken, out record);

    /// <summary>Reads the next record, waiting for it no longer than <paramref name="timeout"/>. It reads the clock
    /// only if it has to wait. See <see cref="Read(out RingRecord, Deadline, CancellationToken)"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative, and not
    /// <c>Timeout.InfiniteTimeSpan</c>.</exception>
    [MethodImpl(Tiering.Optimized)]
    public IpcStatus Read(out RingRecord record, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        return TryRead(out record)
            ? IpcStatus.Ok
            : ReadWaiting(Deadline.After(timeout), cancellationToken, out record);
    }

    /// <summary>Waits until there is a record to read (Ok), without reading it. The results are those of
    /// <see cref="Read(out RingRecord, Deadline, CancellationToken)"/>.</summary>
    [MethodImpl(Tiering.Optimized)]
    public IpcStatus Wait(Deadline deadline, CancellationToken cancellationToken = default)
    {
        try
        {
            if (!Enter())
                return IpcStatus.Closed;
            DataCondition condition = new(this);
            WaiterWords* sleepsOn = Link.WakesReader ? &Header->Data : Link.Doorbell;
            return Control.Wait(ref condition, sleepsOn, deadline, cancellationToken);
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>Waits until there is a record to read (Ok), no longer than <paramref name="timeout"/>. It reads the
    /// clock only if it has to wait. See <see cref="Wait(Deadline, CancellationToken)"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative, and not
    /// <c>Timeout.InfiniteTimeSpan</c>.</exception>
    [MethodImpl(Tiering.Optimized)]
    public IpcStatus Wait(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        IpcStatus status = Wait(Deadline.Now, cancellationToken);
        return status == IpcStatus.Timeout ? Wait(Deadline.After(timeout), cancellationToken) : status;
    }
}
