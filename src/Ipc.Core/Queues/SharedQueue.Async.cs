using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc;

/// <summary>The calls that are right without reading: what they return is what was asked for, everything else is an
/// exception; and the same to await.</summary>
/// <remarks>A call that can be done at once is done on its caller's thread. One that has to wait holds no thread: see
/// <see cref="AsyncWaitThread"/>. Its continuation runs on the thread pool, or in the context that awaited
/// it.</remarks>
public sealed unsafe partial class SharedQueue
{
    /// <summary>Sends a copy of <paramref name="payload"/>, waiting for room if there is none.</summary>
    /// <exception cref="IpcException">TooLarge: more than <see cref="MaxPayload"/>. Stopped.</exception>
    /// <exception cref="OperationCanceledException">Cancelled; nothing was sent.</exception>
    /// <exception cref="ObjectDisposedException">The queue is disposed; nothing was sent.</exception>
    public void Send(ReadOnlySpan<byte> payload, CancellationToken cancellationToken = default) =>
        Send(payload, Timeout.InfiniteTimeSpan, cancellationToken);

    /// <summary>Sends a copy of <paramref name="payload"/>, waiting for room no longer than <paramref name="timeout"/>.
    /// See <see cref="Send(ReadOnlySpan{byte}, CancellationToken)"/>.</summary>
    /// <exception cref="TimeoutException">There was no room in time; nothing was sent.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative, and not
    /// <c>Timeout.InfiniteTimeSpan</c>.</exception>
    public void Send(ReadOnlySpan<byte> payload, TimeSpan timeout, CancellationToken cancellationToken = default) =>
        Send(payload, 0, timeout, cancellationToken);

    /// <summary>Sends a copy of <paramref name="payload"/> with a number that travels with it
    /// (<see cref="QueueMessage.Type"/>), waiting for room no longer than <paramref name="timeout"/>. It reads the
    /// clock only if it has to wait.</summary>
    /// <remarks>For any thread. It allocates nothing.</remarks>
    /// <exception cref="TimeoutException">There was no room in time; nothing was sent.</exception>
    /// <exception cref="IpcException">TooLarge: more than <see cref="MaxPayload"/>. Stopped.</exception>
    /// <exception cref="OperationCanceledException">Cancelled; nothing was sent.</exception>
    /// <exception cref="ObjectDisposedException">The queue is disposed; nothing was sent.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative, and not
    /// <c>Timeout.InfiniteTimeSpan</c>.</exception>
    [MethodImpl(Tiering.Optimized)]
    public void Send(
        ReadOnlySpan<byte> payload, ushort type, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        if (TrySend(payload, type))
            return;
        IpcStatus status = Send(payload, type, Deadline.After(timeout), cancellationToken);
        if (status != IpcStatus.Ok)
            Throw.Ended(status, this, nameof(Send), cancellationToken);
    }

    /// <summary>The next message, waiting for it if there is none. Dispose the message: then it has been
    /// handled.</summary>
    /// <exception cref="IpcException">Stopped.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The queue is disposed.</exception>
    /// <exception cref="CorruptRegionException">A participant has written an invalid message.</exception>
    public QueueMessage Receive(
        CancellationToken cancellationToken = default) => Receive(Timeout.InfiniteTimeSpan, cancellationToken);

    /// <summary>The next message, waiting for it no longer than <paramref name="timeout"/>. See
    /// <see cref="Receive(CancellationToken)"/>.</summary>
    /// <exception cref="TimeoutException">No message came in time.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative, and not
    /// <c>Timeout.InfiniteTimeSpan</c>.</exception>
    [MethodImpl(Tiering.Optimized)]
    public QueueMessage Receive(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        if (TryReceive(out QueueMessage message))
            return message;
        IpcStatus status = Receive(out message, Deadline.After(timeout), cancellationToken);
        if (status != IpcStatus.Ok)
            Throw.Ended(status, this, nameof(Receive), cancellationToken);
        return message;
    }

    /// <summary>The next message. Dispose it: then it has been handled. A message that has been received for a task
    /// that nobody awaits comes again when the queue is disposed.</summary>
    /// <remarks>Any number may be pending, of any threads; each takes another message. Allocates nothing in steady
    /// state.</remarks>
    /// <exception cref="IpcException">Stopped.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The queue is disposed.</exception>
    /// <exception cref="CorruptRegionException">A participant has written an invalid message.</exception>
    /// <exception cref="InvalidOperationException">It has to wait, and the queue was opened with
    /// <see cref="QueueOptions.SingleThreaded"/>.</exception>
    public ValueTask<QueueMessage> ReceiveAsync(CancellationToken cancellationToken = default) =>
        ReceiveAsync(Timeout.InfiniteTimeSpan, cancellationToken);

    /// <summary>Receives the next message, waiting for at most <paramref name="timeout"/>. See
    /// <see cref="ReceiveAsync(CancellationToken)"/>.</summary>
    /// <exception cref="TimeoutException">No message came in time.</exception>
    public ValueTask<QueueMessage> ReceiveAsync(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        if (!cancellationToken.IsCancellationRequested && TryReceive(out QueueMessage message))
            return new ValueTask<QueueMessage>(message);
        _place.Waits.CheckMayAwait();
        ReceiveWait wait = ReceiveWait.Rent(this);
        return new ValueTask<QueueMessage>(wait, wait.Begin(Deadline.After(timeout), cancellationToken));
    }

    /// <summary>Waits until a message can be received, and returns true (another receiver may get it first). Returns
    /// false when the queue is disposed or stopped.</summary>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public ValueTask<bool> WaitToReceiveAsync(CancellationToken cancellationToken = default)
    {
        _place.Waits.CheckMayAwait();
        ReadyWait wait = ReadyWait.Rent(this);
        return new ValueTask<bool>(wait, wait.Begin(Deadline.Never, cancellationToken));
    }

