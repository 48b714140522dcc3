using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc;

/// <summary>Receiving: take the first ready slot, read it in place, free it.</summary>
public sealed unsafe partial class SharedQueue
{
    /// <summary>The next message, in place. Release it. Several may be held at a time, by any threads.</summary>
    /// <returns>False when there is none, or this object is closed. Never blocks.</returns>
    /// <exception cref="CorruptRegionException">A participant has written what is not a message.</exception>
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

    /// <summary>The next message, waiting for it if there is none. See <see cref="TryReceive"/>.</summary>
    /// <returns>Ok; Timeout; Stopped; Cancelled; Closed.</returns>
    /// <exception cref="CorruptRegionException">A participant has written what is not a message.</exception>
    public IpcStatus Receive(
        out QueueMessage message, Deadline deadline, CancellationToken cancellationToken = default) =>
        TryReceive(out message) ? IpcStatus.Ok : ReceiveWaiting(deadline, cancellationToken, out message);

    /// <summary>Reading to Free. Nothing if the slot is not ours any more.</summary>
    [MethodImpl(Tiering.Inlined)]
    internal void Release(SlotHeader* slot, ulong word)
    {
        FaultPoints.Pass(FaultPoints.QueueReleaseBeforeFree);
        if ((word & SlotState.Redelivered) != 0 && Atomic.LoadAcquire(ref _closed) != 0)
            return; // it came again when we left, to whoever has our number now perhaps: the word would be the same
        ulong free = SlotState.NextFree(word);
        if (!Atomic.TryExchange(&slot->State, word, free) && !TryChange(slot, word, free - word)) // [free-slot]
            return;
        FaultPoints.Pass(FaultPoints.QueueReleaseAfterFree);
        FaultPoints.Pass(FaultPoints.QueueReleaseLoanFreed);
        if (Waiter.NeedsSignal(&_header->Space))
            WakeSenders();
        GC.KeepAlive(this);
    }

    /// <summary>Takes the slot at the head, in a queue that cannot grow and has no orphans; everything else is for the
    /// slow path.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryTake(out SlotHeader* slot, out ulong word)
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
        if (TryChange(slot, word, (SlotState.With(word, 0, SlotState.Ready) | SlotState.Redelivered) - word))
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
        return segment < _limit ? (turn << 16) + Atomic.LoadAcquire(ref _segments[segment].Head) : 0;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private IpcStatus ReceiveWaiting(Deadline deadline, CancellationToken cancellationToken, out QueueMessage message)
    {
        DataCondition condition = new(this, takes: true);
        IpcStatus status = WaitFor(
            ref condition, &_header->Data, deadline, cancellationToken, _receivingLag, ReceivedSoFar());
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
    private QueueMessage MessageAt(SlotHeader* slot, ulong word)
    {
        ulong about = Atomic.LoadAcquire(ref *(ulong*)&slot->Length); // length, type and flags, read once
        return about >> 48 == 0 && (uint)about <= _blockSize
            ? new QueueMessage(this, slot, word, (byte*)slot + SlotHeader.ByteSize, (uint)about, (ushort)(about >> 32))
            : LongMessage(slot, word, about);
    }

    /// <summary>A message: takes it, or only looks.</summary>
    private struct DataCondition : IWaitCondition
    {
        private readonly SharedQueue _queue;
        private readonly bool _takes;
        private SlotHeader* _slot;
        private ulong _word;

        public DataCondition(SharedQueue queue, bool takes)
        {
            _queue = queue;
            _takes = takes;
            _slot = null;
            _word = 0;
        }

        public readonly SlotHeader* Slot => _slot;

        public readonly ulong Word => _word;

        public readonly ulong LongestSleep => ulong.MaxValue;

        public bool IsTrue() =>
            _takes ? _queue.TryTake(out _slot, out _word) : _queue.TryTakeSlow(takes: false, out _slot, out _word);

        public readonly IpcStatus PeerStatus()
        {
            _queue._place.Attend();
            return IpcStatus.Ok;
        }

        public readonly void BeforeSleep()
        {
        }
    }
}
