using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc;

/// <content>Waiting without holding a thread; see <see cref="AsyncWaitThread"/>.</content>
/// <remarks>The steps are those of the calls that block. Between two attempts to log in a timer runs; while the server
/// is being asked, a thread of the pool waits for its answer.</remarks>
public sealed partial class NamedConnection
{
    private TaskCompletionSource<bool>? _napEnd; // of those who nap without a thread; under _naps

    /// <summary>Logs in, waiting for the server if there is none, without blocking a thread. See
    /// <see cref="Connect"/>. All exceptions are in the task.</summary>
    /// <param name="timeout">How long to wait; null: 5 seconds.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="TimeoutException">There was no server, or it did not answer.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    /// <exception cref="ConnectionRefusedException">The server refuses this client; its text is the
    /// message.</exception>
    /// <exception cref="ObjectDisposedException">It was disposed, before or during the call.</exception>
    /// <exception cref="IpcException">As <see cref="Connect"/>.</exception>
    public async Task ConnectAsync(TimeSpan? timeout = null, CancellationToken cancellationToken = default)
    {
        ThrowIfServer();
        Deadline deadline = Deadline.Within(timeout ?? TimeSpan.FromSeconds(5), nameof(timeout));
        AskForServer();
        ThrowUnlessConnected(
            await AttendAsync(deadline, always: true, untilRecord: false, cancellationToken).ConfigureAwait(false),
            nameof(ConnectAsync), cancellationToken);
    }

    /// <summary>True as soon as there may be a message to receive; then call <see cref="TryReceive"/> until there is
    /// none. Of a client: what a server has to receive its listener tells
    /// (<see cref="NamedListener.NextAsync(CancellationToken)"/>).</summary>
    /// <remarks>One call at a time, of the receiving half; until it completes nothing is received or acknowledged. A
    /// client without a session logs in meanwhile, as <c>Receive</c> does, unless
    /// <see cref="NamedConnectionOptions.Reconnect"/> is off. The continuation runs on the thread pool, or in the
    /// context that awaited; if there is a message already, the call completes at once, and allocates
    /// nothing.</remarks>
    /// <returns>False: it was disposed or stopped; or the server has left, everything is received, and this client does
    /// not log in by itself.</returns>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    /// <exception cref="ConnectionRefusedException">The server refuses this client.</exception>
    /// <exception cref="InvalidOperationException">This is a server's.</exception>
    /// <exception cref="IpcException">PeerDied: the server has died, everything is received, and this client does not
    /// log in by itself. Or logging in failed otherwise than for want of a server.</exception>
    public ValueTask<bool> WaitToReceiveAsync(CancellationToken cancellationToken = default) =>
        WaitToReceiveAsync(Timeout.InfiniteTimeSpan, cancellationToken);

    /// <summary>The same, at most for <paramref name="timeout"/>.</summary>
    /// <exception cref="TimeoutException">There was no message in time.</exception>
    public ValueTask<bool> WaitToReceiveAsync(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        ThrowIfServer();
        return WaitToReceiveAsync(Deadline.Within(timeout, nameof(timeout)), cancellationToken);
    }

    /// <summary>A handle for an event loop: signalled while <see cref="TryReceive"/> may have a message. Of a client,
    /// which logs in while the handle is armed, as in <see cref="WaitToReceiveAsync(CancellationToken)"/>.</summary>
    /// <remarks>It is also signalled when logging in has failed, as after a refusal: <see cref="Connect"/> says why.
    /// Armed again it asks again, after the pause that is due.</remarks>
    /// <exception cref="InvalidOperationException">This is a server's, or another thread waits here.</exception>
    public ReadyHandle GetReadyHandle()
    {
        ThrowIfServer();
        return new ReadyHandle(WaitToReceiveAsync);
    }

