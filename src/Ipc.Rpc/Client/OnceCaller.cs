using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>Makes a call that is executed once: as often as it takes, under one id.</summary>
internal sealed class OnceCaller
{
    private readonly ClientSession _session;
    private readonly CallSetup _setup;
    private readonly bool _isObserved;

    public OnceCaller(ClientSession session, CallSetup setup, bool isObserved)
    {
        _session = session;
        _setup = setup;
        _isObserved = isObserved;
    }

    public TResponse Call<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken)
    {
        var attempts = new OnceAttempts(_session, _setup);
        RpcCallException? failure = null;
        while (true)
        {
            try
            {
                return Next(attempts).Call(method, in request, cancellationToken);
            }
            catch (RpcCallException e) when (attempts.GoesOn(e, method))
            {
                failure = e;
            }
            catch (ObjectDisposedException) when (failure is not null && _session.IsDisposed)
            {
                throw failure; // as Ended says
            }

            using var scope = new CallScope(cancellationToken);
            using var ending = CancellationTokenSource.CreateLinkedTokenSource(scope.Token, _session.Closing);
            try
            {
                TimeSpan pause = attempts.Pause();
                if (pause != TimeSpan.Zero && ending.Token.WaitHandle.WaitOne(pause))
                    throw new OperationCanceledException(ending.Token);
                if (attempts.WaitsForServer)
                    _session.WaitUntilReady(attempts.Patience, method, ending.Token);
            }
            catch (OperationCanceledException)
            {
                throw Ended(method, failure, scope.Token);
            }
            catch (RpcCallException e)
            {
                throw attempts.Last(failure, e);
            }
            catch (ObjectDisposedException) when (_session.IsDisposed)
            {
                throw failure; // as Ended says
            }
        }
    }

    /// <summary>The request is a copy: it is encoded again for each attempt.</summary>
    public async ValueTask<TResponse> CallAsync<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, TRequest request, CancellationToken cancellationToken)
    {
        var attempts = new OnceAttempts(_session, _setup);
        CancellationToken handler = CallScope.HandlerOf(cancellationToken);
        RpcCallException? failure = null;
        while (true)
        {
            try
            {
                return await Next(attempts).CallAsync(method, in request, cancellationToken).ConfigureAwait(false);
            }
            catch (RpcCallException e) when (attempts.GoesOn(e, method))
            {
                failure = e;
            }
            catch (ObjectDisposedException) when (failure is not null && _session.IsDisposed)
            {
                throw failure; // as Ended says
            }

            using var ending = CancellationTokenSource.CreateLinkedTokenSource(
                cancellationToken, handler, _session.Closing);
            try
            {
                TimeSpan pause = attempts.Pause();
                if (pause != TimeSpan.Zero)
                    await Task.Delay(pause, ending.Token).ConfigureAwait(false);
                if (attempts.WaitsForServer)
                    await _session.WaitUntilReadyAsync(attempts.Patience, method, ending.Token).ConfigureAwait(false);
            }
            catch (OperationCanceledException)
            {
                throw Ended(
                    method, failure, cancellationToken.IsCancellationRequested ? cancellationToken : handler);
            }
            catch (RpcCallException e)
            {
                throw attempts.Last(failure, e);
            }
            catch (ObjectDisposedException) when (_session.IsDisposed)
            {
                throw failure; // as Ended says
            }
        }
    }

    private RouteCaller Next(OnceAttempts attempts) => new(_session, attempts.Setup, _isObserved);

    /// <summary>The wait was cut off: by a token, or by the client's end, which leaves the call as it failed.</summary>
    private Exception Ended(RpcMethod method, RpcCallException failure, CancellationToken cancellationToken)
        => cancellationToken.IsCancellationRequested
            ? RpcFailure.Cancelled(method).ToException(cancellationToken, method, PeerName.OfServer(_session.Name))
            : failure;
}
