using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc;

/// <summary>Where a claim finds room: the end of the ring, and a ring that is full.</summary>
public sealed unsafe partial class RingWriter
{
    /// <summary>Of a writer that waits for room and spins: how often it says again that it wants some.</summary>
    private const int TurnsBetweenWishes = 16;

    [MethodImpl(MethodImplOptions.NoInlining | Tiering.Optimized)]
    private bool TryClaimSlow(int length, out Span<byte> payload)
    {
        try
        {
            payload = default;
            if (!Enter())
                return false;
            CheckLength(length);
            if (_claimed != NoClaim)
                AbandonClaim();
            if ((uint)length > _maxInline)
            {
                if (!ClaimLoan(length))
                    return false;
            }
            else
            {
                ulong size = RecordHeader.SizeOf((uint)length);
                ulong start = StartFor(size);
                if (start + size > _limit && !HasRoom(start + size))
                    return false;
                _claimStart = start;
                _claimSize = size;
                _claimed = length;
            }

            payload = Claimed(length);
        }
        finally
        {
            Leave();
        }

        FaultPoints.Pass(FaultPoints.RingClaimDone);
        return true;
    }

    private bool GrowClaim(int length)
    {
        if ((uint)length > _maxInline)
            return GrowLoan(length);
        ulong size = RecordHeader.SizeOf((uint)length);
        ulong restOfLap = _capacity - (_claimStart & _mask);
        ulong start = size <= restOfLap ? _claimStart : _claimStart + restOfLap;
        if (start + size > _limit && !HasRoom(start + size))
            return false;

        if (start != _claimStart)
        {
            byte* from = _records + (_claimStart & _mask) + RecordHeader.ByteSize;
            byte* to = _records + (start & _mask) + RecordHeader.ByteSize;
            Buffer.MemoryCopy(from, to, length, _claimed);
            ZeroLines(_claimStart + RecordHeader.Line, _claimStart + _claimSize);
            _claimStart = start;
        }

        _claimSize = size;
        _claimed = length;
        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private IpcStatus ClaimWaiting(
        int length, Deadline deadline, CancellationToken cancellationToken, out Span<byte> payload)
    {
        payload = default;
        for (; ; )
        {
            IpcStatus status;
            try
            {
                if (!Enter())
                    return IpcStatus.Closed;
                status = (uint)length > _maxInline
                    ? WaitForLoan(length, deadline, cancellationToken)
                    : WaitForRoom(length, deadline, cancellationToken);
            }
            finally
            {
                Leave();
            }

            if (status != IpcStatus.Ok)
                return status;
            if (TryClaim(length, out payload))
                return IpcStatus.Ok;
        }
    }

    private IpcStatus WaitForRoom(int length, Deadline deadline, CancellationToken cancellationToken)
    {
        ulong size = RecordHeader.SizeOf((uint)length);
        SpaceCondition condition = new(this, StartFor(size) + size);
        return Control.Wait(ref condition, &Header->Space, deadline, cancellationToken);
    }

    private Span<byte> Claimed(int length) =>
        new(IsLoan ? _loan.Bytes : _records + (_claimStart & _mask) + RecordHeader.ByteSize, length);

    [MethodImpl(Tiering.Optimized)]
    private ulong StartFor(ulong size)
    {
        ulong restOfLap = _capacity - (_tail & _mask);
        return size <= restOfLap ? _tail : _tail + restOfLap;
    }

    /// <summary>Whether a record may reach to <paramref name="end"/>; asks the reader for space when not.</summary>
    [MethodImpl(Tiering.Optimized)]
    private bool HasRoom(ulong end)
    {
        ReadFreePosition();
        if (end > _present - RecordHeader.Line && !TryMakePresent(end))
        {
            AskForSpace(); // the batch is published, whatever it was that there was no room in
            return false;
        }

        if (end > _room)
        {
            AskForSpace();
            ReadFreePosition();
        }

        return end <= _room;
    }

    /// <summary>Says that space is wanted. Who then looks again: either the reader sees the wish, or we see what it has
    /// returned.</summary>
    private void AskForSpace()
    {
        if (_batching)
            PublishBatch(); // a reader cannot release what it cannot see
        Atomic.StoreRelease(ref Header->Space.Wanted, 1); // [wanted]
        Atomic.Fence();
    }

    [MethodImpl(Tiering.Optimized)]
    private void ReadFreePosition()
    {
        ulong free = Atomic.LoadAcquire(ref Header->FreePosition); // [reclaim]
        ulong published = _batching ? _batchStart : _tail;
        if (free - _freeSeen > published - _freeSeen || free % RecordHeader.Line != 0)
            Corrupted(
                $"free position {free}; it must be a multiple of {RecordHeader.Line} from {_freeSeen} to {published}");
        _freeSeen = free;
        if (_tail - _windowStart >= _window)
        {
            _windowStart = _tail;
            Geometry.Pool?.EndWindow(_owner);
        }

        SetLimit(free);
    }

    /// <summary>A writer that always finds room looks all the same when a window of the pool ends: what a burst of
    /// loans has taken is to be given back while short messages follow.</summary>
    private void SetLimit(ulong free)
    {
        ulong end = Math.Min(free + _capacity, _present);
        _room = end - RecordHeader.Line;
        _limit = Math.Min(_room, _windowStart + _window);
    }

    [MethodImpl(Tiering.Optimized)]
    private void CheckLength(int length)
    {
        if (length < 0)
            Throw.NegativeLength(length);
        if (length > MaxPayload)
            Throw.TooLarge(length, MaxPayload);
    }

    /// <summary>Room for a record that ends at a position.</summary>
    private struct SpaceCondition : IWaitCondition
    {
        private readonly RingWriter _writer;
        private readonly ulong _end;
        private int _turns;

        public SpaceCondition(RingWriter writer, ulong end)
        {
            _writer = writer;
            _end = end;
            _turns = 0;
        }

        public readonly ulong LongestSleep => _writer.LongestSleepForRoom;

        /// <summary>A reader that returns too little clears the wish: it is repeated in each round before a sleep, and
        /// now and then while spinning.</summary>
        public bool IsTrue() => _turns++ % TurnsBetweenWishes == 0 ? _writer.HasRoom(_end) : _writer.SeesRoom(_end);

        public readonly IpcStatus PeerStatus() => _writer.PeerStatus();

        public bool BeforeSleep()
        {
            _turns = 0;
            return true;
        }
    }

    private bool SeesRoom(ulong end)
    {
        ReadFreePosition();
        return end <= _room;
    }
}
