using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc;

/// <summary>Receiving: take the first ready slot, read it in place, free it. What <see cref="SharedQueue"/> says of its
/// calls holds for those of the same name here.</summary>
internal sealed unsafe partial class QueueReceiver
{
    /// <summary>How often a receiver that looks past a sender may be overtaken by everybody else before it says that
    /// this cannot be.</summary>
    private const int MostOverruns = 1000;

    /// <summary>How many walks of one call may pass as much as there can be, and find that there is more: laps wrap, so
    /// made-up slots can say in a circle that each is ahead of the one before.</summary>
    private const int MostLongWalks = 8;

    // What every message passes through, beside each other.
    private readonly QueueHeader* _header;
    private readonly QueueSegmentHeader* _only; // if there can be only one segment; null otherwise
    private readonly byte* _slots;              // of segment 0
    private readonly ulong _stride;
    private readonly ulong _mask;
    private readonly int _shift;
    private readonly uint _blockSize;
    private readonly ulong _reading;            // the owner and phase of a slot that we read
    private readonly Pool? _pool;
    private int _closed;

    private readonly QueueSegments _segments;
    private readonly QueueWalk _walk;
    private readonly QueueWaits _waits;
    private readonly Attachment _place;
    private readonly StreamLag _lag;

    public QueueReceiver(QueueSegments segments, Attachment place, QueueWaits waits, StreamLag lag)
    {
        _segments = segments;
        _walk = new QueueWalk(segments);
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
        _reading = segments.Reading;
        _pool = segments.Pool;
    }

    /// <summary>Nothing is received from now on. A full barrier: see <see cref="SharedQueue"/>.</summary>
    public void Close() => Atomic.Exchange(ref _closed, 1);

    /// <summary>Sees to it that the death of those who may hold what there is is noticed.</summary>
    public void Attend() => _place.Attend();

    [MethodImpl(Tiering.Inlined)]
    public bool TryReceive(out QueueMessage message)
    {
        if (TryTake(out SlotHeader* slot, out ulong word))
        {
            ulong about = Atomic.LoadAcquire(ref *(ulong*)&slot->Length); // length, type and flags, read once
            if (about >> 48 == 0 && (uint)about <= _blockSize)
            {
                message = new QueueMessage(
                    this, slot, word, (byte*)slot + SlotHeader.ByteSize, (uint)about, (ushort)(about >> 32));
                return true;
            }

            message = LongMessage(slot, word, about);
            return true;
        }

        if (_closed == 0)
            _place.Attend(); // a dead one may hold what there is
        message = default;
        return false;
    }

    public IpcStatus Receive(
        out QueueMessage message, Deadline deadline, CancellationToken cancellationToken) =>
        TryReceive(out message) ? IpcStatus.Ok : ReceiveWaiting(deadline, cancellationToken, out message);

    /// <summary>Waits until something can be received, without taking it.</summary>
    public IpcStatus Wait(Deadline deadline, CancellationToken cancellationToken)
    {
        QueueDataCondition condition = new(this, takes: false);
        IpcStatus status = _waits.Wait(ref condition, &_header->Data, deadline, cancellationToken);
        GC.KeepAlive(this);
        return status;
    }

    /// <summary>Reading to Free. Nothing if the slot is not ours any more.</summary>
    [MethodImpl(Tiering.Inlined)]
    public void Release(SlotHeader* slot, ulong word)
    {
        FaultPoints.Pass(FaultPoints.QueueReleaseBeforeFree);
        if ((word & SlotState.Redelivered) != 0 && Atomic.LoadAcquire(ref _closed) != 0)
            return; // it came again when we left, to whoever has our number now perhaps: the word would be the same
        ulong free = SlotState.NextFree(word);
        if (!Atomic.TryExchange(&slot->State, word, free) && // [free-slot]
            !QueueSegments.TryChange(slot, word, free - word))
        {
            return;
        }

        FaultPoints.Pass(FaultPoints.QueueReleaseAfterFree);
        FaultPoints.Pass(FaultPoints.QueueReleaseLoanFreed);
        if (Waiter.NeedsSignal(&_header->Space))
            WakeSenders();
        GC.KeepAlive(this);
    }

