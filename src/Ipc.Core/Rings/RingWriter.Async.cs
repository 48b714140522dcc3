using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc;

/// <summary>Writing that is right without reading what it returns: what could not be written is an exception. And the
/// same to await, without holding a thread while there is no room; see <see cref="AsyncWaitThread"/>.</summary>
public sealed unsafe partial class RingWriter
{
    /// <summary>Writes a copy of <paramref name="payload"/>, waiting for room no longer than
    /// <paramref name="timeout"/>. It reads the clock only if it has to wait.</summary>
    /// <remarks>For the thread that uses this end. An open claim is given back first. It allocates nothing.</remarks>
    /// <exception cref="TimeoutException">There was no room in time; nothing was written.</exception>
    /// <exception cref="IpcException">TooLarge: more than <see cref="RingEnd.MaxPayload"/>. Stopped. PeerClosed,
    /// PeerDied: the ring is full and its reader has left or died.</exception>
    /// <exception cref="OperationCanceledException">Cancelled; nothing was written.</exception>
    /// <exception cref="ObjectDisposedException">This end is disposed; nothing was written.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative, and not
    /// <c>Timeout.InfiniteTimeSpan</c>.</exception>
    [MethodImpl(Tiering.Optimized)]
    public void Write(
        ReadOnlySpan<byte> payload, ushort type, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        if (TryWrite(payload, type))
            return;
        IpcStatus status = Write(payload, type, Deadline.After(timeout), cancellationToken);
        if (status != IpcStatus.Ok)
            NotWritten(status, nameof(Write), cancellationToken);
    }

    /// <summary>Writes a copy of <paramref name="payload"/>, waiting for room without blocking a thread. Do not change
    /// the payload before the task completes.</summary>
    /// <remarks>One call at a time. Until it completes, only Stop, Dispose and <see cref="RingEnd.Peer"/> of this end
    /// may be used. The continuation runs on the thread pool, or in the context that awaited; if there is room, the
    /// call completes at once. An open claim is abandoned first. It allocates nothing in steady state.</remarks>
    /// <exception cref="IpcException">TooLarge: more than <see cref="RingEnd.MaxPayload"/>. Stopped. PeerClosed,
    /// PeerDied: the ring is full and its reader has left or died.</exception>
    /// <exception cref="OperationCanceledException">Cancelled; nothing was written.</exception>
    /// <exception cref="ObjectDisposedException">This end is disposed; nothing was written.</exception>
    public ValueTask WriteAsync(
        ReadOnlyMemory<byte> payload, ushort type = 0, CancellationToken cancellationToken = default) =>
        WriteAsync(payload, type, Timeout.InfiniteTimeSpan, cancellationToken);

    /// <summary>Writes a copy of <paramref name="payload"/>, waiting for room at most for <paramref name="timeout"/>.
    /// See <see cref="WriteAsync(ReadOnlyMemory{byte}, ushort, CancellationToken)"/>.</summary>
    /// <exception cref="TimeoutException">There was no room in time; nothing was written.</exception>
    public ValueTask WriteAsync(
        ReadOnlyMemory<byte> payload, ushort type, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        if (!cancellationToken.IsCancellationRequested && TryWrite(payload.Span, type))
            return default;
        CheckLength(payload.Length);
        WriteWait wait = WriteWait.Rent(this);
        return new ValueTask(wait, wait.Begin(payload, type, Deadline.After(timeout), cancellationToken));
    }

    private void NotWritten(IpcStatus status, string call, CancellationToken cancellationToken)
    {
        if (status is IpcStatus.PeerClosed or IpcStatus.PeerDied)
            Throw.Status(
                status,
                $"RingWriter.{call}: the ring is full, and its reader " +
                    (status == IpcStatus.PeerDied ? "has died." : "has left."));
        Throw.Ended(status, this, call, cancellationToken);
    }

    /// <summary>Waits until <paramref name="length"/> bytes can be claimed, without holding a thread. Ok: they can, as
    /// long as nobody else does.</summary>
    internal ValueTask<IpcStatus> WaitForRoomAsync(int length, Deadline deadline, CancellationToken cancellationToken)
    {
        CheckLength(length);
        RoomWait wait = RoomWait.Rent(this);
        return new ValueTask<IpcStatus>(wait, wait.Begin(length, deadline, cancellationToken));
    }

    /// <summary>Copies into the open claim and publishes. False: this end was closed meanwhile, and nothing is
    /// published.</summary>
    private bool TryCommit(ReadOnlySpan<byte> payload, ushort type)
    {
        ulong before = _tail;
        try
        {
            if (!Enter())
                return false;
            payload.CopyTo(Claimed(payload.Length));
            CommitSlow(payload.Length, type, publish: true);
            return _tail != before;
        }
        finally
        {
            Leave();
        }
    }

    private sealed class WriteWait : OwnedWait<WriteWait, RingWriter, AsyncRoomCondition, bool>
    {
        private ReadOnlyMemory<byte> _payload;
        private ushort _type;

        public short Begin(
            ReadOnlyMemory<byte> payload, ushort type, Deadline deadline, CancellationToken cancellationToken)
        {
            _payload = payload;
            _type = type;
            Condition = new AsyncRoomCondition(Owner, payload.Length);
            return Begin(Owner.Control, Owner._space, Owner.View, deadline, cancellationToken);
        }

        private protected override bool Finish(IpcStatus status)
        {
            if (status != IpcStatus.Ok)
                Owner.NotWritten(status, nameof(WriteAsync), Cancel);
            bool committed = false;
            try
            {
                if (!Owner.TryCommit(_payload.Span, _type))
                    Throw.Ended(IpcStatus.Closed, Owner, nameof(WriteAsync), Cancel);
                committed = true;
            }
            finally
            {
                if (!committed)
                    Owner.Abandon(); // its owner's getter threw
            }

            return true;
        }

        private protected override void GiveBack()
        {
            _payload = default;
            base.GiveBack();
        }
    }

    private sealed class RoomWait : OwnedWait<RoomWait, RingWriter, AsyncRoomCondition, IpcStatus>
    {
        public short Begin(int length, Deadline deadline, CancellationToken cancellationToken)
        {
            Condition = new AsyncRoomCondition(Owner, length);
            return Begin(Owner.Control, Owner._space, Owner.View, deadline, cancellationToken);
        }

        private protected override IpcStatus Finish(IpcStatus status)
        {
            if (status == IpcStatus.Ok)
                Owner.Abandon(); // who waited may not come for it: stopped, closed, cancelled
            return status;
        }
    }

    /// <summary>Room, which is claimed when it is found. Each look asks the reader for space.</summary>
    private readonly struct AsyncRoomCondition : IWaitCondition
    {
        private readonly RingWriter _writer;
        private readonly int _length;

        public AsyncRoomCondition(RingWriter writer, int length)
        {
            _writer = writer;
            _length = length;
        }

        public ulong LongestSleep =>
            (uint)_length > _writer._maxInline ? RingWriter.LongestSleep : _writer.LongestSleepForRoom;

        public bool IsTrue() => _writer.TryClaim(_length, out _);

        public IpcStatus PeerStatus() => _writer.PeerStatusFromOutside();

        public void BeforeSleep()
        {
        }
    }
}
