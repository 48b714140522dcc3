using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc;

/// <summary>Receiving: take the first ready slot, read it in place, free it.</summary>
public sealed unsafe partial class SharedQueue
{
    /// <summary>How many senders in the middle of a message a receiver looks past at one time.</summary>
    private const int MostSkipped = 16;

    /// <summary>How often a receiver that looks past a sender may be overtaken by everybody else before it says that this cannot be.</summary>
    private const int MostOverruns = 1000;

    /// <summary>The next message, in place. Release it. Several may be held at a time, by any threads.</summary>
    /// <returns>False when there is none, or this object is closed. Never blocks.</returns>
    /// <exception cref="CorruptRegionException">A participant has written what is not a message.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryReceive(out QueueMessage message)
    {
        if (TryTake(out SlotHeader* slot, out ulong word))
        {
            ulong about = Atomic.LoadAcquire(ref *(ulong*)&slot->Length); // length, type and flags, read once
            if (about >> 48 == 0 && (uint)about <= _blockSize)
            {
                message = new QueueMessage(this, slot, word, (byte*)slot + SlotHeader.ByteSize, (uint)about, (ushort)(about >> 32));
                return true;
            }

            message = LongMessage(slot, word, about);
            return true;
        }

        if (_closed == 0)
            _crowd.Attend(); // a dead one may hold what there is
        message = default;
        return false;
    }

    /// <summary>The next message, waiting for it if there is none. See <see cref="TryReceive"/>.</summary>
    /// <returns>Ok; Timeout; Stopped; Cancelled; Closed.</returns>
    /// <exception cref="CorruptRegionException">A participant has written what is not a message.</exception>
    public IpcStatus Receive(Deadline deadline, CancellationToken cancel, out QueueMessage message) =>
        TryReceive(out message) ? IpcStatus.Ok : ReceiveWaiting(deadline, cancel, out message);

    /// <summary>Reading to Free. Nothing if the slot is not ours any more.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Release(SlotHeader* slot, ulong word)
    {
        FaultPoints.Pass(FaultPoints.QueueReleaseBeforeFree);
        ulong free = SlotState.NextFree(word);
        if (!Atomic.TryExchange(&slot->State, word, free) && !TryChange(slot, word, free - word)) // [free-slot]
            return;
        FaultPoints.Pass(FaultPoints.QueueReleaseAfterFree);
        FaultPoints.Pass(FaultPoints.QueueReleaseLoanFreed);
        if (Waiter.NeedsSignal(&_header->Space))
            WakeSenders();
        GC.KeepAlive(this);
    }

    /// <summary>The same; then its loan is free. The descriptor was copied while the slot was ours.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal void ReleaseLoan(SlotHeader* slot, ulong word, in LoanDescriptor loan)
    {
        FaultPoints.Pass(FaultPoints.QueueReleaseBeforeFree);
        if (!TryChange(slot, word, SlotState.NextFree(word) - word)) // [free-slot]
            return;
        FaultPoints.Pass(FaultPoints.QueueReleaseAfterFree);
        _pool!.Free(loan); // [loan]
        FaultPoints.Pass(FaultPoints.QueueReleaseLoanFreed);
        Waiter.Signal(&_header->Space);
        GC.KeepAlive(this);
    }

    /// <summary>Takes the slot at the head, in a queue that cannot grow and has no orphans; everything else is for the slow path.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryTake(out SlotHeader* slot, out ulong word)
    {
        QueueSegmentHeader* segment = _only;
        if (segment != null && _closed == 0 && Atomic.LoadAcquire(ref _header->Orphans) == Atomic.LoadAcquire(ref _header->OrphansCleared)) // [orphans]
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

        // Into variables of its own: those of the straight path stay in registers.
        bool found = TryTakeSlow(takes: true, out SlotHeader* slowSlot, out ulong slowWord);
        slot = slowSlot;
        word = slowWord;
        return found;
    }

    /// <summary>What Leave does with what its object holds, for a slot that was taken while it looked: somebody else gets the message.</summary>
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

    /// <summary>Looks for a message from the head on, past senders in the middle of theirs. False: there is none to be had.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryTakeSlow(bool takes, out SlotHeader* slot, out ulong word)
    {
        uint* skipped = stackalloc uint[MostSkipped];
        int overruns = 0;
        while (Atomic.LoadAcquire(ref _closed) == 0)
        {
            if (TryTakeOrphan(takes, out slot, out word))
                return true;
            switch (Search(takes, skipped, out slot, out word))
            {
                case Found.Message:
                    return Atomic.LoadAcquire(ref _closed) == 0 || !takes || UndoTake(slot, word);
                case Found.Nothing:
                    return false;
                case Found.TooMuch when ++overruns == MostOverruns:
                    Corrupted("more messages than it has room for");
                    break;
            }
        }

        slot = null;
        word = 0;
        return false;
    }

