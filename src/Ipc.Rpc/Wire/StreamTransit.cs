using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

// A ring is shared by all calls of a connection, and nobody has to read it while a consumer does something else. So
// items may take up a part of it only, all streams together: whoever sends counts what it has sent, and whoever reads
// says how much it has read. What a stream itself may be ahead of its consumer is another matter (StreamCredit).
//
// To be told is for those who have to wait for long: each report wakes the thread that reads at the other side, who
// needs a processor for it. So there is one for half of what may be under way, and a producer first looks into the ring
// itself, for a moment (RoomSpin).
//
// Two counters that only grow: `sent` belongs to the write lock, `read` to whoever reads the connection. So an item
// costs no atomic operation.

/// <summary>The items that are under way on one connection, in both directions.</summary>
internal sealed class StreamTransit
{
    private readonly object _gate = new();
    private readonly RingWriter _ring;
    private readonly long _capacity;
    private readonly long _incomingCapacity;
    private readonly long _most;
    private readonly long _mostLoans;
    private List<TaskCompletionSource<bool>>? _waiting;
    private long _sent; // [count] these three: the write lock's
    private long _sentLoans; // [count]
    private long _seenFree; // up to which count of `sent` the ring was seen to have room
    private long _read; // [count] these and the rest: of whoever reads
    private long _readLoans; // [count]
    private long _unsaid;
    private long _unsaidLoans;

    public StreamTransit(RingWriter ring, RingReader incoming)
    {
        _ring = ring;
        _capacity = ring.Capacity;
        _incomingCapacity = incoming.Capacity;
        _most = _capacity / 8 * 3;
        _mostLoans = ring.MaxPayload / 2;
    }

    /// <summary>Whether an item may be sent, as far as the other side has said.</summary>
    public bool HasRoom => Volatile.Read(ref _sent) - Volatile.Read(ref _read) < _most && HasRoomForLoans;

    /// <summary>Whether an item may be sent. Under the write lock. The other side may have read more than it has said,
    /// and the ring shows how much: of all that lies there the items are a part. A look takes a line that the reader is
    /// writing, so there is none until an eighth may be free, and what it finds holds until it is used up.</summary>
    public bool HasRoomNow
    {
        get
        {
            if (HasRoom || (_sent < _seenFree && HasRoomForLoans))
                return true;
            long unread = _ring.UnreadBytes;
            if ((ulong)unread > (ulong)(_most / 8 * 7))
                return false;
            _seenFree = _sent + _most - unread;
            return HasRoomForLoans;
        }
    }

    private bool HasRoomForLoans => Volatile.Read(ref _sentLoans) - Volatile.Read(ref _readLoans) < _mostLoans;

    /// <summary>An item is about to be published. Under the write lock.</summary>
    public void Sending(int frameLength)
    {
        Volatile.Write(ref _sent, _sent + FlowRules.LinesOf(frameLength, _capacity));
        if (FlowRules.IsLoan(frameLength, _capacity))
            Volatile.Write(ref _sentLoans, _sentLoans + frameLength);
    }

    /// <summary>The other side has read items. By whoever reads.</summary>
    /// <returns>What is wrong with that; <see langword="null"/> if nothing.</returns>
    public string? OnRead(uint bytes, ulong loans)
    {
        if (bytes > Volatile.Read(ref _sent) - _read || loans > (ulong)(Volatile.Read(ref _sentLoans) - _readLoans))
            return "More bytes of items were said to be read than were sent: " + bytes + " and " + loans + " of loans.";

        List<TaskCompletionSource<bool>>? waiting;
        lock (_gate)
        {
            Volatile.Write(ref _read, _read + bytes);
            Volatile.Write(ref _readLoans, _readLoans + (long)loans);
            waiting = _waiting;
            _waiting = null;
        }

        if (waiting is not null)
        {
            foreach (TaskCompletionSource<bool> each in waiting)
                each.TrySetResult(true);
        }

        return null;
    }

    /// <summary>Waits until <see cref="HasRoom"/> is, or may be, true.</summary>
    public async Task WhenRoom(CancellationToken cancellationToken)
    {
        TaskCompletionSource<bool> mine;
        lock (_gate)
        {
            if (HasRoom)
                return;
            mine = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
            (_waiting ??= new List<TaskCompletionSource<bool>>()).Add(mine);
        }

        using (cancellationToken.Register(
            static state => ((TaskCompletionSource<bool>)state!).TrySetCanceled(),
            mine,
            useSynchronizationContext: false))
        {
            await mine.Task.ConfigureAwait(false);
        }
    }

    /// <summary>An item has been read. By whoever reads.</summary>
    /// <param name="frameLength">Of its frame.</param>
    /// <param name="report">What to tell the other side.</param>
    /// <returns>Whether it is time to tell.</returns>
    public bool OnItem(int frameLength, out FrameHeader report)
    {
        _unsaid += FlowRules.LinesOf(frameLength, _incomingCapacity);
        if (FlowRules.IsLoan(frameLength, _incomingCapacity))
            _unsaidLoans += frameLength;
        if (_unsaid < _incomingCapacity / 16 * 3 && _unsaidLoans == 0)
        {
            report = default;
            return false;
        }

        report = new FrameHeader(FrameKind.Read, 0, method: (uint)_unsaid, deadline: (ulong)_unsaidLoans);
        _unsaid = _unsaidLoans = 0;
        return true;
    }
}