    /// <summary>Returns a handle for other event loops: it is signalled while a message may be received.</summary>
    /// <exception cref="InvalidOperationException">The queue was opened with
    /// <see cref="QueueOptions.SingleThreaded"/>.</exception>
    public ReadyHandle GetReadyHandle() => new(WaitToReceiveAsync);

    /// <summary>Receives all messages until the queue is disposed or stopped. Dispose each message.</summary>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public async IAsyncEnumerable<QueueMessage> ReceiveAllAsync(
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        while (await WaitToReceiveAsync(cancellationToken).ConfigureAwait(false))
        {
            while (TryReceive(out QueueMessage message))
                yield return message;
        }
    }

    /// <summary>Sends a copy of <paramref name="payload"/>, waiting for room if there is none. Do not change the
    /// payload before the task has completed.</summary>
    /// <remarks>The order of sends that are pending at the same time is undefined: await each before the
    /// next.</remarks>
    /// <exception cref="IpcException">TooLarge: more than <see cref="MaxPayload"/>. Stopped.</exception>
    /// <exception cref="OperationCanceledException">Cancelled; nothing was sent.</exception>
    /// <exception cref="ObjectDisposedException">The queue is disposed; nothing was sent.</exception>
    public ValueTask SendAsync(ReadOnlyMemory<byte> payload, CancellationToken cancellationToken = default) =>
        SendAsync(payload, Timeout.InfiniteTimeSpan, cancellationToken);

    /// <summary>Sends a copy of <paramref name="payload"/>, if there is room within <paramref name="timeout"/>. See
    /// <see cref="SendAsync(ReadOnlyMemory{byte}, CancellationToken)"/>.</summary>
    /// <exception cref="TimeoutException">There was no room in time; nothing was sent.</exception>
    public ValueTask SendAsync(
        ReadOnlyMemory<byte> payload, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        if (!cancellationToken.IsCancellationRequested && TrySend(payload.Span))
            return default;
        _sender.CheckLength(payload.Length);
        _place.Waits.CheckMayAwait();
        SendWait wait = SendWait.Rent(this);
        return new ValueTask(wait, wait.Begin(payload, Deadline.After(timeout), cancellationToken));
    }

    /// <summary>A wait belongs to the place where it began.</summary>
    private abstract class QueueWait<TSelf, TCondition, TResult> : OwnedWait<TSelf, SharedQueue, TCondition, TResult>
        where TSelf : QueueWait<TSelf, TCondition, TResult>, new()
        where TCondition : struct, IWaitCondition
    {
        private QueuePlace? _place;

        private protected QueuePlace Place
        {
            get => _place!;
            set => _place = value;
        }

        private protected override void GiveBack()
        {
            _place = null;
            base.GiveBack();
        }
    }

    private sealed class ReceiveWait : QueueWait<ReceiveWait, QueueDataCondition, QueueMessage>
    {
        public short Begin(Deadline deadline, CancellationToken cancellationToken)
        {
            Place = Owner._place;
            Condition = new QueueDataCondition(Place.Receiver, takes: true);
            return Begin(
                Place.Control, &Place.Segments.Header->Data, Place.Region.View, deadline, cancellationToken);
        }

        private protected override QueueMessage Finish(IpcStatus status)
        {
            if (status != IpcStatus.Ok)
                Throw.Ended(Owner.Told(status), Owner, nameof(ReceiveAsync), Cancel);
            return Place.Receiver.MessageAt(Condition.Slot, Condition.Word);
        }
    }

    private sealed class ReadyWait : QueueWait<ReadyWait, QueueDataCondition, bool>
    {
        public short Begin(Deadline deadline, CancellationToken cancellationToken)
        {
            Place = Owner._place;
            Condition = new QueueDataCondition(Place.Receiver, takes: false);
            return Begin(
                Place.Control, &Place.Segments.Header->Data, Place.Region.View, deadline, cancellationToken);
        }

        private protected override bool Finish(IpcStatus status)
        {
            if (status is not (IpcStatus.Ok or IpcStatus.Closed or IpcStatus.Stopped))
                Throw.Ended(Owner.Told(status), Owner, nameof(WaitToReceiveAsync), Cancel);
            return status == IpcStatus.Ok;
        }
    }

    private sealed class SendWait : QueueWait<SendWait, QueueSpaceCondition, bool>
    {
        private ReadOnlyMemory<byte> _payload;

        public short Begin(ReadOnlyMemory<byte> payload, Deadline deadline, CancellationToken cancellationToken)
        {
            _payload = payload;
            Place = Owner._place;
            Condition = new QueueSpaceCondition(Place.Sender, payload.Length, marks: true);
            return Begin(
                Place.Control, &Place.Segments.Header->Space, Place.Region.View, deadline, cancellationToken);
        }

        private protected override bool Finish(IpcStatus status)
        {
            if (status != IpcStatus.Ok)
                Throw.Ended(Owner.Told(status), Owner, nameof(SendAsync), Cancel);
            QueueClaim claim = Condition.Taken();
            try
            {
                _payload.Span.CopyTo(claim.Payload);
            }
            catch
            {
                claim.Abandon(); // its owner's getter threw
                throw;
            }

            if (!claim.TryCommitOnce(_payload.Length, 0) && !Place.Sender.TakenAway())
                Throw.Ended(Owner.Told(IpcStatus.Closed), Owner, nameof(SendAsync), Cancel);
            return true;
        }

        private protected override void EndCondition() => Condition.End();

        private protected override void GiveBack()
        {
            _payload = default;
            base.GiveBack();
        }
    }
}
