using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc;

/// <summary>Sending: claim a slot, fill it, make it ready. What <see cref="SharedQueue"/> says of its calls holds for
/// those of the same name here.</summary>
internal sealed unsafe partial class QueueSender
{
    /// <summary>The length of a message that this library is copying: what Dispose waits for.</summary>
    public const uint InFlight = uint.MaxValue;

    // What every message passes through, beside each other.
    private readonly QueueHeader* _header;
    private readonly QueueSegmentHeader* _only;     // if there can be only one segment; null otherwise
    private readonly byte* _slots;                  // of segment 0
    private readonly ulong _stride;
    private readonly ulong _mask;
    private readonly int _shift;
    private readonly uint _blockSize;
    private readonly uint _limit;                   // how many segments there can be
    private readonly uint _me;                      // our owner number: participant index + 1
    private readonly ulong _writing;                // the owner and phase of a slot that we write
    private readonly ulong _prepareMask;            // claims of such positions look whether the next segment is due
    private readonly bool _preparesAhead;
    private readonly Pool? _pool;
    private int _closed;

    private readonly QueueSegments _segments;
    private readonly QueueGrowth _growth;
    private readonly QueueWaits _waits;
    private readonly Attachment _place;
    private readonly StreamLag _lag;

    public QueueSender(QueueSegments segments, Attachment place, QueueWaits waits, StreamLag lag)
    {
        _segments = segments;
        _growth = new QueueGrowth(segments);
        _place = place;
        _waits = waits;
        _lag = lag;
        QueueGeometry geometry = segments.Geometry;
        _header = segments.Header;
        _only = segments.Only;
        _slots = segments.Slots;
        _stride = geometry.Stride;
        _mask = geometry.SlotCount - 1;
        _shift = geometry.SlotShift;
        _blockSize = geometry.BlockSize;
        _limit = segments.Limit;
        _me = segments.Owner;
        _writing = segments.Writing;
        _prepareMask = Math.Max(geometry.SlotCount / 8, 1) - 1;
        _preparesAhead = geometry.MinExpansionDistance != 0;
        _pool = segments.Pool;
    }

    /// <summary>Nothing is sent from now on. A full barrier: see <see cref="SharedQueue"/>.</summary>
    public void Close() => Atomic.Exchange(ref _closed, 1);

    public bool IsClosed => Atomic.LoadAcquire(ref _closed) != 0;

    /// <summary>Nobody signals when what is in the way of growing is gone.</summary>
    public bool LooksAgainSoon => _growth.LockWasBusy;

    /// <summary>Sees to it that the death of those whom the queue is full of is noticed.</summary>
    public void Attend() => _place.Attend();

    [MethodImpl(Tiering.Inlined)]
    public bool TryClaim(int length, out QueueClaim claim)
    {
        if ((uint)length > _blockSize)
            return TryClaimLong(length, out claim);
        if (TryTakeFree(marks: false, out SlotHeader* slot, out ulong word))
        {
            claim = new QueueClaim(this, slot, word, length);
            return true;
        }

        claim = default;
        return Full();
    }

    public IpcStatus Claim(
        int length, out QueueClaim claim, Deadline deadline, CancellationToken cancellationToken) =>
        TryClaim(length, out claim) ? IpcStatus.Ok : ClaimWaiting(length, deadline, cancellationToken, out claim);

    [MethodImpl(Tiering.Optimized)]
    public bool TrySend(ReadOnlySpan<byte> payload, ushort type)
    {
        if ((uint)payload.Length <= _blockSize)
            return TrySendInBlock(payload, type) || Full();
        if (TrySendLong(payload, type))
            return true;
        if (!TryClaimLong(payload.Length, out QueueClaim claim, marks: true))
            return false;
        payload.CopyTo(claim.Payload);
        return claim.TryCommitOnce(payload.Length, type) || TakenAway();
    }

