using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc;

/// <summary>Writes records to a ring: claim space in place, fill it, commit it.</summary>
/// <remarks>
/// <para>For one thread at a time. It never allocates. A claim that is not committed leaves no trace.</para>
/// <para>The header word of a record is the only truth about its publication: there is no shared tail. The writer
/// alone knows where it is (<c>_tail</c>), and keeps invariant Z of docs/wire-format.md section 4: of every line from
/// the tail on, the first 8 bytes are zero. So one release store of a header publishes <c>[publish]</c>, and a reader
/// that stands at the tail sees 0 until then. The lines are zero because the reader zeroes them before it gives them
/// back <c>[reclaim]</c>; the writer zeroes only what it claimed and did not commit. The fit is checked against a
/// private limit, which is the reader's free position as last seen: it lags, it never leads.
/// </para>
/// <para>A batch withholds its first header and writes all others at once: unreachable until the first is published. A
/// record that would wrap starts at the next lap, and padding takes its place at the end of this one; padding and
/// record become visible by one store, the padding's, because it stands first.
/// </para>
/// <para>What is longer than half the ring travels as a loan: the claim is a block of the ring's pool, and the record
/// holds its descriptor (RingWriter.Loans.cs). All of that is off the fast path.
/// </para>
/// </remarks>
public sealed unsafe partial class RingWriter : RingEnd
{
    internal const int NoClaim = -1;

    private readonly byte* _records;
    private readonly WaiterWords* _data;
    private readonly WaiterWords* _space; // its address alone, which is good after the end of the mapping too
    private readonly ulong _capacity;
    private readonly ulong _mask;
    private readonly uint _maxInline; // longer ones are loans
    private readonly uint _owner;
    private ulong _tail;         // ours alone: nobody else sees it
    private ulong _limit;        // records may reach to here without another look at the free position, or the pool
    private ulong _room;         // they may reach to here; from the free position as last read, and from present
    private ulong _present;      // positions before it have memory; the largest number: all
    private ulong _freeSeen;     // that position
    private readonly ulong _window; // of the pool (Pool.Shrink.cs): so many bytes
    private ulong _windowStart;  // where the present one began
    private ulong _claimStart;
    private ulong _claimSize;
    private int _claimed = NoClaim;
    private bool _batching;      // there is a withheld header:
    private ulong _batchStart;
    private ulong _batchHeader;
    private ulong _wakes;
    private Loan _loan;          // the claim's, if it is one
    private Loan _spare;         // taken while waiting for one

    /// <param name="link">What is around the ring.</param>
    /// <param name="view">The memory.</param>
    /// <param name="geometry">Where in it the ring is.</param>
    /// <param name="style">How this end waits.</param>
    /// <param name="tail">Where it begins.</param>
    /// <param name="free">The free position.</param>
    /// <param name="owner">Participant index + 1; 1 in a connection.</param>
    internal RingWriter(
        IRingLink link, MappedView view, in RingGeometry geometry, WaitStyle style, ulong tail, ulong free, uint owner)
        : base(link, view, geometry, style, isWriter: true)
    {
        _records = view.Base + geometry.DataOffset;
        _data = &Header->Data;
        _space = &Header->Space;
        _capacity = geometry.Capacity;
        _mask = geometry.Capacity - 1;
        _maxInline = geometry.MaxInline;
        _owner = owner;
        _tail = tail;
        _freeSeen = free;
        _window = Math.Max(_capacity / 2, Pool.WindowBytes);
        _windowStart = tail;
        _present = geometry.Present == _capacity ? ulong.MaxValue : geometry.Present;
        SetLimit(free);
    }

    /// <summary>How often a publish had to wake the reader; the others made no system call. For any thread; the number
    /// may be slightly behind.</summary>
    public long Wakes => (long)Atomic.LoadAcquire(ref _wakes);

