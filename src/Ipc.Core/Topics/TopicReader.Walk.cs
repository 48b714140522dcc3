using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc;

/// <summary>From message to message: where a reader begins, gaps, what was overrun, the end by eviction.</summary>
public sealed unsafe partial class TopicReader
{
    private const ulong LowMask = 0xFFFF; // phase and flags of a word
    private const ulong ReclaimedGap = SlotState.Gap | SlotState.Reclaimed;
    private const int TypeShift = 32;     // in a slot's second word
    private const int FlagsShift = 48;

    private ulong _lost;
    private ulong _lostBefore; // lost since the last message, for the next one to tell
    private bool _passedLoan;  // a loan is among what is released next

    /// <summary>What stands at the position, gaps and ignored messages passed over.</summary>
    private enum Sight { Nothing, Message, Overrun, Evicted }

    private protected override void AddTo(TopicInfo info)
    {
        info.Lost = (long)Atomic.LoadAcquire(ref _seat->Lost);
        info.Behind = Math.Max(0, info.Tail - (long)Atomic.LoadAcquire(ref _seat->Cursor));
    }

    /// <summary>Takes the place that its entrance has just made active, and chooses where to begin.</summary>
    private void Begin(ulong start)
    {
        _seatState = Entrance.SeatState;
        _joined = Entrance.Joined;
        _inPlaceFrom = Policy <= TopicPolicy.Evict ? _joined : ulong.MaxValue;
        _lostBefore = 0;
        _latest?.Clear();
        _position = _cursor = start;
        Atomic.StoreRelease(ref _seat->Lost, _lost);
    }

    private ulong StartOf(TopicJoin join)
    {
        // Positions begin at the second lap: in the first one "one lap back" is before the beginning, where there is
        // nothing.
        ulong joined = Entrance.Joined;
        ulong oldest = joined >= 2 * _count ? joined - _count + 1 : _count;
        return join switch
        {
            TopicJoin.Oldest => Math.Min(oldest, joined),
            TopicJoin.LastValue => FindLast(joined, oldest),
            _ => joined,
        };
    }

    private ulong FindLast(ulong joined, ulong oldest)
    {
        for (ulong position = joined; position-- > oldest;)
        {
            ulong word = Atomic.LoadAcquire(ref SlotAt(position)->State);
            if ((word & ~SlotState.OwnerMask) == SlotState.At(position, _lapShift, 0, SlotState.Ready) &&
                !IsIgnored(word, position))
            {
                return position;
            }
        }

        return joined;
    }