    [MethodImpl(Tiering.Optimized)]
    public IpcStatus Send(
        ReadOnlySpan<byte> payload, ushort type, Deadline deadline, CancellationToken cancellationToken)
    {
        if ((uint)payload.Length <= _blockSize ? TrySendInBlock(payload, type) : TrySendLong(payload, type))
            return IpcStatus.Ok;
        IpcStatus status = ClaimWaiting(payload.Length, deadline, cancellationToken, out QueueClaim claim, marks: true);
        if (status == IpcStatus.Ok)
        {
            payload.CopyTo(claim.Payload);
            if (!claim.TryCommitOnce(payload.Length, type) && !TakenAway())
                status = IpcStatus.Closed;
        }

        return status;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TrySendInBlock(ReadOnlySpan<byte> payload, ushort type)
    {
        if (!TryTakeFree(marks: true, out SlotHeader* slot, out ulong word))
            return false;
        payload.CopyTo(new Span<byte>((byte*)slot + SlotHeader.ByteSize, payload.Length));
        return Commit(slot, word, (uint)payload.Length, type, 0) || TakenAway();
    }

    /// <summary>Writing to Ready. The flags say whether the payload is a loan's descriptor.</summary>
    /// <returns>False: the slot is not ours any more; nothing was sent.</returns>
    [MethodImpl(Tiering.Inlined)]
    public bool Commit(SlotHeader* slot, ulong word, uint length, ushort type, ushort flags)
    {
        if (((Atomic.LoadAcquire(ref slot->State) ^ word) & ~SlotState.Sealed) != 0)
            return false; // before anything is written there: it may be somebody else's by now
        *(ulong*)&slot->Length = (ulong)flags << 48 | (ulong)type << 32 | length; // plain: published by the CAS
        FaultPoints.Pass(FaultPoints.QueueCommitBeforeReady);
        if (!Atomic.TryExchange(&slot->State, word, word + (SlotState.Ready - SlotState.Writing)) && // [ready-slot]
            !QueueSegments.TryChange(slot, word, SlotState.Ready - SlotState.Writing))
        {
            return false;
        }

        FaultPoints.Pass(FaultPoints.QueueCommitAfterReady);
        if (Waiter.NeedsSignal(&_header->Data))
            WakeReceivers();
        GC.KeepAlive(this);
        return true;
    }

    /// <summary>Writing to Free: nothing was sent. Nothing if the slot is not ours any more.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Abandon(SlotHeader* slot, ulong word, in Loan loan = default)
    {
        bool freed = QueueSegments.TryChange(slot, word, SlotState.NextFree(word) - word); // [free-slot]
        if (loan.Bytes != null)
            _pool!.GiveBack(loan);
        if (!freed)
            return;
        FaultPoints.Pass(FaultPoints.QueueAbandonDone);
        Waiter.Signal(&_header->Data); // what it hid may be receivable now
        Waiter.Signal(&_header->Space);
        GC.KeepAlive(this);
    }

    /// <summary>The commit of what this library has claimed itself came to nothing: so somebody else has written where
    /// nobody may. False: nothing was sent, because the queue has been closed.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public bool TakenAway()
    {
        if (Atomic.LoadAcquire(ref _closed) == 0)
            _segments.Corrupted("a slot that was taken from its sender: nothing was sent");
        return false;
    }

    /// <summary>A caller's commit that came to nothing: what a closed object does has no effect, anything else is a
    /// mistake.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Missed()
    {
        if (Atomic.LoadAcquire(ref _closed) == 0)
            Throw.NoClaim();
    }

    /// <summary>Takes the slot at the tail, in a queue that cannot grow; everything else is for the slow
    /// path.</summary>
    /// <param name="marks">This library copies the message, and Dispose waits for it.</param>
    /// <param name="slot">Ours from now on.</param>
    /// <param name="word">Its state.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryTakeFree(bool marks, out SlotHeader* slot, out ulong word)
    {
        if (TryTakeFast(marks, out slot, out word))
            return Atomic.LoadAcquire(ref _closed) == 0 || UndoClaim(slot, word);

        // Into variables of its own: those of the fast path stay in registers.
        bool taken = TryTakeFreeSlow(marks, out SlotHeader* slowSlot, out ulong slowWord);
        slot = slowSlot;
        word = slowWord;
        return taken;
    }

    /// <summary>One CAS, or nothing has happened. Throws nothing: whoever calls this may hold what has to be given
    /// back. The caller looks at <c>_closed</c> afterwards.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryTakeFast(bool marks, out SlotHeader* slot, out ulong word)
    {
        QueueSegmentHeader* segment = _only;
        if (segment != null && _closed == 0)
        {
            ulong tail = Atomic.LoadAcquire(ref segment->Tail);
            slot = (SlotHeader*)(_slots + (tail & _mask) * _stride);
            ulong free = tail >> _shift << SlotState.LapShift;
            word = free | _writing;
            // [free-slot]
            if (Atomic.LoadAcquire(ref slot->State) == free && Atomic.TryExchange(&slot->State, free, word))
            {
                FaultPoints.Pass(FaultPoints.QueueClaimWriting);
                Atomic.TryExchange(&segment->Tail, tail, tail + 1);
                FaultPoints.Pass(FaultPoints.QueueClaimTail);
                if (marks)
                    Atomic.StoreRelease(ref slot->Length, InFlight);
                if ((tail & _mask) == 0)
                    _pool?.Pass(_me, _mask + 1);
                return true;
            }
        }

        slot = null;
        word = 0;
        return false;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool UndoClaim(SlotHeader* slot, ulong word)
    {
        Abandon(slot, word);
        return false;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryTakeFreeSlow(bool marks, out SlotHeader* slot, out ulong word)
    {
        slot = null;
        word = 0;
        while (Atomic.LoadAcquire(ref _closed) == 0)
        {
            ulong turn = Atomic.LoadAcquire(ref _header->Send);
            uint number = _segments.SegmentOf(turn);
            QueueSegmentHeader* segment = _segments.Headers + number;
            ulong tail = Atomic.LoadAcquire(ref segment->Tail);
            SlotHeader* at = _segments.SlotAt(number, tail);
            ulong state = Atomic.LoadAcquire(ref at->State); // [free-slot]
            ulong free = SlotState.At(tail, _shift, 0, SlotState.Free);
            int ahead = SlotState.LapsAhead(state, SlotState.LapOf(free));
            bool isFree = SlotState.PhaseOf(state) == SlotState.Free;
            if (ahead > 0 || (ahead == 0 && !isFree))
            {
                // Passed. Nobody can have been further than the next lap's free slot while the tail was here.
                if ((ahead > 1 || (ahead == 1 && !isFree)) && Atomic.LoadAcquire(ref segment->Tail) == tail)
                    _segments.Corrupted($"slot state 0x{state:X16} at the tail, position {tail}");
                Atomic.TryExchange(&segment->Tail, tail, tail + 1);
            }
            else if ((state & SlotState.Sealed) != 0)
            {
                _segments.Follow(&_header->Send, turn, segment); // [seal]
            }
            else if (ahead == 0)
            {
                if (state != free)
                    _segments.Corrupted($"slot state 0x{state:X16} at the tail, position {tail}");
                if (_limit > 1 && Atomic.LoadAcquire(ref _header->Send) != turn)
                    continue; // the segment may have been given another turn, which is not at this position's
                word = free | _writing;
                if (!Atomic.TryExchange(&at->State, free, word)) // [free-slot]
                    continue;
                FaultPoints.Pass(FaultPoints.QueueClaimWriting);
                Atomic.TryExchange(&segment->Tail, tail, tail + 1);
                FaultPoints.Pass(FaultPoints.QueueClaimTail);
                slot = at;
                if (marks)
                    Atomic.StoreRelease(ref slot->Length, InFlight);
                if ((tail & _mask) == 0)
                    _pool?.Pass(_me, _mask + 1);
                if (Atomic.LoadAcquire(ref _closed) != 0)
                    return UndoClaim(slot, word);
                if ((tail & _prepareMask) == 0 && _preparesAhead)
                    PrepareAhead(turn, tail, slot, word);
                return true;
            }
            else if (Atomic.LoadAcquire(ref segment->Tail) == tail)
            {
                if (ahead < -1 || SlotState.PhaseOf(state) > SlotState.Reading)
                    _segments.Corrupted($"slot state 0x{state:X16} at the tail, position {tail}");
                if (!_growth.TryGrow(turn))
                    break;
            }
        }

        return false;
    }

    /// <summary>What it is full of may be a dead one's.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool Full()
    {
        if (Atomic.LoadAcquire(ref _closed) == 0)
            _place.Attend();
        GC.KeepAlive(this);
        return false;
    }

    /// <summary>For the lag: it only has to grow, and by one with each message.</summary>
    private ulong SentSoFar()
    {
        ulong turn = Atomic.LoadAcquire(ref _header->Send);
        uint segment = QueueTurn.SegmentOf(turn);
        return segment < _limit ? (turn << 16) + Atomic.LoadAcquire(ref _segments.Headers[segment].Tail) : 0;
    }

    [MethodImpl(MethodImplOptions.NoInlining | Tiering.Optimized)]
    private IpcStatus ClaimWaiting(
        int length, Deadline deadline, CancellationToken cancellationToken, out QueueClaim claim, bool marks = false)
    {
        CheckLength(length);
        QueueSpaceCondition condition = new(this, length, marks);
        try
        {
            // First without what a wait begins with: a long message goes this way when there is room, too.
            IpcStatus status = condition.IsTrue()
                ? IpcStatus.Ok
                : _waits.Wait(ref condition, &_header->Space, deadline, cancellationToken, _lag, SentSoFar());
            claim = status == IpcStatus.Ok ? condition.Taken() : default;
            GC.KeepAlive(this);
            return status;
        }
        finally
        {
            condition.End();
        }
    }

    public void CheckLength(int length)
    {
        if (length < 0)
            Throw.NegativeLength(length);
        if (length > _segments.MaxPayload)
        {
            Throw.Status(
                IpcStatus.TooLarge,
                $"A message of {length} bytes does not fit: this queue takes at most {_segments.MaxPayload}; " +
                "nothing was sent: send less at a time, or create the queue with larger blocks or a larger loan " +
                "budget.");
        }
    }

    /// <summary>Prepares the next segment, on the way to a slot that is taken already: when this fails, it is given
    /// back first.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void PrepareAhead(ulong turn, ulong tail, SlotHeader* taken, ulong word)
    {
        try
        {
            _growth.PrepareAhead(turn, tail);
        }
        catch
        {
            Abandon(taken, word);
            throw;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void WakeReceivers()
    {
        if (Waiter.TryTakeSleeper(&_header->Data))
            Waiter.Wake(&_header->Data);
    }
}
