using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc;

/// <summary>From record to record: padding, loans, an empty ring, and the space that goes back.</summary>
public sealed unsafe partial class RingReader
{
    /// <summary>For the listener: there is something to read, or the peer has gone and everything is read
    /// (<paramref name="ended"/>). Never waits, never throws.</summary>
    [MethodImpl(Tiering.Optimized)]
    internal bool Poll(out IpcStatus ended)
    {
        ended = IpcStatus.Ok;
        bool found = false;
        if (Enter())
        {
            found = SeesRecord();
            if (!found)
            {
                ended = StatusOf(Link.Peer);
                found = ended != IpcStatus.Ok;
                if (found && SeesRecord())
                    ended = IpcStatus.Ok; // [close] what it published before it went comes first
            }
        }

        Leave();
        return found;
    }

    /// <summary>Returns what is released, as before a sleep, and sets the sleeper's flag: the writer's next publish
    /// signals. The caller fences, unless this is true, and looks again.</summary>
    /// <returns>Publishers fence here.</returns>
    [MethodImpl(Tiering.Optimized)]
    internal bool Arm()
    {
        bool publishersFence = true;
        if (Enter())
        {
            if (_released != _free)
                ReturnSpace();
            publishersFence = Waiter.Arm(&Header->Data);
        }

        Leave();
        return publishersFence;
    }

    /// <summary>Before the writer publishes. The caller keeps the memory mapped.</summary>
    internal void AskEarly() => Waiter.AskEarly(&Header->Data);

    /// <summary>Entered already; leaves.</summary>
    [MethodImpl(MethodImplOptions.NoInlining | Tiering.Optimized)]
    private bool TryReadSlow(ulong header, out RingRecord record)
    {
        record = default;
        try
        {
            if (!Enter())
                return false;
            if (header == 0)
            {
                // [wanted] the writer waits, and there is nothing to wait for here
                if (Atomic.LoadAcquire(ref Header->Space.Wanted) != 0)
                    ReturnSpace();
                return false;
            }

            ulong size = SizeOf(header, out bool isPadding);
            if (isPadding)
            {
                _position += size;
                // [publish] visible with its padding, which was stored last
                header = Atomic.LoadAcquire(ref *HeaderAt(_position));
                if (header == 0)
                    Corrupted($"padding and nothing behind it at position {_position}; a record was expected");
                size = SizeOf(header, out isPadding);
                if (isPadding)
                    Corrupted($"padding after padding at position {_position}");
            }

            ulong position = _position;
            ReadOnlySpan<byte> payload = header >> RecordHeader.TagShift == RecordHeader.LoanTag
                ? ReadLoan(position)
                : new ReadOnlySpan<byte>(
                    (byte*)HeaderAt(position) + RecordHeader.ByteSize, (int)RecordHeader.LengthOf(header));
            _position = position + size;
            record = new RingRecord(payload, RecordHeader.TypeOf(header), position < _redeliverUntil);
        }
        finally
        {
            Leave();
        }

        FaultPoints.Pass(FaultPoints.RingReadDone);
        return true;
    }

    private ulong SizeOf(ulong header, out bool isPadding)
    {
        string? wrong = Geometry.Judge(header, _position, _limit, out ulong size, out isPadding);
        if (wrong is not null)
            Corrupted(wrong);
        return size;
    }

    [MethodImpl(MethodImplOptions.NoInlining | Tiering.Optimized)]
    private IpcStatus ReadWaiting(Deadline deadline, CancellationToken cancellationToken, out RingRecord record)
    {
        for (; ; )
        {
            IpcStatus status = Wait(deadline, cancellationToken);
            if (status != IpcStatus.Ok)
            {
                record = default;
                return status;
            }

            if (TryRead(out record))
                return IpcStatus.Ok;
        }
    }

    /// <summary>Gives everything released back to the writer.</summary>
    [MethodImpl(MethodImplOptions.NoInlining | Tiering.Optimized)]
    private void ReturnSpace()
    {
        Atomic.StoreRelease(ref Header->Space.Wanted, 0);
        Atomic.Fence(); // [walk] a new writer that sees a zero made here sees the read position that allowed it
        for (ulong line = _free; line < _released; line += RecordHeader.Line)
            *HeaderAt(line) = 0;
        FaultPoints.Pass(FaultPoints.RingReturnZeroed);
        _free = _released;
        _limit = _free + _capacity;
        Atomic.StoreRelease(ref Header->FreePosition, _free); // [reclaim]
        FaultPoints.Pass(FaultPoints.RingReturnStored);
        Atomic.Fence();
        if (!Waiter.NeedsSignal(&Header->Space))
            return;
        Link.NotePlace();
        Waiter.Signal(&Header->Space);
    }

    /// <summary>Also passes on what the writer asks for while this end has nothing else to do.</summary>
    [MethodImpl(Tiering.Optimized)]
    private bool SeesRecord()
    {
        if (Atomic.LoadAcquire(ref *HeaderAt(_position)) != 0) // [publish]
            return true;
        if (Atomic.LoadAcquire(ref Header->Space.Wanted) != 0) // [wanted]
            ReturnSpace();
        return false;
    }

    private ulong* HeaderAt(ulong position) => (ulong*)(_records + (position & _mask));

    /// <summary>A record to read.</summary>
    private readonly struct DataCondition : IWaitCondition
    {
        private readonly RingReader _reader;

        public DataCondition(RingReader reader) => _reader = reader;

        public ulong LongestSleep => ulong.MaxValue;

        public bool IsTrue() => _reader.SeesRecord();

        public IpcStatus PeerStatus() => _reader.PeerStatus();

        /// <summary>Where the writer's signals go to a doorbell it is armed, as the listener arms what it watches: then
        /// the next record rings. The announcement at the doorbell fences for both.</summary>
        [MethodImpl(Tiering.Optimized)]
        public bool BeforeSleep()
        {
            if (_reader._released != _reader._free)
                _reader.ReturnSpace();
            return _reader.Link.WakesReader || Waiter.Arm(&_reader.Header->Data);
        }
    }
}
