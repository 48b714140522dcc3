using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>Growing under load: further segments of the same size, one after the other.</summary>
/// <remarks>
/// The segments between <c>receive</c> and <c>send</c> are a chain, each naming the next. A full segment's turn is
/// ended by SEALED at its tail <c>[seal]</c>: no sender takes a sealed slot, so everybody agrees on where the turn
/// ended, and both ends move on when they get there. Drained segments are used again, in later turns. All of this is
/// done under the region lock, whose holder may be killed between any two steps: the order of the steps is such that
/// the next one finds either nothing begun or the seal set, which everybody follows.
/// </remarks>
internal sealed unsafe class QueueGrowth
{
    private const ulong MemoryRetry = 100_000_000; // ns

    private readonly QueueSegments _queue;
    private readonly QueueHeader* _header;
    private readonly Region _region;
    private readonly uint _limit; // how many segments there can be
    private readonly int _shift;
    private int _lockWasBusy;
    private ulong _noMemoryUntil; // after a failure: a full file system is not asked at every turn of a spin

    public QueueGrowth(QueueSegments queue)
    {
        _queue = queue;
        _header = queue.Header;
        _region = queue.Region;
        _limit = queue.Limit;
        _shift = queue.Geometry.SlotShift;
    }

    /// <summary>At the last attempt to grow: who waits looks again soon.</summary>
    public bool LockWasBusy => Atomic.LoadAcquire(ref _lockWasBusy) != 0;

    /// <summary>The segment of this turn was seen full. True: look again. False: it is full indeed, and there is no
    /// other.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public bool TryGrow(ulong turn)
    {
        if (_limit == 1 || !CanGrow(turn))
            return false;
        bool locked = _region.TryLock(Deadline.Now); // only tried: calls that never block come here
        Atomic.Exchange(ref _lockWasBusy, locked ? 0 : 1);
        if (!locked)
            return false;
        try
        {
            if (Atomic.LoadAcquire(ref _header->Send) != turn)
                return true;
            uint number = _queue.SegmentOf(turn);
            QueueSegmentHeader* segment = _queue.Headers + number;
            ulong tail = Atomic.LoadAcquire(ref segment->Tail);
            SlotHeader* slot = _queue.SlotAt(number, tail);
            ulong state = Atomic.LoadAcquire(ref slot->State);
            if (SlotState.LapsAhead(state, (uint)(tail >> _shift)) != -1 || (state & SlotState.Sealed) != 0)
                return true;

            int spare = FindSpare(turn);
            if (spare < 0)
                spare = Prepare();
            if (spare < 0)
                return false;
            Unseal((uint)spare);
            ulong next = QueueTurn.After(turn, (uint)spare);
            Atomic.StoreRelease(ref segment->Next, next);
            FaultPoints.Pass(FaultPoints.QueueGrowLinked);
            if (!Atomic.TryExchange(&slot->State, state, state | SlotState.Sealed)) // [seal]
                return true; // freed perhaps: nothing has happened
            FaultPoints.Pass(FaultPoints.QueueGrowSealed);
            Atomic.TryExchange(&_header->Send, turn, next);
            FaultPoints.Pass(FaultPoints.QueueGrowMoved);
        }
        finally
        {
            _region.Unlock();
        }

        Waiter.Signal(&_header->Space); // who did not get the lock may sleep
        return true;
    }

    /// <summary>Not all segments are in the chain. Without the lock: not for ever. When one leaves the chain,
    /// <c>space</c> is signalled.</summary>
    private bool CanGrow(ulong turn)
    {
        ulong chain = QueueTurn.Between(Atomic.LoadAcquire(ref _header->Receive), turn) + 1;
        uint segments = Atomic.LoadAcquire(ref _header->Segments);
        return chain < segments || (segments < _limit && Os.Current.Now() >= Atomic.LoadAcquire(ref _noMemoryUntil)) ||
            Atomic.LoadAcquire(ref _header->Send) != turn;
    }

