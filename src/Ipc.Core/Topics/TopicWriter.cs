using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc;

/// <summary>Writes messages to a topic: claim room in place, fill it, commit it. Every reader gets each
/// message.</summary>
/// <remarks>
/// <para>For one thread at a time. It allocates nothing. There may be many writers, in any processes: all readers see
/// the messages in the order of the claims.</para>
/// <para>A slot is overwritten when every reader that writers wait for has passed it. To know that, a writer would
/// have to look at each reader's cursor, lines that their owners keep changing; so it keeps the least that it has ever
/// seen (<c>_minimum</c>) and looks again only when that says "full": once per lap while readers keep up
/// <c>[cursor]</c>. The minimum never exceeds the tail that was read <i>before</i> the cursors: so a reader that joins
/// afterwards is safe from its joining on, though this writer does not know of it <c>[join]</c>.
/// </para>
/// <para>Who owns a slot is told by its state word alone, which is only ever changed by a compare-and-exchange from
/// the whole word that was seen. The tail is a hint that anybody helps forward. Killed anywhere, a writer leaves at
/// most a slot in phase Writing with its name on it, which recovery turns into a gap.
/// </para>
/// </remarks>
public sealed unsafe partial class TopicWriter : TopicEnd
{
    private const int NoClaim = -1;
    private const int NoReader = -1;
    private const uint Fetched = 8; // slots whose lines a writer fetches together
    private const ulong ReclaimedGap = SlotState.Gap | SlotState.Reclaimed;
    private const ulong LowMask = 0xFFFF; // phase and flags

    private readonly byte* _slots;
    private readonly WaiterWords* _space; // its address alone, which is good after the end of the mapping too
    private readonly ulong _mask;
    private readonly ulong _stride;
    private readonly int _lapShift;
    private readonly long _count;
    private readonly uint _blockSize;
    private readonly uint _owner;      // our index + 1
    private ulong _minimum;            // every reader that writers wait for has released what is before this
    private SlotHeader* _claimSlot;
    private ulong _claimPosition;
    private ulong _claimWord;
    private int _claimed = NoClaim;
    private Loan _loan;                // the claim's, when it is longer than a block
    private ulong _reclaimed;          // loans of slots before this were looked at
    // the tail when this writer left: its place in the table may be another's from there on
    private ulong _leftAt = ulong.MaxValue;
    private ulong* _obstacle;          // the cursor of the reader that held the last claim up,
    private ulong _obstacleSeen;       // and what it was
    private int _slowReader = NoReader;
    private int _slowProcess;
    private long _slowBehind;

    private TopicWriter(Region region, TopicEntrance entrance, TopicOptions options) : base(region, entrance, options)
    {
        _slots = region.Base + Geometry.SlotsOffset;
        _space = &Header->Space;
        _mask = Geometry.SlotCount - 1;
        _stride = Geometry.Stride;
        _lapShift = Geometry.LapShift;
        _count = Geometry.SlotCount;
        _blockSize = Geometry.BlockSize;
        _owner = (uint)region.Index + 1;
    }

    /// <summary>The longest message: what a block holds, or a loan.</summary>
    public int MaxPayload => (int)Math.Max(_blockSize, Pool?.MaxLength ?? 0);

    /// <summary>The reader because of which the last claim found no room; null if there was none.</summary>
    public SlowReaderInfo? SlowReader =>
        _slowReader == NoReader ? null : new SlowReaderInfo(_slowReader, _slowProcess, _slowBehind);

    internal ulong LeftAt => Atomic.LoadAcquire(ref _leftAt);

    private protected override bool HasSpanOut => _claimed != NoClaim;

    /// <summary>It is open, and writes to that very region, not just to one of that name.</summary>
    internal bool IsOf(Region region)
    {
        if (!Region.View.TryUse())
            return false;
        try
        {
            return !Control.IsClosed && Region.Header->RegionIdLow == region.Header->RegionIdLow &&
                Region.Header->RegionIdHigh == region.Header->RegionIdHigh;
        }
        finally
        {
            Region.View.Unuse();
        }
    }

    /// <summary>Opens a writer of the topic <paramref name="name"/>, or creates the topic.</summary>
    /// <exception cref="IpcException">It cannot be opened; see <see cref="IpcException.Status"/>.</exception>
    public static TopicWriter Open(
        string name, TopicOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= new TopicOptions();
        TopicEntrance entrance = TopicEntrance.ForWriter(options);
        var opened = new TopicWriter(OpenRegion(name, entrance, options, cancellationToken), entrance, options);
        TopicMetrics.Add(opened);
        return opened;
    }