    /// <summary>Sends a copy of <paramref name="payload"/>, waiting for room without blocking a thread. Do not change
    /// the payload before the task completes.</summary>
    /// <remarks>One call at a time, of the sending half; an open claim is given back first. As with
    /// <see cref="Send(ReadOnlySpan{byte}, ushort, TimeSpan?, CancellationToken)"/>, a client without a session looks
    /// for its server for a moment, and the message waits for it. The continuation runs on the thread pool, or in the
    /// context that awaited; with a session and room the call completes at once, and allocates nothing. A server waits
    /// also for a client that is away, whom the loop over
    /// <see cref="NamedListener.NextAsync(CancellationToken)"/> lets in: do not await it in that loop.</remarks>
    /// <returns>The number of the message. It is kept until the other side has acknowledged it.</returns>
    /// <exception cref="OperationCanceledException">Cancelled; nothing was sent.</exception>
    /// <exception cref="ConnectionRefusedException">There is no room, and the server refuses this client.</exception>
    /// <exception cref="ObjectDisposedException">It was disposed; nothing was sent.</exception>
    /// <exception cref="IpcException">TooLarge: more than <see cref="MaxPayload"/>. Stopped. PeerClosed, PeerDied:
    /// there is no room, the other side has gone, and this client does not log in by itself.</exception>
    public ValueTask<long> SendAsync(
        ReadOnlyMemory<byte> payload, ushort type = 0, CancellationToken cancellationToken = default) =>
        SendAsync(payload, type, Timeout.InfiniteTimeSpan, cancellationToken);

    /// <summary>The same, waiting for room at most for <paramref name="timeout"/>.</summary>
    /// <exception cref="TimeoutException">There was no room in time; nothing was sent.</exception>
    public ValueTask<long> SendAsync(
        ReadOnlyMemory<byte> payload, ushort type, TimeSpan timeout, CancellationToken cancellationToken = default) =>
        SendAsync(payload, type, Deadline.Within(timeout, nameof(timeout)), cancellationToken);

    private async ValueTask<bool> WaitToReceiveAsync(Deadline deadline, CancellationToken cancellationToken)
    {
        for (; ; )
        {
            if (!cancellationToken.IsCancellationRequested && Ends.Reader.LooksReadable())
                return true;
            Ends.NoteLook(isWriter: false);
            IpcStatus status = await AttendAsync(
                deadline, always: false, untilRecord: true, cancellationToken).ConfigureAwait(false);
            NamedEnds ends = Ends;
            if (status == IpcStatus.Ok)
            {
                status = await ends.Reader.WaitAsync(deadline, cancellationToken).ConfigureAwait(false);
                if (status == IpcStatus.Ok)
                    return true;
            }

            if (status is IpcStatus.PeerClosed or IpcStatus.PeerDied && LosesPeer(ends, status))
                status = LookForAnEnd(deadline, cancellationToken);
            if (status == IpcStatus.Closed)
                status = await WaitForOthersAsync(ends, deadline, cancellationToken).ConfigureAwait(false);
            if (status is IpcStatus.Closed or IpcStatus.Stopped or IpcStatus.PeerClosed)
                return false;
            if (status != IpcStatus.Ok)
                Throw.Ended(status, this, nameof(WaitToReceiveAsync), cancellationToken);
        }
    }

    private async ValueTask<long> SendAsync(
        ReadOnlyMemory<byte> payload, ushort type, Deadline deadline, CancellationToken cancellationToken)
    {
        if (MayLogIn && deadline != Deadline.Now && !cancellationToken.IsCancellationRequested)
            await LogInOnTheWayAsync(deadline, cancellationToken).ConfigureAwait(false);
        for (; ; )
        {
            if (!cancellationToken.IsCancellationRequested && TrySendNow(payload.Span, type) is { } number)
                return number;
            Ends.NoteLook(isWriter: true);
            IpcStatus status = await AttendAsync(
                deadline, always: false, untilRecord: false, cancellationToken).ConfigureAwait(false);
            NamedEnds ends = Ends;
            if (status == IpcStatus.Ok)
                status = await ends.Writer.WaitForRoomAsync(
                    payload.Length + NamedEnds.SequenceSize, deadline, cancellationToken).ConfigureAwait(false);
            if (status is IpcStatus.PeerClosed or IpcStatus.PeerDied)
            {
                if (LosesPeer(ends, status))
                    status = LookForAnEnd(deadline, cancellationToken);
                else if (!IsClient)
                    status = await ends.Writer.WaitForPeerAsync(deadline, cancellationToken).ConfigureAwait(false);
            }

            if (status == IpcStatus.Closed)
                status = await WaitForOthersAsync(ends, deadline, cancellationToken).ConfigureAwait(false);
            if (status != IpcStatus.Ok)
                Throw.Ended(status, this, nameof(SendAsync), cancellationToken);
        }
    }

