using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc;

/// <summary>Where a claim finds room: lost races, a full topic, and the readers that it is full of.</summary>
public sealed unsafe partial class TopicWriter
{
    /// <summary>Lost races in a row that only a hostile peer can arrange.</summary>
    private const int MaxAttempts = 1 << 18;

    private enum Room { Here, HeldByReader, HeldByWriter, NoLoan }

    /// <summary>Entered already; leaves.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryClaimSlow(int length, out TopicClaim claim)
    {
        claim = default;
        bool entered = false;
        try
        {
            entered = Enter();
            if (!entered)
                return false;
            CheckLength(length);
            if (_claimed != NoClaim)
                AbandonClaim();
            bool isLong = (uint)length > _blockSize;
            if ((isLong && !TryTakeLoan((uint)length)) || !TryTakeNext())
            {
                Attend(); // who is in the way may be dead
                return false;
            }

            _claimed = length;
            claim = new TopicClaim(this, _claimPosition, new Span<byte>(isLong ? _loan.Bytes : _claimSlot + 1, length));
            return true;
        }
        finally
        {
            if (entered && _claimed == NoClaim)
                GiveLoanBack(); // others may need it meanwhile; and a claim without one must not find it here
            Leave();
        }
    }

    /// <summary>Takes the slot at the tail; false when there is no room.</summary>
    private bool TryTakeNext()
    {
        for (int attempt = 0; attempt < MaxAttempts; attempt++)
        {
            if (Look(out ulong position, out SlotHeader* slot, out ulong word) != Room.Here)
                return false;
            if (SlotState.LapsAhead(word, (uint)(position >> _lapShift)) >= 0)
                Atomic.TryExchange(&Header->Tail, position, position + 1); // taken already: help
            else if (TryTake(slot, position, word))
            {
                if (slot->Flags != 0)
                    FreeOldLoan(slot);
                return true;
            }
        }

        Corrupted($"a tail that always lies behind, lately {Atomic.LoadAcquire(ref Header->Tail)}");
        return false;
    }

    /// <summary>Is there room at the tail? (Also when another writer was faster: then it is worth going on.)</summary>
    private Room Look(out ulong position, out SlotHeader* slot, out ulong word)
    {
        for (int attempt = 0; ; attempt++)
        {
            position = Atomic.LoadAcquire(ref Header->Tail);
            slot = SlotAt(position);
            if ((long)(position - _minimum) >= _count && !SeesReadersPass(position))
            {
                word = 0;
                return Room.HeldByReader;
            }

            word = Atomic.LoadAcquire(ref slot->State); // [ready-slot]
            int ahead = SlotState.LapsAhead(word, (uint)(position >> _lapShift));
            if (ahead >= 0 || (ahead == -1 && IsTakeable(word)))
                return Room.Here;
            if (ahead == -1 && (word & LowMask) == SlotState.Writing)
            {
                _slowReader = NoReader;
                return Room.HeldByWriter;
            }

            if (Atomic.LoadAcquire(ref Header->Tail) == position || attempt == MaxAttempts)
                Corrupted(
                    $"slot state 0x{word:X16} at position {position}; lap {(uint)(position >> _lapShift) - 1} and " +
                    "phase Free, Writing, Ready or Gap were expected");
        }
    }

    /// <summary>Looks at the readers: has every one that writers wait for passed what a slot at
    /// <paramref name="position"/> would overwrite? Notes the slowest when not.</summary>
    private bool SeesReadersPass(ulong position)
    {
        int slowest = FindSlowest(out ulong least);
        if ((long)(position - _minimum) < _count)
            return true;
        _obstacle = slowest == NoReader ? null : &Seat(slowest)->Cursor;
        _obstacleSeen = least;
        NoteSlowReader(slowest, (long)(position - least));
        return false;
    }

    /// <summary>The reader that is furthest behind, of those that writers wait for, and how far all of them are; the
    /// tail, and none, when none is behind.</summary>
    private int FindSlowest(out ulong least)
    {
        least = Atomic.LoadAcquire(ref Header->Tail);
        Atomic.Fence(); // [join] the tail before the entries: who joins unseen begins at or after it
        int slowest = NoReader;
        for (int index = NextReader(0); index >= 0; index = NextReader(index + 1))
        {
            if (HoldsWritersUp(index, out ulong cursor, out _, out _) && (long)(cursor - least) < 0)
            {
                least = cursor;
                slowest = index;
            }
        }

        if ((long)(least - _minimum) > 0)
            _minimum = least; // it only grows: a cursor that goes back is nobody's
        return slowest;
    }

    private void NoteSlowReader(int index, long behind)
    {
        _slowReader = index;
        if (index == NoReader)
            return;
        _slowProcess = (int)Atomic.LoadAcquire(ref Region.Entry(index)->Pid);
        _slowBehind = behind;
    }