    private enum Found { Message, Nothing, Again, TooMuch }

    private Found Search(bool takes, uint* skipped, out SlotHeader* slot, out ulong word)
    {
        word = 0;
        int skips = 0;
        bool leftSome = false; // in this segment: its head must stay before what was left there
        ulong looks = 0; // past something
        ulong first = Atomic.LoadAcquire(ref _header->Receive);
        ulong turn = first;
        uint number = SegmentOf(turn);
        QueueSegmentHeader* segment = _segments + number;
        ulong position = Atomic.LoadAcquire(ref segment->Head);
        for (; ; )
        {
            slot = SlotAt(number, position);
            ulong state = Atomic.LoadAcquire(ref slot->State); // [ready-slot]
            int ahead = SlotState.LapsAhead(state, (uint)(position >> _shift));
            uint phase = SlotState.PhaseOf(state);
            uint owner = SlotState.OwnerOf(state);
            bool isOrphan = (state & SlotState.Redelivered) != 0;
            if (ahead == 0 && phase == SlotState.Ready && !isOrphan && !IsSkipped(skipped, skips, owner))
            {
                if (_limit > 1 && Atomic.LoadAcquire(ref _header->Receive) != first)
                    return Found.Again;
                if (!takes)
                    return Found.Message;
                word = SlotState.With(state, _me, SlotState.Reading);
                if (!Atomic.TryExchange(&slot->State, state, word)) // [take]
                    continue;
                FaultPoints.Pass(FaultPoints.QueueReceiveReading);
                if (!leftSome)
                    Atomic.TryExchange(&segment->Head, position, position + 1);
                FaultPoints.Pass(FaultPoints.QueueReceiveHead);
                return Found.Message;
            }

            if (ahead == 0 && phase is SlotState.Ready or SlotState.Writing && !isOrphan)
            {
                if (phase == SlotState.Writing && !IsSkipped(skipped, skips, owner))
                {
                    if (skips == MostSkipped)
                        return Nothing(first);
                    skipped[skips++] = owner;
                }

                if (++looks > 2 * _geometry.SlotCount * _limit)
                    return Found.TooMuch;
                leftSome = true;
                position++;
            }
            else if (ahead > 0 || (ahead == 0 && phase is SlotState.Reading or SlotState.Ready))
            {
                // Claims that were abandoned can have gone round while nobody received. Positions are claimed in order, and each only when the one a lap before has been
                // passed: so a slot k laps ahead shows that the head may go on by k - 2 laps and one.
                ulong next = position + 1 + (!leftSome && ahead > 2 ? (ulong)(ahead - 2) << _shift : 0);
                if (!leftSome)
                {
                    // Others may be taking as fast as this one looks: it goes on where they are.
                    if (!Atomic.TryExchange(&segment->Head, position, next) && (long)(Atomic.LoadAcquire(ref segment->Head) - next) is var farther and > 0)
                        next += (ulong)farther;
                }
                else if (++looks > 2 * _geometry.SlotCount * _limit)
                    return Found.TooMuch;
                position = next;
            }
            else if (ahead >= -1 && (ahead == -1 || phase == SlotState.Free))
            {
                if ((state & SlotState.Sealed) == 0)
                    return Nothing(first);
                if (skips == 0)
                {
                    if (Follow(&_header->Receive, turn, segment)) // [seal]
                        Waiter.Signal(&_header->Space); // a sender may wait for a segment that is free now
                    return Found.Again;
                }

                ulong following = Atomic.LoadAcquire(ref segment->Next);
                if (Atomic.LoadAcquire(ref _header->Receive) != first)
                    return Found.Again;
                if (following != QueueTurn.After(turn, QueueTurn.SegmentOf(following)))
                    Corrupted($"turn 0x{following:X} after turn 0x{turn:X}");
                turn = following;
                number = SegmentOf(turn);
                segment = _segments + number;
                position = Atomic.LoadAcquire(ref segment->Head);
                leftSome = false;
            }
            else
            {
                if (skips == 0 && Atomic.LoadAcquire(ref segment->Head) == position && Atomic.LoadAcquire(ref slot->State) == state)
                    Corrupted($"slot state 0x{state:X16} at the head, position {position}");
                return Nothing(first);
            }
        }
    }

    /// <summary>Nothing; unless the segment has been given another turn meanwhile: then it says nothing about this one.</summary>
    private Found Nothing(ulong first) =>
        _limit > 1 && Atomic.LoadAcquire(ref _header->Receive) != first ? Found.Again : Found.Nothing;

