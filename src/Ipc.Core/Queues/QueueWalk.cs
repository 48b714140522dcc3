namespace Ipc;

/// <summary>Looking for a message where the slot at the head is not simply ready.</summary>
/// <remarks>A walk goes past what others have taken, past senders that are still writing (and whatever of theirs stands
/// behind, so that the messages of one sender stay in order), through the segments of all turns, until it finds a
/// message, or a place where nobody has been yet. Messages that the dead had received and not released come
/// first.</remarks>
internal sealed unsafe class QueueWalk
{
    /// <summary>How many senders in the middle of a message a receiver looks past at one time.</summary>
    public const int MostSkipped = 16;

    /// <summary>Slots that a walk may pass besides two for each that there can be: others may be faster that
    /// often.</summary>
    private const ulong SpareLooks = 1 << 16;

    private readonly QueueSegments _queue;
    private readonly QueueHeader* _header;
    private readonly uint _limit; // how many segments there can be
    private readonly uint _slotCount;
    private readonly int _shift;
    private readonly uint _me;
    private int _orphanHint;      // where the last orphan was found

    public QueueWalk(QueueSegments queue)
    {
        _queue = queue;
        _header = queue.Header;
        _limit = queue.Limit;
        _slotCount = queue.Geometry.SlotCount;
        _shift = queue.Geometry.SlotShift;
        _me = queue.Owner;
    }

    /// <summary>How a walk ended; <see cref="OnTheWay"/>: it has not.</summary>
    public enum Found { Message, Nothing, Again, TooMuch, NoEnd, OnTheWay }

    /// <summary>From the head on. The message that is found is taken, or only looked at.</summary>
    public Found Search(bool takes, uint* skipped, out SlotHeader* slot, out ulong word)
    {
        word = 0;
        Place at = FirstPlace();
        for (; ; )
        {
            slot = _queue.SlotAt(at.Segment, at.Position);
            ulong state = Atomic.LoadAcquire(ref slot->State); // [ready-slot]
            int ahead = SlotState.LapsAhead(state, (uint)(at.Position >> _shift));
            uint phase = SlotState.PhaseOf(state);
            uint owner = SlotState.OwnerOf(state);
            bool isOrphan = (state & SlotState.Redelivered) != 0;
            if (ahead < -1 || (ahead == 0 && SlotState.IsDamagedInQueue(state)))
                return Damaged(at, slot, state);

            if (ahead == 0 && phase == SlotState.Ready && !isOrphan && !IsSkipped(skipped, at.Skips, owner))
            {
                if (HasTurned(at.First))
                    return Found.Again;
                if (!takes)
                    return Found.Message;
                word = SlotState.With(state, _me, SlotState.Reading);
                if (!Atomic.TryExchange(&slot->State, state, word)) // [take]
                    continue;
                FaultPoints.Pass(FaultPoints.QueueReceiveReading);
                if (!at.LeftSome)
                    Atomic.TryExchange(&at.Header->Head, at.Position, at.Position + 1);
                FaultPoints.Pass(FaultPoints.QueueReceiveHead);
                return Found.Message;
            }

            Found found;
            if (ahead == 0 && phase is SlotState.Ready or SlotState.Writing && !isOrphan)
                found = LookPast(ref at, phase, owner, skipped);
            else if (ahead > 0 || (ahead == 0 && phase is SlotState.Reading or SlotState.Ready))
                found = GoPast(ref at, ahead);
            else if ((state & SlotState.Sealed) != 0)
                found = FollowTurn(ref at);
            else
                found = Nothing(at.First);
            if (found != Found.OnTheWay)
                return found;
        }
    }

    /// <summary>Takes a message that was made available again: it may be anywhere. Looks only when a recovery has said
    /// that there may be one.</summary>
    public bool TryTakeOrphan(bool takes, out SlotHeader* slot, out ulong word)
    {
        slot = null;
        word = 0;
        ulong orphans = Atomic.LoadAcquire(ref _header->Orphans); // [orphans] before the slots
        if (orphans == Atomic.LoadAcquire(ref _header->OrphansCleared))
            return false;

        int slots = (int)(_queue.Present * _slotCount);
        int start = _orphanHint < slots ? _orphanHint : 0;
        for (int i = 0; i < slots; i++)
        {
            int index = i < slots - start ? start + i : i - (slots - start);
            slot = _queue.SlotAt((uint)index >> _shift, (ulong)index);
            ulong state = Atomic.LoadAcquire(ref slot->State);
            if (SlotState.PhaseOf(state) != SlotState.Ready || (state & SlotState.Redelivered) == 0)
                continue;
            if (SlotState.IsDamagedInQueue(state))
                _queue.Corrupted($"slot state 0x{state:X16} of a message that is to come again");
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
            return true;
        }

        for (ulong cleared; (cleared = Atomic.LoadAcquire(ref _header->OrphansCleared)) < orphans;)
            Atomic.TryExchange(&_header->OrphansCleared, cleared, orphans); // [orphans]

        return false;
    }