    /// <summary>How many bytes of the ring hold records that the reader has not released; 0 when this end is closed.
    /// For the thread that uses this end. The number depends on what the reader says, and reading it touches a cache
    /// line that the reader writes.</summary>
    public long UnreadBytes
    {
        get
        {
            long unread = Enter() ? (long)(_tail - Atomic.LoadAcquire(ref Header->ReadPosition)) : 0; // [release]
            Leave();
            return unread;
        }
    }

    /// <summary>How far the ring is written: every record committed so far ends at or before this position, every later
    /// one begins at or behind it, whether a batch holds records back or not. For the thread that uses this
    /// end.</summary>
    public long Position => (long)_tail;

    private protected override bool HasSpanOut => _claimed != NoClaim;

    /// <summary>Opens the writer of the ring <paramref name="name"/>, or creates the ring. A second live writer is
    /// refused (<see cref="IpcStatus.InUse"/>).</summary>
    /// <exception cref="IpcException">It cannot be opened; see <see cref="IpcException.Status"/>.</exception>
    public static RingWriter Open(
        string name, RingOptions? options = null, CancellationToken cancellationToken = default) =>
        RingRegion.OpenWriter(name, options ?? new RingOptions(), cancellationToken);

    /// <summary>Opens the ring <paramref name="name"/> if it exists; never creates it, whatever the options say. The
    /// options say how long to wait for it.</summary>
    /// <returns>False if there is none.</returns>
    /// <exception cref="IpcException">It exists but cannot be opened; see
    /// <see cref="IpcException.Status"/>.</exception>
    public static bool TryOpen(
        string name,
        [NotNullWhen(true)] out RingWriter? writer,
        RingOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        writer = RingRegion.TryOpenWriter(name, options ?? new RingOptions(), cancellationToken);
        return writer is not null;
    }

    /// <summary>Claims <paramref name="length"/> contiguous bytes in place. An open claim is given back
    /// first.</summary>
    /// <returns>False when the ring is full (the batch is published then), or closed. Never blocks.</returns>
    /// <exception cref="IpcException">TooLarge: more than <see cref="RingEnd.MaxPayload"/>; nothing has
    /// changed.</exception>
    [MethodImpl(Tiering.Inlined)]
    public bool TryClaim(int length, out Span<byte> payload)
    {
        ulong size = RecordHeader.SizeOf((uint)length);
        ulong start = _tail;
        ulong offset = start & _mask;
        if (Enter() && (uint)length <= _maxInline && offset + size <= _capacity && start + size <= _limit &&
            _claimed == NoClaim)
        {
            _claimStart = start;
            _claimSize = size;
            _claimed = length;
            payload = new Span<byte>(_records + offset + RecordHeader.ByteSize, length);
            Leave();
            FaultPoints.Pass(FaultPoints.RingClaimDone);
            return true;
        }

        return TryClaimSlow(length, out payload);
    }

    /// <summary>Publishes the first <paramref name="length"/> claimed bytes, with everything batched before, and wakes
    /// a sleeping reader.</summary>
    [MethodImpl(Tiering.Inlined)]
    public void Commit(int length, ushort type = 0) => TryCommit(length, type);

    /// <summary>As <see cref="Commit"/>; false when this end is closed, and nothing was committed.</summary>
    [MethodImpl(Tiering.Inlined)]
    internal bool TryCommit(int length, ushort type)
    {
        ulong start = _claimStart;
        if (Enter() && (uint)length < (uint)(_claimed + 1) && RecordHeader.SizeOf((uint)length) == _claimSize &&
            start == _tail && !_batching)
        {
            FaultPoints.Pass(FaultPoints.RingCommitBeforePublish);
            _tail = start + _claimSize;
            _claimed = NoClaim;
            // [publish]
            Atomic.StoreRelease(ref *(ulong*)(_records + (start & _mask)), RecordHeader.Of((uint)length, type));
            FaultPoints.Pass(FaultPoints.RingCommitAfterPublish);
            if (Waiter.NeedsSignal(_data))
                SignalReader();
            Leave();
            return true;
        }

        return CommitSlow(length, type, publish: true);
    }

