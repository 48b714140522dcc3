using System;
using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>Looking for a message where the slot at the head is not simply ready.</summary>
/// <remarks>A walk goes past what others have taken, past senders that are still writing (and whatever of theirs stands
/// behind, so that the messages of one sender stay in order), through the segments of all turns, until it finds a
/// message, or a place where nobody has been yet. Messages that the dead had received and not released come
/// first.</remarks>
public sealed unsafe partial class SharedQueue
{
    /// <summary>How many senders in the middle of a message a receiver looks past at one time.</summary>
    private const int MostSkipped = 16;

    /// <summary>How often a receiver that looks past a sender may be overtaken by everybody else before it says that
    /// this cannot be.</summary>
    private const int MostOverruns = 1000;

    /// <summary>How many walks of one call may pass as much as there can be, and find that there is more: laps wrap, so
    /// made-up slots can say in a circle that each is ahead of the one before.</summary>
    private const int MostLongWalks = 8;

    /// <summary>Slots that a walk may pass besides two for each that there can be: others may be faster that
    /// often.</summary>
    private const ulong SpareLooks = 1 << 16;

    /// <summary>Looks for a message from the head on, past senders in the middle of theirs. False: there is none to be
    /// had.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryTakeSlow(bool takes, out SlotHeader* slot, out ulong word)
    {
        uint* skipped = stackalloc uint[MostSkipped];
        int overruns = 0;
        int longWalks = 0;
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
                case Found.NoEnd when ++longWalks == MostLongWalks:
                    Corrupted("slots of which each is ahead of the one before");
                    break;
            }
        }

        slot = null;
        word = 0;
        return false;
    }

    private enum Found { Message, Nothing, Again, TooMuch, NoEnd }

    private Found Search(bool takes, uint* skipped, out SlotHeader* slot, out ulong word)
    {
        word = 0;
        int skips = 0;
        bool leftSome = false; // in this segment: its head must stay before what was left there
        ulong looks = 0; // past something
        ulong passed = 0;
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
            bool isDamaged = ahead < -1 || (ahead == 0 && SlotState.IsDamagedInQueue(state));
            if (isDamaged)
            {
                if (skips == 0 && Atomic.LoadAcquire(ref segment->Head) == position &&
                    Atomic.LoadAcquire(ref slot->State) == state)
                {
                    Corrupted($"slot state 0x{state:X16} at the head, position {position}");
                }

                return Nothing(first);
            }

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
                // Claims that were abandoned can have gone round while nobody received. Positions are claimed in order,
                // and each only when the one a lap before has been passed: so a slot k laps ahead shows that the head
                // may go on by k - 2 laps and one.
                ulong next = position + 1 + (!leftSome && ahead > 2 ? (ulong)(ahead - 2) << _shift : 0);
                if (!leftSome)
                {
                    if (++passed > SpareLooks + (2 * (ulong)_geometry.SlotCount * _limit))
                        return Found.NoEnd;

                    // Others may be taking as fast as this one looks: it goes on where they are.
                    if (!Atomic.TryExchange(&segment->Head, position, next) &&
                        (long)(Atomic.LoadAcquire(ref segment->Head) - next) is var farther and > 0)
                    {
                        next += (ulong)farther;
                    }
                }
                else if (++looks > 2 * _geometry.SlotCount * _limit)
                    return Found.TooMuch;
                position = next;
            }
            else
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
        }
    }

    /// <summary>Nothing; unless the segment has been given another turn meanwhile: then it says nothing about this
    /// one.</summary>
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

    /// <summary>Takes a message that was made available again: it may be anywhere. Looks only when a recovery has said
    /// that there may be one.</summary>
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
            if (SlotState.IsDamagedInQueue(state))
                Corrupted($"slot state 0x{state:X16} of a message that is to come again");
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

        for (ulong cleared = Atomic.LoadAcquire(
            ref _header->OrphansCleared); cleared < orphans; cleared = Atomic.LoadAcquire(ref _header->OrphansCleared))
        {
            Atomic.TryExchange(&_header->OrphansCleared, cleared, orphans); // [orphans]
        }

        return false;
    }
}