    private Place FirstPlace()
    {
        ulong turn = Atomic.LoadAcquire(ref _header->Receive);
        uint segment = _queue.SegmentOf(turn);
        QueueSegmentHeader* header = _queue.Headers + segment;
        return new Place
        {
            First = turn,
            Turn = turn,
            Segment = segment,
            Header = header,
            Position = Atomic.LoadAcquire(ref header->Head),
        };
    }

    /// <summary>Past a sender that is in the middle of a message, and past what else is of the same one.</summary>
    private Found LookPast(ref Place at, uint phase, uint owner, uint* skipped)
    {
        if (phase == SlotState.Writing && !IsSkipped(skipped, at.Skips, owner))
        {
            if (at.Skips == MostSkipped)
                return Nothing(at.First);
            skipped[at.Skips++] = owner;
        }

        if (++at.Looks > 2 * (ulong)_slotCount * _limit)
            return Found.TooMuch;
        at.LeftSome = true;
        at.Position++;
        return Found.OnTheWay;
    }

    /// <summary>Past what somebody has taken already, or will be given again.</summary>
    private Found GoPast(ref Place at, int ahead)
    {
        if (at.LeftSome)
        {
            if (++at.Looks > 2 * (ulong)_slotCount * _limit)
                return Found.TooMuch;
            at.Position++;
            return Found.OnTheWay;
        }

        if (++at.Passed > SpareLooks + (2 * (ulong)_slotCount * _limit))
            return Found.NoEnd;

        // Claims that were abandoned can have gone round while nobody received. Positions are claimed in order,
        // and each only when the one a lap before has been passed: so a slot k laps ahead shows that the head
        // may go on by k - 2 laps and one.
        ulong next = at.Position + 1 + (ahead > 2 ? (ulong)(ahead - 2) << _shift : 0);

        // Others may be taking as fast as this one looks: it goes on where they are.
        if (!Atomic.TryExchange(&at.Header->Head, at.Position, next) &&
            (long)(Atomic.LoadAcquire(ref at.Header->Head) - next) is var farther and > 0)
        {
            next += (ulong)farther;
        }

        at.Position = next;
        return Found.OnTheWay;
    }

    /// <summary>The segment's turn ends here: into the one that follows.</summary>
    private Found FollowTurn(ref Place at)
    {
        if (at.Skips == 0)
        {
            if (_queue.Follow(&_header->Receive, at.Turn, at.Header)) // [seal]
                Waiter.Signal(&_header->Space); // a sender may wait for a segment that is free now
            return Found.Again;
        }

        ulong following = Atomic.LoadAcquire(ref at.Header->Next);
        if (Atomic.LoadAcquire(ref _header->Receive) != at.First)
            return Found.Again;
        if (following != QueueTurn.After(at.Turn, QueueTurn.SegmentOf(following)))
            _queue.Corrupted($"turn 0x{following:X} after turn 0x{at.Turn:X}");
        at.Turn = following;
        at.Segment = _queue.SegmentOf(following);
        at.Header = _queue.Headers + at.Segment;
        at.Position = Atomic.LoadAcquire(ref at.Header->Head);
        at.LeftSome = false;
        return Found.OnTheWay;
    }

    private Found Damaged(in Place at, SlotHeader* slot, ulong state)
    {
        if (at.Skips == 0 && Atomic.LoadAcquire(ref at.Header->Head) == at.Position &&
            Atomic.LoadAcquire(ref slot->State) == state)
        {
            _queue.Corrupted($"slot state 0x{state:X16} at the head, position {at.Position}");
        }

        return Nothing(at.First);
    }

    /// <summary>Nothing; unless the segment has been given another turn meanwhile: then it says nothing about this
    /// one.</summary>
    private Found Nothing(ulong first) => HasTurned(first) ? Found.Again : Found.Nothing;

    private bool HasTurned(ulong first) => _limit > 1 && Atomic.LoadAcquire(ref _header->Receive) != first;

    private static bool IsSkipped(uint* skipped, int count, uint owner)
    {
        for (int i = 0; i < count; i++)
        {
            if (skipped[i] == owner)
                return true;
        }

        return false;
    }

    /// <summary>Where a walk is, and what it has been past.</summary>
    private struct Place
    {
        public ulong First;    // the turn that it began with
        public ulong Turn;
        public uint Segment;
        public QueueSegmentHeader* Header;
        public ulong Position;
        public int Skips;      // senders in the middle of a message
        public bool LeftSome;  // in this segment: its head must stay before what was left there
        public ulong Looks;    // past something
        public ulong Passed;
    }
}