    /// <summary>Opens the topic <paramref name="name"/> if it exists; never creates it, whatever the options say. The
    /// options say how long to wait for it.</summary>
    /// <returns>False if there is none.</returns>
    /// <exception cref="IpcException">It exists but cannot be opened; see
    /// <see cref="IpcException.Status"/>.</exception>
    public static bool TryOpen(
        string name,
        [NotNullWhen(true)] out TopicWriter? writer,
        TopicOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        options ??= new TopicOptions();
        TopicEntrance entrance = TopicEntrance.ForWriter(options);
        Region? region = TryOpenRegion(name, entrance, options, cancellationToken);
        writer = region is null ? null : new TopicWriter(region, entrance, options);
        if (writer is not null)
            TopicMetrics.Add(writer);
        return writer is not null;
    }

    /// <summary>Claims room for a message, in place. An open claim is given back first.</summary>
    /// <returns>False when there is no room (see <see cref="SlowReader"/>), or this writer is closed. It never blocks
    /// and never cuts a reader off.</returns>
    /// <exception cref="IpcException">TooLarge: more than <see cref="MaxPayload"/>; nothing has changed.</exception>
    [MethodImpl(Tiering.Optimized)]
    public bool TryClaim(int length, out TopicClaim claim)
    {
        bool isLong = (uint)length > _blockSize;
        if (Enter() && _claimed == NoClaim && (!isLong || TryTakeLoanFast((uint)length)))
        {
            ulong position = Atomic.LoadAcquire(ref Header->Tail);
            SlotHeader* slot = SlotAt(position);
            if (position % Fetched == 0)
                FetchLines(position);
            ulong word = Atomic.LoadAcquire(ref slot->State);
            if ((long)(position - _minimum) < _count &&
                SlotState.LapsAhead(word, (uint)(position >> _lapShift)) == -1 && IsTakeable(word) &&
                TryTake(slot, position, word))
            {
                if (slot->Flags != 0)
                    FreeOldLoan(slot);
                _claimed = length;
                claim = new TopicClaim(this, position, new Span<byte>(isLong ? _loan.Bytes : slot + 1, length));
                Leave();
                return true;
            }
        }

        return TryClaimSlow(length, out claim);
    }

    /// <summary>Claims, waiting for room if there is none. When the deadline passes, readers that delay the writers are
    /// cut off if their policy is <see cref="TopicPolicy.Evict"/>.</summary>
    /// <returns>Ok; Timeout (see <see cref="SlowReader"/>); Stopped; Cancelled; Closed.</returns>
    /// <exception cref="IpcException">TooLarge: more than <see cref="MaxPayload"/>; nothing has changed.</exception>
    public IpcStatus Claim(
        int length, out TopicClaim claim, Deadline deadline, CancellationToken cancellationToken = default) =>
        TryClaim(length, out claim) ? IpcStatus.Ok : ClaimWaiting(length, deadline, cancellationToken, out claim);

    /// <summary>Claims, waiting for room no longer than <paramref name="timeout"/>; then readers that allow it are cut
    /// off. It reads the clock only if it has to wait. See
    /// <see cref="Claim(int, out TopicClaim, Deadline, CancellationToken)"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative, and not
    /// <c>Timeout.InfiniteTimeSpan</c>.</exception>
    [MethodImpl(Tiering.Optimized)]
    public IpcStatus Claim(
        int length, out TopicClaim claim, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        return TryClaim(length, out claim)
            ? IpcStatus.Ok
            : ClaimWaiting(length, Deadline.After(timeout), cancellationToken, out claim);
    }

    /// <summary>Claim, copy, commit. False when there is no room or this writer is closed.</summary>
    /// <exception cref="IpcException">TooLarge.</exception>
    [MethodImpl(Tiering.Optimized)]
    public bool TryPublish(ReadOnlySpan<byte> payload, ushort type = 0, ulong key = 0)
    {
        if (!TryClaim(payload.Length, out TopicClaim claim))
            return false;
        payload.CopyTo(claim.Payload);
        claim.Commit(payload.Length, type, key);
        return true;
    }

    /// <summary>Claim (waiting for room), copy, commit. See
    /// <see cref="Claim(int, out TopicClaim, Deadline, CancellationToken)"/> for the results.</summary>
    [MethodImpl(Tiering.Optimized)]
    public IpcStatus Publish(
        ReadOnlySpan<byte> payload,
        ushort type,
        ulong key,
        Deadline deadline,
        CancellationToken cancellationToken = default)
    {
        IpcStatus status = Claim(payload.Length, out TopicClaim claim, deadline, cancellationToken);
        if (status != IpcStatus.Ok)
            return status;
        payload.CopyTo(claim.Payload);
        claim.Commit(payload.Length, type, key);
        return IpcStatus.Ok;
    }

