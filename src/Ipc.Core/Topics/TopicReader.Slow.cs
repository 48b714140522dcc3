using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc;

/// <summary>The reader off its fast path: gaps, loans, copies, overruns, evictions, joining.</summary>
public sealed unsafe partial class TopicReader
{
    private const ulong LowMask = 0xFFFF; // phase and flags of a word
    private const ulong ReclaimedGap = SlotState.Gap | SlotState.Reclaimed;
    private const int TypeShift = 32;     // in a slot's second word
    private const int FlagsShift = 48;

    private byte[] _buffer = Array.Empty<byte>(); // copies
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

    /// <summary>Takes the place that the rules have just made active, and chooses where to begin.</summary>
    private void Begin(ulong start)
    {
        _seatState = Rules.SeatState;
        _joined = Rules.Joined;
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
        ulong joined = Rules.Joined;
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
        if (_passedLoan || Atomic.LoadAcquire(ref Header->Tail) - Math.Max(before, _joined) >= _count)
            Waiter.Signal(&Header->Space);
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

    /// <summary>The Ready message at a position: in place, or copied. False: it is no longer there, or not
    /// ours.</summary>
    private bool TryDeliver(ulong position, ulong word, ulong lost, out TopicMessage message)
    {
        message = default;
        SlotHeader* slot = SlotAt(position);
        ulong description = Atomic.LoadAcquire(ref *(ulong*)&slot->Length); // once
        ulong key = slot->Key;
        uint owner = SlotState.OwnerOf(word);
        bool inPlace = position >= _inPlaceFrom;
        ReadOnlySpan<byte> payload;
        string? wrong = null;
        if (owner - 1 >= _participants)
        {
            wrong = $"a message of participant {owner}; there are {_participants}";
            payload = default;
        }
        else if (description >> FlagsShift == SlotHeader.LoanFlag)
        {
            wrong = FindLoan(slot, word, (uint)description, inPlace, out payload);
        }
        else if ((uint)description > _blockSize || description >> FlagsShift != 0)
        {
            wrong = $"a message of {(uint)description} bytes with flags {description >> FlagsShift} at position " +
                $"{position}; it takes at most {_blockSize}";
            payload = default;
        }
        else
        {
            payload = new ReadOnlySpan<byte>(slot + 1, (int)(uint)description);
            if (!inPlace)
            {
                payload.CopyTo(Buffer((int)(uint)description));
                payload = new ReadOnlySpan<byte>(_buffer, 0, payload.Length);
            }
        }

        // [overwrite] the copy, and what was found wrong, before the look at whether it was the message
        Atomic.FenceLoads();
        if (Atomic.LoadAcquire(ref slot->State) != word || Atomic.LoadAcquire(ref _seat->State) != _seatState)
            return false;
        if (wrong is not null)
            Corrupted(wrong);
        message = new TopicMessage(payload, (ushort)(description >> TypeShift), key, position, lost, (int)owner - 1);
        FaultPoints.Pass(FaultPoints.TopicReadDone);
        return true;
    }

    /// <summary>A loan's bytes, which stay while this reader's cursor does. Null: something is wrong, and the slow path
    /// says what.</summary>
    [MethodImpl(MethodImplOptions.NoInlining | Tiering.Optimized)]
    private byte* LoanInPlace(SlotHeader* slot, ulong word, uint length)
    {
        LoanDescriptor descriptor = *(LoanDescriptor*)(slot + 1); // once
        if (Pool is not { } pool || slot->LoanLap != SlotState.LapOf(word) || descriptor.Length != length ||
            pool.Resolve(descriptor, out Loan loan) is not null)
        {
            return null;
        }

        _passedLoan = true;
        return loan.Bytes;
    }

    /// <summary>A loan's bytes. Copied through the file: what was given back meanwhile reads as zeros, and takes no
    /// memory for that.</summary>
    /// <returns>Null, or what is wrong.</returns>
    private string? FindLoan(SlotHeader* slot, ulong word, uint described, bool inPlace, out ReadOnlySpan<byte> payload)
    {
        payload = default;
        // a copy; what is wrong with it counts only if the word is still the same
        LoanDescriptor descriptor = *(LoanDescriptor*)(slot + 1);
        if (Pool is null)
            return "a loan, and no pool";
        if (slot->LoanLap != SlotState.LapOf(word))
            return $"a message of lap {SlotState.LapOf(word)} in a loan of lap {slot->LoanLap}";
        if (descriptor.Length != described)
            return $"a message of {described} bytes, in a loan of {descriptor.Length}";
        string? wrong = Pool.Resolve(descriptor, out Loan loan);
        if (wrong is not null)
            return wrong;

        int length = (int)descriptor.Length;
        if (inPlace)
        {
            _passedLoan = true;
            payload = new ReadOnlySpan<byte>(loan.Bytes, length);
            return null;
        }

        if (Atomic.LoadAcquire(ref slot->State) != word)
            return null; // seen again by the caller
        Span<byte> buffer = Buffer(length);
        fixed (byte* to = buffer)
            Os.Current.ReadFile(Region.File!, (ulong)(loan.Bytes - Region.Base), to, length);
        payload = buffer;
        return null;
    }

    private Span<byte> Buffer(int length)
    {
        if (_buffer.Length < length)
            _buffer = new byte[(int)Math.Min(0x7FFFFFC7L, Math.Max(length, 2L * _buffer.Length))];
        return new Span<byte>(_buffer, 0, length);
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

        public void BeforeSleep()
        {
        }
    }
}
