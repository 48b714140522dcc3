using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc;

/// <summary>Publishing that is right without reading what it returns: what could not be published is an exception. And
/// the same to await, without holding a thread while there is no room; see <see cref="AsyncWaitThread"/>.</summary>
/// <remarks>Held up by a reader the wait sleeps where readers signal; by a writer a lap behind, where writers do. When
/// the cause changes between the choice of the place and the last look, the place is signalled: so nobody sleeps there,
/// and it is chosen anew.</remarks>
public sealed unsafe partial class TopicWriter
{
    /// <summary>Publishes a copy of <paramref name="payload"/>, waiting for room no longer than
    /// <paramref name="timeout"/>. Who holds the writers up then and allows it (<see cref="TopicPolicy.Evict"/>) is cut
    /// off. It reads the clock only if it has to wait.</summary>
    /// <remarks>For the thread that uses this end. An open claim is given back first. It allocates nothing.</remarks>
    /// <exception cref="TimeoutException">There was no room in time (<see cref="SlowReader"/> says why); nothing was
    /// published.</exception>
    /// <exception cref="IpcException">TooLarge: more than <see cref="MaxPayload"/>. Stopped.</exception>
    /// <exception cref="OperationCanceledException">Cancelled; nothing was published.</exception>
    /// <exception cref="ObjectDisposedException">This end is disposed; nothing was published.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative, and not
    /// <c>Timeout.InfiniteTimeSpan</c>.</exception>
    [MethodImpl(Tiering.Optimized)]
    public void Publish(
        ReadOnlySpan<byte> payload,
        ushort type,
        ulong key,
        TimeSpan timeout,
        CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        if (TryPublish(payload, type, key))
            return;
        IpcStatus status = Publish(payload, type, key, Deadline.After(timeout), cancellationToken);
        if (status != IpcStatus.Ok)
            Throw.Ended(status, this, nameof(Publish), cancellationToken);
    }

    /// <summary>Publishes a copy of <paramref name="payload"/>; when there is no room, as soon as there is. Do not
    /// change the payload before that.</summary>
    /// <remarks>One at a time, and no other call of this end but Stop, Dispose and the counts until it is over. What
    /// follows an <c>await</c> runs on the thread pool, or in the context that awaited; at once when there is room. An
    /// open claim is given back first. Allocates nothing in steady state.</remarks>
    /// <exception cref="IpcException">TooLarge: more than <see cref="MaxPayload"/>. Stopped.</exception>
    /// <exception cref="OperationCanceledException">Cancelled; nothing was published.</exception>
    /// <exception cref="ObjectDisposedException">This end is disposed; nothing was published.</exception>
    public ValueTask PublishAsync(
        ReadOnlyMemory<byte> payload, ushort type = 0, ulong key = 0, CancellationToken cancellationToken = default) =>
        PublishAsync(payload, type, key, Timeout.InfiniteTimeSpan, cancellationToken);

    /// <summary>Publishes a copy of <paramref name="payload"/>, if there is room within <paramref name="timeout"/>. Who
    /// holds the writers up then and allows it (<see cref="TopicPolicy.Evict"/>) is cut off. See
    /// <see cref="PublishAsync(ReadOnlyMemory{byte}, ushort, ulong, CancellationToken)"/>.</summary>
    /// <exception cref="TimeoutException">There was no room in time (<see cref="SlowReader"/> says why); nothing was
    /// published.</exception>
    public ValueTask PublishAsync(
        ReadOnlyMemory<byte> payload,
        ushort type,
        ulong key,
        TimeSpan timeout,
        CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        if (!cancellationToken.IsCancellationRequested && TryPublish(payload.Span, type, key))
            return default;
        CheckLength(payload.Length);
        PublishWait wait = PublishWait.Rent(this);
        return new ValueTask(wait, wait.Begin(payload, type, key, Deadline.After(timeout), cancellationToken));
    }

