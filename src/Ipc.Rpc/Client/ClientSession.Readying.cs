using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

// Calls that wait for a server may be thousands: all those that a stopping server has not handled. One of them looks
// for the next one at a time, the others wait for its turn to end: it has a connection, which is for all, or its time
// is over.

/// <content>Waiting for a server, for calls that do so.</content>
internal sealed partial class ClientSession
{
    /// <summary>Between two looks for a server that does not let itself be connected to.</summary>
    private static readonly TimeSpan _look = TimeSpan.FromMilliseconds(5);

    private readonly SemaphoreSlim _readying = new(1, 1);

    /// <summary>From the beginning of its end on, which <see cref="Closing"/> and <see cref="End"/> tell of
    /// later.</summary>
    public bool IsDisposed => Volatile.Read(ref _disposed);

    /// <summary>Waits on the calling thread until there is a server.</summary>
    /// <exception cref="RpcCallException">There is none until the deadline, or it refuses this client.</exception>
    public void WaitUntilReady(Deadline until, RpcMethod method, CancellationToken cancellationToken)
    {
        while (Channel is not { TakesCalls: true })
        {
            ThrowIfTooLate(until, TimeSpan.Zero, method, cancellationToken);
            if (!_readying.Wait(SliceOf(until), cancellationToken))
                continue;

            try
            {
                EnsureConnected(RetryState.Until(until), cancellationToken);
            }
            catch (RpcCallException e) when (e.IsUnsent && e.Status == RpcStatus.Unavailable)
            {
                ThrowIfTooLate(until, _look, method, cancellationToken);
                if (cancellationToken.WaitHandle.WaitOne(_look))
                    throw new OperationCanceledException(cancellationToken);
            }
            finally
            {
                _readying.Release();
            }
        }

        ThrowIfDisposed();
    }

    /// <summary>The same, without holding a thread.</summary>
    public async Task WaitUntilReadyAsync(Deadline until, RpcMethod method, CancellationToken cancellationToken)
    {
        while (Channel is not { TakesCalls: true })
        {
            ThrowIfTooLate(until, TimeSpan.Zero, method, cancellationToken);
            if (!await _readying.WaitAsync(SliceOf(until), cancellationToken).ConfigureAwait(false))
                continue;

            try
            {
                await EnsureConnectedAsync(RetryState.Until(until), cancellationToken).ConfigureAwait(false);
            }
            catch (RpcCallException e) when (e.IsUnsent && e.Status == RpcStatus.Unavailable)
            {
                ThrowIfTooLate(until, _look, method, cancellationToken);
                await Task.Delay(_look, cancellationToken).ConfigureAwait(false);
            }
            finally
            {
                _readying.Release();
            }
        }

        ThrowIfDisposed();
    }

    /// <summary>How long to wait for one's turn, as far as a timer takes it.</summary>
    private static TimeSpan SliceOf(Deadline until) => until.Remaining < _longest ? until.Remaining : _longest;

    /// <summary>There was no server until the deadline; or one died, or did not answer, before that: then it is looked
    /// for again.</summary>
    private void ThrowIfTooLate(
        Deadline until, TimeSpan pause, RpcMethod method, CancellationToken cancellationToken)
    {
        if (until != Deadline.Never && until.Remaining <= pause)
            throw RpcFailure.Deadline(method).ToException(cancellationToken, method, Peer);
    }
}