    /// <summary>Prepares the next segment when the free slots of this turn's have fallen to the distance.</summary>
    public void PrepareAhead(ulong turn, ulong tail)
    {
        ulong used = tail + 1 - Atomic.LoadAcquire(ref _queue.Headers[_queue.SegmentOf(turn)].Head);
        if (used < _queue.Geometry.SlotCount - _queue.Geometry.MinExpansionDistance ||
            Atomic.LoadAcquire(ref _header->Segments) >= _limit ||
            !_region.TryLock(Deadline.Now))
        {
            return;
        }

        try
        {
            if (Atomic.LoadAcquire(ref _header->Send) != turn || FindSpare(turn) >= 0 || Prepare() < 0)
                return;
        }
        finally
        {
            _region.Unlock();
        }

        Waiter.Signal(&_header->Space);
    }

    /// <summary>A prepared segment that is not in the chain, and free at its tail: else it would be full at once. -1:
    /// none. Under the region lock, which keeps the chain from growing: that it gets shorter meanwhile does no
    /// harm.</summary>
    private int FindSpare(ulong send)
    {
        ulong* used = stackalloc ulong[(int)QueueHeader.MaxSegments / 64];
        for (int i = 0; i < (int)QueueHeader.MaxSegments / 64; i++)
            used[i] = 0;
        ulong at = Atomic.LoadAcquire(ref _header->Receive);
        for (int length = 1; ; length++)
        {
            uint segment = _queue.SegmentOf(at);
            used[segment / 64] |= 1UL << (int)(segment % 64);
            if (at == send)
                break;
            ulong next = Atomic.LoadAcquire(ref _queue.Headers[segment].Next);
            if (next != QueueTurn.After(at, QueueTurn.SegmentOf(next)) || length > _limit)
                _queue.Corrupted($"turn 0x{next:X} after turn 0x{at:X} on the way to 0x{send:X}");
            at = next;
        }

        uint segments = _queue.Present;
        for (uint segment = 0; segment < segments; segment++)
        {
            if ((used[segment / 64] & 1UL << (int)(segment % 64)) != 0)
                continue;
            ulong tail = Atomic.LoadAcquire(ref _queue.Headers[segment].Tail);
            ulong state = Atomic.LoadAcquire(ref _queue.SlotAt(segment, tail)->State);
            if (SlotState.LapsAhead(state, (uint)(tail >> _shift)) >= 0)
                return (int)segment;
        }

        return -1;
    }

    /// <summary>Gives one more segment memory; its number, or -1 when there can be no more or no memory is left. Under
    /// the region lock.</summary>
    private int Prepare()
    {
        uint segment = Atomic.LoadAcquire(ref _header->Segments);
        if (segment >= _limit)
            return -1;
        ulong offset = _queue.Geometry.SegmentsOffset + segment * _queue.Geometry.SegmentStride;
        if (!Os.Current.Populate(_region.File, _region.Base, offset, _queue.Geometry.SegmentStride))
        {
            _ = Os.Current.GiveBackPages(_region.Base, offset, _queue.Geometry.SegmentStride); // as much as there was
            Atomic.StoreRelease(ref _noMemoryUntil, Os.Current.Now() + MemoryRetry);
            Atomic.StoreRelease(ref _header->GrowthFailures, _header->GrowthFailures + 1);
            return -1;
        }

        FaultPoints.Pass(FaultPoints.QueueGrowPopulated);
        Atomic.StoreRelease(ref _header->Segments, segment + 1); // [present]
        return (int)segment;
    }

    /// <summary>A segment that is in nobody's way begins its next turn where the last one ended.</summary>
    private void Unseal(uint segment)
    {
        SlotHeader* slot = _queue.SlotAt(segment, Atomic.LoadAcquire(ref _queue.Headers[segment].Tail));
        for (; ; )
        {
            ulong state = Atomic.LoadAcquire(ref slot->State);
            // [seal]
            if ((state & SlotState.Sealed) == 0 || Atomic.TryExchange(&slot->State, state, state & ~SlotState.Sealed))
                return;
        }
    }
}