    /// <summary>Copies into the open claim and publishes. False: this end was closed meanwhile.</summary>
    private bool TryCommit(ReadOnlySpan<byte> payload, ushort type, ulong key)
    {
        try
        {
            if (!Enter())
                return false;
            payload.CopyTo(new Span<byte>(_loan.Bytes != null ? _loan.Bytes : (byte*)(_claimSlot + 1), payload.Length));
        }
        finally
        {
            Leave();
        }

        Commit(_claimPosition, payload.Length, type, key);
        return _claimed == NoClaim;
    }

    /// <summary>The time is over: claims after cutting off who may be, if that makes room.</summary>
    private bool TryClaimByEviction(int length)
    {
        for (; ; )
        {
            bool again = false;
            try
            {
                if (!Enter())
                    return false;
                Room cause = Look(out _, out _, out _);
                again = cause == Room.Here
                    ? (uint)length <= _blockSize || EvictSlowReaders(forLoan: true)
                    : EvictSlowReaders(forLoan: false);
            }
            finally
            {
                Leave();
            }

            if (TryClaim(length, out _))
                return true;
            if (!again)
                return false;
        }
    }

    private bool IsHeldByWriter()
    {
        try
        {
            return Enter() && Look(out _, out _, out _) == Room.HeldByWriter;
        }
        finally
        {
            Leave();
        }
    }

    private WaiterWords* WordsOf(bool writers) => writers ? &Header->Data : _space;

    private sealed class PublishWait : OwnedWait<PublishWait, TopicWriter, AsyncRoomCondition, bool>
    {
        private ReadOnlyMemory<byte> _payload;
        private ushort _type;
        private ulong _key;

        public short Begin(
            ReadOnlyMemory<byte> payload,
            ushort type,
            ulong key,
            Deadline deadline,
            CancellationToken cancellationToken)
        {
            _payload = payload;
            _type = type;
            _key = key;
            Condition = new AsyncRoomCondition(Owner, payload.Length);
            return Begin(Owner.Control, Owner._space, Owner.Region.View, deadline, cancellationToken);
        }

        private protected override void ChooseWords() => Words = Owner.WordsOf(Condition.AwaitsWriter);

        private protected override bool Finish(IpcStatus status)
        {
            if (status != IpcStatus.Ok && (status != IpcStatus.Timeout || !Owner.TryClaimByEviction(_payload.Length)))
                Throw.Ended(status, Owner, nameof(PublishAsync), Cancel);
            bool committed = false;
            try
            {
                if (!Owner.TryCommit(_payload.Span, _type, _key))
                    Throw.Ended(IpcStatus.Closed, Owner, nameof(PublishAsync), Cancel);
                committed = true;
            }
            finally
            {
                if (!committed)
                    Owner.Abandon(Owner._claimPosition); // its owner's getter threw
            }

            return true;
        }

        private protected override void GiveBack()
        {
            _payload = default;
            base.GiveBack();
        }
    }

    /// <summary>Room, which is claimed when it is found.</summary>
    private struct AsyncRoomCondition : IWaitCondition
    {
        private readonly TopicWriter _writer;
        private readonly int _length;
        private bool _hasChosen;

        public AsyncRoomCondition(TopicWriter writer, int length)
        {
            _writer = writer;
            _length = length;
            _hasChosen = false;
            AwaitsWriter = false;
        }

        public bool AwaitsWriter { get; private set; }

        public readonly ulong LongestSleep => (uint)_length > _writer._blockSize ? LoanNap : ulong.MaxValue;

        public readonly bool IsTrue()
        {
            if (_writer.TryClaim(_length, out _))
                return true;
            if (_hasChosen && _writer.IsHeldByWriter() != AwaitsWriter)
                Waiter.SignalAlways(_writer.WordsOf(AwaitsWriter));
            return false;
        }

        public readonly IpcStatus PeerStatus()
        {
            try
            {
                if (_writer.Enter())
                    _writer.Attend();
            }
            finally
            {
                _writer.Leave();
            }

            return IpcStatus.Ok; // there may be others
        }

        public void BeforeSleep()
        {
            AwaitsWriter = _writer.IsHeldByWriter();
            _hasChosen = true;
        }
    }
}