    /// <summary>Commits without publishing. The batch is published by the next commit or flush, or when the ring is
    /// full.</summary>
    [MethodImpl(Tiering.Optimized)]
    public void CommitBatched(int length, ushort type = 0) => TryCommitBatched(length, type);

    /// <summary>As <see cref="CommitBatched"/>; false when this end is closed, and nothing was committed.</summary>
    [MethodImpl(Tiering.Optimized)]
    internal bool TryCommitBatched(int length, ushort type)
    {
        Enter();
        return CommitSlow(length, type, publish: false);
    }

    /// <summary>Publishes the batched records, with one store and at most one wake-up.</summary>
    [MethodImpl(Tiering.Optimized)]
    public void Flush()
    {
        try
        {
            if (Enter() && _batching)
                PublishBatch();
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>Gives up the open claim, without any effect on the ring. It does nothing if there is none.</summary>
    public void Abandon()
    {
        if (Enter() && _claimed != NoClaim)
            AbandonClaim();
        Leave();
    }

    /// <summary>Claim, copy, commit. False when the ring is full or closed.</summary>
    /// <exception cref="IpcException">TooLarge.</exception>
    [MethodImpl(Tiering.Optimized)]
    public bool TryWrite(ReadOnlySpan<byte> payload, ushort type = 0)
    {
        if (!TryClaim(payload.Length, out Span<byte> claimed))
            return false;
        payload.CopyTo(claimed);
        Commit(payload.Length, type);
        return true;
    }

    /// <summary>Claim (waiting for room), copy, commit. See
    /// <see cref="Claim(int, out Span{byte}, Deadline, CancellationToken)"/> for the results.</summary>
    [MethodImpl(Tiering.Optimized)]
    public IpcStatus Write(
        ReadOnlySpan<byte> payload, ushort type, Deadline deadline, CancellationToken cancellationToken = default)
    {
        IpcStatus status = Claim(payload.Length, out Span<byte> claimed, deadline, cancellationToken);
        if (status != IpcStatus.Ok)
            return status;
        payload.CopyTo(claimed);
        Commit(payload.Length, type);
        return IpcStatus.Ok;
    }

    /// <summary>Claims, waiting for room if there is none.</summary>
    /// <returns>Ok; Timeout; Stopped; Cancelled; Closed; PeerClosed or PeerDied when the ring is full and its reader
    /// has gone. If there has never been a reader, it waits.</returns>
    public IpcStatus Claim(
        int length, out Span<byte> payload, Deadline deadline, CancellationToken cancellationToken = default) =>
        TryClaim(length, out payload) ? IpcStatus.Ok : ClaimWaiting(length, deadline, cancellationToken, out payload);

    /// <summary>Claims, waiting for room no longer than <paramref name="timeout"/>. It reads the clock only if it has
    /// to wait. See <see cref="Claim(int, out Span{byte}, Deadline, CancellationToken)"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative, and not
    /// <c>Timeout.InfiniteTimeSpan</c>.</exception>
    [MethodImpl(Tiering.Optimized)]
    public IpcStatus Claim(
        int length, out Span<byte> payload, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        return TryClaim(length, out payload)
            ? IpcStatus.Ok
            : ClaimWaiting(length, Deadline.After(timeout), cancellationToken, out payload);
    }

    /// <summary>Makes the open claim longer and keeps its bytes; they may be moved.</summary>
    /// <returns>False when the ring is too full; the claim stays as it was.</returns>
    /// <exception cref="IpcException">TooLarge: more than <see cref="RingEnd.MaxPayload"/>; the claim stays as it
    /// was.</exception>
    public bool TryExtendClaim(int length, out Span<byte> payload)
    {
        try
        {
            payload = default;
            if (!Enter())
                return false;
            CheckLength(length);
            if (_claimed == NoClaim)
                Throw.NoClaim();
            if (length > _claimed && !GrowClaim(length))
                return false;
            payload = Claimed(length);
            return true;
        }
        finally
        {
            Leave();
        }
    }
}