    /// <summary>Null: there is no room, or it is closed.</summary>
    private long? TrySendNow(ReadOnlySpan<byte> payload, ushort type)
    {
        for (; ; )
        {
            if (!TryClaim(payload.Length, out Span<byte> claimed))
                return null;
            payload.CopyTo(claimed);
            long number = Commit(payload.Length, type);
            if (number != 0)
                return number; // else begun anew meanwhile, or closed: then there is no claim
        }
    }

    /// <summary>As <see cref="Attend"/>. Who does not wait does not log in either.</summary>
    private async ValueTask<IpcStatus> AttendAsync(
        Deadline deadline, bool always, bool untilRecord, CancellationToken cancellationToken)
    {
        if (!IsClient || (!always && (!_options.Reconnect || deadline == Deadline.Now)) || IsConnected)
            return IpcStatus.Ok;
        for (; ; )
        {
            bool isElsewhere = false;
            if (IsDue())
            {
                IpcStatus? asked = await LogInIfNobodyDoesAsync(deadline, cancellationToken).ConfigureAwait(false);
                if (asked is IpcStatus.Ok or IpcStatus.Stopped or IpcStatus.Cancelled or IpcStatus.Closed)
                    return asked.Value;
                isElsewhere = asked is null;
            }

            Task<bool> napEnd = NapEnd(); // before the looks: what ends naps from here on is not missed
            if (IsConnected)
                return IpcStatus.Ok;
            RingReader reader = Ends.Reader;
            if (untilRecord && reader.Poll(out IpcStatus ended) && ended == IpcStatus.Ok)
                return IpcStatus.Ok;
            IpcStatus status = LookForAnEnd(deadline, cancellationToken);
            if (status != IpcStatus.Ok)
                return status;
            await NapAsync(napEnd, isElsewhere ? NapBesideLogin : NapLength(deadline), cancellationToken)
                .ConfigureAwait(false);
        }
    }

    // Methods of their own: the callers, which seldom come here, have nothing to capture.
    private Task LogInOnTheWayAsync(Deadline deadline, CancellationToken cancellationToken) =>
        Task.Run(() => LogInOnTheWay(deadline, cancellationToken), CancellationToken.None);

    private Task<IpcStatus?> LogInIfNobodyDoesAsync(Deadline deadline, CancellationToken cancellationToken) =>
        Task.Run(() => LogInIfNobodyDoes(deadline, cancellationToken), CancellationToken.None);

    /// <summary>As <see cref="WaitForOthers"/>.</summary>
    private async ValueTask<IpcStatus> WaitForOthersAsync(
        NamedEnds ends, Deadline deadline, CancellationToken cancellationToken)
    {
        Task<bool> napEnd = NapEnd();
        if (Atomic.LoadAcquire(ref _disposed) == 0 && !ReferenceEquals(ends, Ends))
            return IpcStatus.Ok;
        IpcStatus status = LookForAnEnd(deadline, cancellationToken);
        if (status == IpcStatus.Ok)
            await NapAsync(napEnd, NapBesideLogin, cancellationToken).ConfigureAwait(false);
        return status;
    }

    private Task<bool> NapEnd()
    {
        lock (_naps)
        {
            _napEnd ??= new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
            return _napEnd.Task;
        }
    }

    /// <summary>A cancellation ends it as the time does: whoever naps looks again.</summary>
    private static async Task NapAsync(Task<bool> napEnd, int milliseconds, CancellationToken cancellationToken)
    {
        using CancellationTokenSource over = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        _ = await Task.WhenAny(napEnd, Task.Delay(milliseconds, over.Token)).ConfigureAwait(false);
        over.Cancel(); // the timer goes
    }
}