    /// <summary>Entered already; leaves.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private IpcStatus TryReadSlow(out TopicMessage message)
    {
        message = default;
        try
        {
            if (!Enter())
                return IpcStatus.Closed;
            if (_latest is not null)
                return TryReadLatest(out message);
            for (; ; )
            {
                switch (See(out ulong word))
                {
                    case Sight.Nothing:
                        return IpcStatus.Empty;
                    case Sight.Evicted:
                        return Evicted(out message);
                    case Sight.Overrun:
                        JumpAhead(word);
                        break;
                    default:
                        if (TryDeliver(_position, word, _lostBefore, out message))
                        {
                            _lostBefore = 0;
                            _position++;
                            return IpcStatus.Ok;
                        }

                        break; // overwritten, or evicted: look again
                }
            }
        }
        finally
        {
            Leave();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private IpcStatus ReadWaiting(Deadline deadline, CancellationToken cancellationToken, out TopicMessage message)
    {
        for (; ; )
        {
            message = default;
            IpcStatus status = Wait(deadline, cancellationToken);
            if (status != IpcStatus.Ok)
                return status;
            status = TryRead(out message);
            if (status != IpcStatus.Empty)
                return status;
        }
    }

    /// <summary>Looks at the position. Gaps and ignored messages are passed over; if nothing else is unreleased they
    /// are released: nobody else would.</summary>
    private Sight See(out ulong word)
    {
        ulong before = _cursor;
        Sight sight = SeeBehindGaps(out word);
        if (_cursor != before)
            StoreCursor(before);
        return sight;
    }

    /// <summary>Only who has held writers up wakes them: the others' releases make no room. The tail is read after the
    /// flag, so it is not older than the one at which the sleeper found the topic full. A loan that was released may be
    /// what is waited for.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void SignalSpace(ulong before)
    {
        if (Waiter.IsArmed(&Header->Space) && // first: the fence is behind the cursor, the tail behind the fence
            (_passedLoan || Atomic.LoadAcquire(ref Header->Tail) - Math.Max(before, _joined) >= _count))
        {
            Waiter.Signal(&Header->Space);
        }

        _passedLoan = false;
    }

    private Sight SeeBehindGaps(out ulong word)
    {
        for (; ; )
        {
            ulong position = _position;
            word = Atomic.LoadAcquire(ref SlotAt(position)->State); // [ready-slot]
            if (Atomic.LoadAcquire(ref _seat->State) != _seatState)
                return Sight.Evicted;

            int ahead = SlotState.LapsAhead(word, (uint)(position >> _lapShift));
            ulong low = word & LowMask;
            if (ahead == -1)
                return Sight.Nothing;
            if (ahead > 0 && position < _inPlaceFrom)
                return Sight.Overrun;
            if (ahead == 0 && low == SlotState.Writing)
            {
                Attend(); // its writer may be dead
                return Sight.Nothing;
            }

            if (ahead == 0 && low == SlotState.Ready)
            {
                if (!IsIgnored(word, position))
                    return Sight.Message;
            }
            else if (ahead == 0 && low == ReclaimedGap && position < _inPlaceFrom)
            {
                AddLost(position, position + 1);
            }
            else if (ahead != 0 || low != SlotState.Gap)
            {
                Corrupted(
                    $"slot state 0x{word:X16} at position {position}; lap {(uint)(position >> _lapShift)} and phase " +
                    "Writing, Ready or Gap, or the lap before, were expected");
            }

            if (_cursor == position)
                _cursor++;
            _position = position + 1;
        }
    }

    /// <summary>The ignored writer's, from before it left: its place may be another's by now.</summary>
    private bool IsIgnored(ulong word, ulong position) =>
        _ignored is not null && SlotState.OwnerOf(word) == _ignoredOwner && position < _ignored.LeftAt;

    /// <summary>Overrun: goes on a little ahead of where writers overwrite now. Before its joining a reader has lost
    /// nothing.</summary>
    /// <exception cref="CorruptRegionException">Nobody has: who overwrites a slot has seen the tail a lap further on.
    /// Laps wrap, and made-up ones would lead on for ever.</exception>
    private void JumpAhead(ulong word)
    {
        ulong tail = Atomic.LoadAcquire(ref Header->Tail);
        if ((long)(tail - _position) < (long)_count || tail > TopicGeometry.MaxPosition)
            Corrupted($"slot state 0x{word:X16} at position {_position}, of a later lap, and a tail of {tail}");
        ulong to = Math.Max(_position + 1, tail - _count + Math.Max(1, _count / 8));
        if (Policy <= TopicPolicy.Evict)
            to = Math.Min(to, _joined);
        AddLost(_position, to);
        if (_cursor == _position)
            _cursor = to;
        _position = to;
    }

    private void AddLost(ulong from, ulong to)
    {
        from = Math.Max(from, _joined);
        if (to > from)
            AddLost(to - from);
    }

    private void AddLost(ulong count)
    {
        _lost += count;
        _lostBefore += count;
        Atomic.StoreRelease(ref _seat->Lost, _lost);
        CoreMeter.Lost(Region.Name, count);
    }

    /// <summary>Says how many messages an evicted reader misses by now: everything that it had not released.</summary>
    private IpcStatus Evicted(out TopicMessage message)
    {
        ulong missed = Atomic.LoadAcquire(ref Header->Tail) - Math.Max(_cursor, _joined);
        message = new TopicMessage(default, 0, 0, _position, missed, -1);
        return IpcStatus.Evicted;
    }

    /// <summary>A message to read, or a reason to look.</summary>
    private readonly struct DataCondition : IWaitCondition
    {
        private readonly TopicReader _reader;

        public DataCondition(TopicReader reader) => _reader = reader;

        public ulong LongestSleep => ulong.MaxValue;

        public bool IsTrue() => _reader._latest is { Count: > 0 } || _reader.See(out _) != Sight.Nothing;

        public IpcStatus PeerStatus()
        {
            _reader.Attend();
            return IpcStatus.Ok; // writers come and go
        }

        public bool BeforeSleep() => true;
    }
}