    /// <summary>An active reader that writers wait for. The state is read first: who changes it by what was read after
    /// it, changes that same reader's.</summary>
    private bool HoldsWritersUp(int index, out ulong cursor, out uint policy, out uint state)
    {
        TopicReaderEntry* seat = Seat(index);
        state = Atomic.LoadAcquire(ref seat->State);
        policy = Atomic.LoadAcquire(ref seat->Policy);
        cursor = Atomic.LoadAcquire(ref seat->Cursor); // [cursor]
        return TopicReaderEntry.PhaseOf(state) == TopicReaderEntry.Active && policy <= (uint)TopicPolicy.Evict;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private IpcStatus ClaimWaiting(
        int length, Deadline deadline, CancellationToken cancellationToken, out TopicClaim claim)
    {
        claim = default;
        for (; ; )
        {
            IpcStatus status = WaitForRoom(length, deadline, cancellationToken);
            if (status != IpcStatus.Ok)
                return status;
            if (TryClaim(length, out claim))
                return IpcStatus.Ok;
        }
    }

    private IpcStatus WaitForRoom(int length, Deadline deadline, CancellationToken cancellationToken)
    {
        IpcStatus status = IpcStatus.Closed;
        bool entered = false;
        try
        {
            entered = Enter();
            if (!entered)
                return status;

            // Held up by a reader it sleeps where readers signal; by a writer a lap behind, where writers do. If the
            // cause changes, the wait ends and begins anew.
            Room cause = Look(out _, out _, out _);
            if (cause == Room.Here && (uint)length > _blockSize && !TryTakeLoan((uint)length))
                cause = Room.NoLoan;
            if (cause == Room.Here)
                return status = IpcStatus.Ok;
            if (cause == Room.NoLoan)
            {
                LoanCondition condition = new(this, (uint)length);
                status = Control.Wait(ref condition, &Header->Space, deadline, cancellationToken);
            }
            else
            {
                RoomCondition condition = new(this, cause);
                status = Control.Wait(
                    ref condition,
                    cause == Room.HeldByReader ? &Header->Space : &Header->Data,
                    deadline,
                    cancellationToken,
                    Lag,
                    Atomic.LoadAcquire(ref Header->Tail));
            }

            if (status == IpcStatus.Timeout && (EvictSlowReaders(cause == Room.NoLoan) || IsOutOfTheWay(cause, length)))
                status = IpcStatus.Ok;
            return status;
        }
        finally
        {
            if (entered && status != IpcStatus.Ok)
                GiveLoanBack();
            Leave();
        }
    }

    /// <summary>There was nobody to be cut off: another writer may have done it since this one looked.</summary>
    private bool IsOutOfTheWay(Room cause, int length) =>
        cause == Room.NoLoan ? TryTakeLoan((uint)length) : Look(out _, out _, out _) == Room.Here;

    /// <summary>Cuts off every reader that holds the writers up and allows it; false when there is none, or when it
    /// would not help.</summary>
    /// <param name="forLoan">What is wanted is a loan that a reader has not released: then the slowest is it that holds
    /// up.</param>
    private bool EvictSlowReaders(bool forLoan)
    {
        ulong tail = Atomic.LoadAcquire(ref Header->Tail);
        ulong limit = tail - (ulong)_count + 1;
        if (forLoan)
        {
            _ = FindSlowest(out ulong least);
            if (least == tail)
                return false; // it is not the readers
            limit = least + 1;
        }

        for (int index = NextReader(0); index >= 0; index = NextReader(index + 1))
        {
            if (HoldsWritersUp(index, out ulong cursor, out uint policy, out _) && (long)(cursor - limit) < 0 &&
                policy == (uint)TopicPolicy.Reliable)
            {
                return false;
            }
        }

        bool evicted = false;
        for (int index = NextReader(0); index >= 0; index = NextReader(index + 1))
        {
            if (!HoldsWritersUp(index, out ulong cursor, out uint policy, out uint state) ||
                (long)(cursor - limit) >= 0 || policy != (uint)TopicPolicy.Evict)
            {
                continue;
            }

            TopicReaderEntry* seat = Seat(index);
            evicted = true; // if not by us, then by another writer
            Atomic.StoreRelease(ref seat->EvictedAt, tail);
            if (Atomic.TryExchange(&seat->State, state, TopicReaderEntry.EvictedFrom(state)))
            {
                Atomic.Add(&Header->Evictions, 1);
                FaultPoints.Pass(FaultPoints.TopicEvictDone);
            }
        }

        if (evicted)
        {
            Waiter.Signal(&Header->Space); // others may wait for the same readers
            Waiter.Signal(&Header->Data);
        }

        return evicted;
    }

    private void CheckLength(int length)
    {
        if (length < 0)
            Throw.NegativeLength(length);
        if (length > MaxPayload)
        {
            Throw.Status(
                IpcStatus.TooLarge,
                $"A message of {length} bytes does not fit: this topic takes at most {MaxPayload}; nothing was sent: " +
                "send less at a time, or create the topic with larger blocks or a larger loan budget.");
        }
    }

    /// <summary>The slowest reader has not moved: no need to look at the others, whose lines they are
    /// writing.</summary>
    private bool IsHeldStill() => _obstacle != null && Atomic.LoadAcquire(ref *_obstacle) == _obstacleSeen;

    /// <summary>Room at the tail, or another reason than before why there is none.</summary>
    private struct RoomCondition : IWaitCondition
    {
        private const int TurnsBetweenLooks = 32;

        private readonly TopicWriter _writer;
        private readonly Room _cause;
        private int _turns;

        public RoomCondition(TopicWriter writer, Room cause)
        {
            _writer = writer;
            _cause = cause;
            _turns = 0;
        }

        public readonly ulong LongestSleep => ulong.MaxValue;

        /// <summary>A whole look before each sleep, and now and then while spinning: the slowest reader may also have
        /// gone.</summary>
        public bool IsTrue() =>
            (_turns++ % TurnsBetweenLooks == 0 || _cause != Room.HeldByReader || !_writer.IsHeldStill()) &&
            _writer.Look(out _, out _, out _) != _cause;

        public readonly IpcStatus PeerStatus()
        {
            _writer.Attend();
            return IpcStatus.Ok; // there may be others
        }

        public bool BeforeSleep()
        {
            _turns = 0;
            return true;
        }
    }
}
