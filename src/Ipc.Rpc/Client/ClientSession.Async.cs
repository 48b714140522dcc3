using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <content>Connecting for who awaits it.</content>
internal sealed partial class ClientSession
{
    /// <summary>As <see cref="EnsureConnected"/>, without holding a thread. Disposing the client ends it.</summary>
    public async Task EnsureConnectedAsync(TimeSpan timeout, CancellationToken cancellationToken)
    {
        ThrowIfDisposed();
        Channel?.LeaveIfGone();
        if (Channel is { TakesCalls: true })
            return;

        Connection connection = await ConnectionAsync(timeout, cancellationToken).ConfigureAwait(false);
        bool taken = false;
        try
        {
            // A call may be connecting under the lock, for as long as its server takes. So it is asked for now and
            // then, and given back by the thread that has got it.
            while (!Monitor.TryEnter(_connecting))
                await Task.Delay(1, cancellationToken).ConfigureAwait(false);
            try
            {
                taken = true;
                TakeUnlessLate(connection);
            }
            finally
            {
                Monitor.Exit(_connecting);
            }
        }
        finally
        {
            if (!taken)
                connection.Dispose();
        }

        ThrowIfDisposed();
    }

    private async Task<Connection> ConnectionAsync(TimeSpan timeout, CancellationToken cancellationToken)
    {
        using var ending = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _closing.Token);
        try
        {
            return await Connection.ConnectAsync(
                _name, ConnectOptionsFor(Deadline.After(timeout)), ending.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException e)
        {
            cancellationToken.ThrowIfCancellationRequested();
            ThrowIfDisposed();
            throw new OperationCanceledException(e.Message, e, cancellationToken);
        }
        catch (TimeoutException e)
        {
            throw new RpcFailure(RpcStatus.Unavailable, NoConnection(e), null, e, isUnsent: true)
                .ToException(cancellationToken, null, Peer);
        }
        catch (IpcException e) when (IsAboutServer(e))
        {
            throw FailureOf(e, waited: timeout != TimeSpan.Zero).ToException(cancellationToken, null, Peer);
        }
    }
}