    /// <summary>Gives the memory of unused loans back to the system.</summary>
    public void TrimLoans()
    {
        try
        {
            if (!Enter() || Pool is null)
                return;
            Pool.Trim(_owner);
            Waiter.Signal(&Header->Space); // who needs another size may find it now
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>Waits until there are at least <paramref name="count"/> readers.</summary>
    /// <returns>Ok; Timeout; Stopped; Cancelled; Closed.</returns>
    public IpcStatus WaitForReaders(int count, Deadline deadline, CancellationToken cancellationToken = default)
    {
        try
        {
            if (!Enter())
                return IpcStatus.Closed;
            ReadersCondition condition = new(this, count);
            return Control.Wait(ref condition, &Region.Header->Change, deadline, cancellationToken);
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>Waits until there are at least <paramref name="count"/> readers, no longer than
    /// <paramref name="timeout"/>. It reads the clock only if it has to wait. See
    /// <see cref="WaitForReaders(int, Deadline, CancellationToken)"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative, and not
    /// <c>Timeout.InfiniteTimeSpan</c>.</exception>
    public IpcStatus WaitForReaders(int count, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        IpcStatus status = WaitForReaders(count, Deadline.Now, cancellationToken);
        return status == IpcStatus.Timeout
            ? WaitForReaders(count, Deadline.After(timeout), cancellationToken)
            : status;
    }

    [MethodImpl(Tiering.Optimized)]
    internal void Commit(ulong position, int length, ushort type, ulong key)
    {
        if (Enter() && position == _claimPosition && (uint)length < (uint)(_claimed + 1) && _loan.Bytes == null)
        {
            SlotHeader* slot = _claimSlot;
            slot->Length = (uint)length; // plain: the slot is ours until the word changes
            slot->Type = type;
            slot->Flags = 0;
            slot->Key = key;
            bool published = TryMakeReady();
            Leave();
            if (!published)
                LostClaim();
            return;
        }

        CommitSlow(position, length, type, key);
    }

    internal void Abandon(ulong position)
    {
        if (Enter() && _claimed != NoClaim && position == _claimPosition)
            AbandonClaim();
        Leave();
    }

    /// <summary>Fails only when somebody took this process for dead, or wrote what is not his: then there is a
    /// gap.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryMakeReady()
    {
        _claimed = NoClaim;
        FaultPoints.Pass(FaultPoints.TopicCommitBeforeReady);
        // [ready-slot]
        bool published = Atomic.TryExchange(
            &_claimSlot->State, _claimWord, SlotState.With(_claimWord, _owner, SlotState.Ready));
        FaultPoints.Pass(FaultPoints.TopicCommitAfterReady);
        if (Waiter.NeedsSignal(&Header->Data))
            Waiter.Signal(&Header->Data);
        return published;
    }

    private SlotHeader* SlotAt(ulong position) => (SlotHeader*)(_slots + (position & _mask) * _stride);

    /// <summary>Readers have looked at the slots that come next, so a writer must take each line back before it can
    /// change the slot, and its CAS waits for that. Plain stores wait for nothing, so those of some slots in a row
    /// travel side by side: the slots' lines are here when their turn comes.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void FetchLines(ulong position)
    {
        for (uint i = 0; i < Fetched; i++)
            SlotAt(position + i)->Fetched = 0;
    }

    /// <summary>A word of the lap before that a writer may take, when the readers are through.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool IsTakeable(ulong word) =>
        (word & LowMask) is SlotState.Ready or SlotState.Free or SlotState.Gap or ReclaimedGap;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryTake(SlotHeader* slot, ulong position, ulong word)
    {
        ulong mine = SlotState.At(position, _lapShift, _owner, SlotState.Writing);
        // [overwrite] a full fence: who sees a byte of ours sees this word too
        if (!Atomic.TryExchange(&slot->State, word, mine))
            return false;
        _claimSlot = slot;
        _claimPosition = position;
        _claimWord = mine;
        if ((position & _mask) == 0)
            Pool?.Pass(_owner, _mask + 1);
        FaultPoints.Pass(FaultPoints.TopicClaimWriting);
        Atomic.TryExchange(&Header->Tail, position, position + 1);
        FaultPoints.Pass(FaultPoints.TopicClaimTail);
        return true;
    }
}