    private static bool IsSkipped(uint* skipped, int count, uint owner)
    {
        for (int i = 0; i < count; i++)
        {
            if (skipped[i] == owner)
                return true;
        }

        return false;
    }

    /// <summary>Takes a message that was made available again: it may be anywhere. Looks only when a recovery has said that there may be one.</summary>
    private bool TryTakeOrphan(bool takes, out SlotHeader* slot, out ulong word)
    {
        slot = null;
        word = 0;
        ulong orphans = Atomic.LoadAcquire(ref _header->Orphans); // [orphans] before the slots
        if (orphans == Atomic.LoadAcquire(ref _header->OrphansCleared))
            return false;

        int slots = (int)(Math.Min(Atomic.LoadAcquire(ref _header->Segments), _limit) * _geometry.SlotCount);
        int start = _orphanHint < slots ? _orphanHint : 0;
        for (int i = 0; i < slots; i++)
        {
            int index = i < slots - start ? start + i : i - (slots - start);
            slot = SlotAt((uint)index >> _shift, (ulong)index);
            ulong state = Atomic.LoadAcquire(ref slot->State);
            if (SlotState.PhaseOf(state) != SlotState.Ready || (state & SlotState.Redelivered) == 0)
                continue;
            if (!takes)
                return true;
            word = SlotState.With(state, _me, SlotState.Reading);
            if (!Atomic.TryExchange(&slot->State, state, word)) // [take]
            {
                i--; // sealed, perhaps: look at it again
                continue;
            }

            _orphanHint = index;
            FaultPoints.Pass(FaultPoints.QueueReceiveReading);
            FaultPoints.Pass(FaultPoints.QueueReceiveHead);
            return Atomic.LoadAcquire(ref _closed) == 0 || UndoTake(slot, word);
        }

        for (ulong cleared = Atomic.LoadAcquire(ref _header->OrphansCleared); cleared < orphans; cleared = Atomic.LoadAcquire(ref _header->OrphansCleared))
            Atomic.TryExchange(&_header->OrphansCleared, cleared, orphans); // [orphans]
        return false;
    }

    /// <summary>A loan, or nonsense: then the slot is freed, so that the next message can be received, and this one reported.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private QueueMessage LongMessage(SlotHeader* slot, ulong word, ulong about)
    {
        string? wrong = null;
        if (about >> 48 == SlotHeader.LoanFlag && _pool is not null)
        {
            LoanDescriptor descriptor = *(LoanDescriptor*)((byte*)slot + SlotHeader.ByteSize); // once
            wrong = _pool.Resolve(descriptor, out Loan loan);
            if (wrong is null)
                return new QueueMessage(this, slot, word, loan.Bytes, descriptor.Length, (ushort)(about >> 32), isLoan: true, descriptor);
        }

        Release(slot, word);
        Corrupted(wrong ?? $"a message of {(uint)about} bytes and flags 0x{about >> 48:X}; a block has {_blockSize}");
        return default;
    }

    /// <summary>For the lag: it only has to grow, and by one with each message.</summary>
    private ulong ReceivedSoFar()
    {
        ulong turn = Atomic.LoadAcquire(ref _header->Receive);
        uint segment = QueueTurn.SegmentOf(turn);
        return segment < _limit ? (turn << 16) + Atomic.LoadAcquire(ref _segments[segment].Head) : 0;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private IpcStatus ReceiveWaiting(Deadline deadline, CancellationToken cancel, out QueueMessage message)
    {
        DataCondition condition = new(this, takes: true);
        IpcStatus status = _control.Wait(ref condition, &_header->Data, deadline, cancel, _receivingLag, ReceivedSoFar());
        if (status != IpcStatus.Ok)
        {
            message = default;
        }
        else
        {
            SlotHeader* slot = condition.Slot;
            ulong about = Atomic.LoadAcquire(ref *(ulong*)&slot->Length);
            message = about >> 48 == 0 && (uint)about <= _blockSize
                ? new QueueMessage(this, slot, condition.Word, (byte*)slot + SlotHeader.ByteSize, (uint)about, (ushort)(about >> 32))
                : LongMessage(slot, condition.Word, about);
        }

        GC.KeepAlive(this);
        return status;
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

        public bool IsTrue() => _takes ? _queue.TryTake(out _slot, out _word) : _queue.TryTakeSlow(takes: false, out _slot, out _word);

        public readonly IpcStatus PeerStatus()
        {
            _queue._crowd.Attend();
            return IpcStatus.Ok;
        }

        public readonly void BeforeSleep()
        {
        }
    }
}