    /// <summary>Takes the slot at the head, in a queue that cannot grow and has no orphans; everything else is for the
    /// slow path.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryTake(out SlotHeader* slot, out ulong word)
    {
        QueueSegmentHeader* segment = _only;
        // [orphans]
        if (segment != null && _closed == 0 &&
            Atomic.LoadAcquire(ref _header->Orphans) == Atomic.LoadAcquire(ref _header->OrphansCleared))
        {
            ulong head = Atomic.LoadAcquire(ref segment->Head);
            slot = (SlotHeader*)(_slots + (head & _mask) * _stride);
            ulong state = Atomic.LoadAcquire(ref slot->State); // [ready-slot]
            ulong lap = head >> _shift << SlotState.LapShift;
            if ((state & ~SlotState.OwnerMask) == (lap | SlotState.Ready))
            {
                word = lap | _reading;
                if (Atomic.TryExchange(&slot->State, state, word)) // [take]
                {
                    FaultPoints.Pass(FaultPoints.QueueReceiveReading);
                    Atomic.TryExchange(&segment->Head, head, head + 1);
                    FaultPoints.Pass(FaultPoints.QueueReceiveHead);
                    return Atomic.LoadAcquire(ref _closed) == 0 || UndoTake(slot, word);
                }
            }
        }

        // Into variables of its own: those of the fast path stay in registers.
        bool found = TryTakeSlow(takes: true, out SlotHeader* slowSlot, out ulong slowWord);
        slot = slowSlot;
        word = slowWord;
        return found;
    }

    /// <summary>What Leave does with what its object holds, for a slot that was taken while it looked: somebody else
    /// gets the message.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool UndoTake(SlotHeader* slot, ulong word)
    {
        ulong again = SlotState.With(word, 0, SlotState.Ready) | SlotState.Redelivered;
        if (QueueSegments.TryChange(slot, word, again - word))
        {
            Atomic.Add(&_header->Orphans, 1); // [orphans]
            Waiter.Signal(&_header->Data);
            GC.KeepAlive(this);
        }

        return false;
    }

    /// <summary>For the lag: it only has to grow, and by one with each message.</summary>
    private ulong ReceivedSoFar()
    {
        ulong turn = Atomic.LoadAcquire(ref _header->Receive);
        uint segment = QueueTurn.SegmentOf(turn);
        return segment < _segments.Limit ? (turn << 16) + Atomic.LoadAcquire(ref _segments.Headers[segment].Head) : 0;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private IpcStatus ReceiveWaiting(Deadline deadline, CancellationToken cancellationToken, out QueueMessage message)
    {
        QueueDataCondition condition = new(this, takes: true);
        IpcStatus status = _waits.Wait(
            ref condition, &_header->Data, deadline, cancellationToken, _lag, ReceivedSoFar());
        if (status != IpcStatus.Ok)
        {
            message = default;
        }
        else
        {
            message = MessageAt(condition.Slot, condition.Word);
        }

        GC.KeepAlive(this);
        return status;
    }

    /// <summary>What stands in a slot that has been taken.</summary>
    public QueueMessage MessageAt(SlotHeader* slot, ulong word)
    {
        ulong about = Atomic.LoadAcquire(ref *(ulong*)&slot->Length); // length, type and flags, read once
        return about >> 48 == 0 && (uint)about <= _blockSize
            ? new QueueMessage(this, slot, word, (byte*)slot + SlotHeader.ByteSize, (uint)about, (ushort)(about >> 32))
            : LongMessage(slot, word, about);
    }

    /// <summary>Looks for a message from the head on, past senders in the middle of theirs. False: there is none to be
    /// had.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public bool TryTakeSlow(bool takes, out SlotHeader* slot, out ulong word)
    {
        uint* skipped = stackalloc uint[QueueWalk.MostSkipped];
        int overruns = 0;
        int longWalks = 0;
        while (Atomic.LoadAcquire(ref _closed) == 0)
        {
            if (_walk.TryTakeOrphan(takes, out slot, out word))
                return !takes || Atomic.LoadAcquire(ref _closed) == 0 || UndoTake(slot, word);
            switch (_walk.Search(takes, skipped, out slot, out word))
            {
                case QueueWalk.Found.Message:
                    return !takes || Atomic.LoadAcquire(ref _closed) == 0 || UndoTake(slot, word);
                case QueueWalk.Found.Nothing:
                    return false;
                case QueueWalk.Found.TooMuch when ++overruns == MostOverruns:
                    _segments.Corrupted("more messages than it has room for");
                    break;
                case QueueWalk.Found.NoEnd when ++longWalks == MostLongWalks:
                    _segments.Corrupted("slots of which each is ahead of the one before");
                    break;
            }
        }

        slot = null;
        word = 0;
        return false;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void WakeSenders()
    {
        if (Waiter.TryTakeSleeper(&_header->Space))
            Waiter.Wake(&_header->Space);
    }
}
