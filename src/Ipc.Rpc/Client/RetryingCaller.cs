using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>Makes calls again, and waits for the server, as the client's options say. Below all interceptors.</summary>
/// <remarks>The first attempt goes the ordinary way. What it costs is a state machine for each asynchronous call, and
/// so clients without a policy do not have it.</remarks>
internal sealed class RetryingCaller : RpcForwardingCaller
{
    private readonly ClientSession _session;
    private readonly CallSetup _setup;
    private readonly Random _random = new();

    public RetryingCaller(ClientSession session, CallSetup setup, RpcCaller next)
        : base(next)
    {
        _session = session;
        _setup = setup;
    }

    public override TResponse Call<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default)
    {
        var state = Begin();
        RpcCaller next = Next;
        while (true)
        {
            try
            {
                return next.Call(method, in request, cancellationToken);
            }
            catch (RpcCallException e) when (state.GoesOn(e, method.IsIdempotent, IsOver))
            {
                Prepare(ref state, method, cancellationToken);
            }

            next = Another(state);
        }
    }

    public override ValueTask<TResponse> CallAsync<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default)
        => CallAgainAsync(method, request, Begin(), cancellationToken);

    public override ValueTask<TResponse> CallAsync<TRequest, TResponse, TProgress>(
        RpcProgressMethod<TRequest, TResponse, TProgress> method,
        in TRequest request,
        IProgress<TProgress> progress,
        CancellationToken cancellationToken = default)
    {
        if (IsReady)
            return Next.CallAsync(method, in request, progress, cancellationToken);
        TRequest copy = request;
        return ReadyAsync(
            method, next => next.CallAsync(method, in copy, progress, cancellationToken), cancellationToken);
    }

    public override void Notify<TRequest>(RpcMethod<TRequest, RpcEmpty> method, in TRequest request)
    {
        var state = Begin();
        RpcCaller next = Next;
        while (true)
        {
            try
            {
                next.Notify(method, in request);
                return;
            }
            catch (RpcCallException e) when (state.GoesOn(e, isIdempotent: false, IsOver))
            {
                Prepare(ref state, method, CancellationToken.None);
            }

            next = Another(state);
        }
    }

    public override ValueTask NotifyAsync<TRequest>(
        RpcMethod<TRequest, RpcEmpty> method, in TRequest request, CancellationToken cancellationToken = default)
        => NotifyAgainAsync(method, request, Begin(), cancellationToken);

    public override IAsyncEnumerable<TItem> Stream<TRequest, TItem>(
        RpcMethod<TRequest, TItem> method, TRequest request, CancellationToken cancellationToken = default)
        => WhenReady(method, Next.Stream(method, request, cancellationToken), cancellationToken);

    public override ValueTask<TResponse> ClientStream<TRequest, TIn, TResponse>(
        RpcStreamMethod<TRequest, TIn, TResponse> method,
        TRequest request,
        IAsyncEnumerable<TIn> items,
        CancellationToken cancellationToken = default)
        => IsReady
            ? Next.ClientStream(method, request, items, cancellationToken)
            : ReadyAsync(
                method, next => next.ClientStream(method, request, items, cancellationToken), cancellationToken);

    public override IAsyncEnumerable<TOut> Duplex<TRequest, TIn, TOut>(
        RpcStreamMethod<TRequest, TIn, TOut> method,
        TRequest request,
        IAsyncEnumerable<TIn> items,
        CancellationToken cancellationToken = default)
        => WhenReady(method, Next.Duplex(method, request, items, cancellationToken), cancellationToken);

    private bool IsReady =>
        !_session.Options.WaitForReady || _session.Channel is { TakesCalls: true } || IsOver ||
        _session.CallbackHere is { IsLeaving: true }; // there will be none while that runs: the call says so

    /// <summary>On the thread that makes the call.</summary>
    private RetryState Begin() => new(_session.Options, _setup, _session.CallbackHere);

    private bool IsOver => _session.End is not null;

    private RouteCaller Another(in RetryState state) => new(_session, state.Setup);

    private async ValueTask<TResponse> CallAgainAsync<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, TRequest request, RetryState state, CancellationToken cancellationToken)
    {
        RpcCaller next = Next;
        while (true)
        {
            try
            {
                return await next.CallAsync(method, in request, cancellationToken).ConfigureAwait(false);
            }
            catch (RpcCallException e) when (state.GoesOn(e, method.IsIdempotent, IsOver))
            {
                TimeSpan pause = state.Pause(NextRandom());
                await PrepareAsync(pause, state.WaitsForServer, state.Deadline, method, cancellationToken)
                    .ConfigureAwait(false);
            }

            next = Another(state);
        }
    }

    private async ValueTask NotifyAgainAsync<TRequest>(
        RpcMethod<TRequest, RpcEmpty> method, TRequest request, RetryState state, CancellationToken cancellationToken)
    {
        RpcCaller next = Next;
        while (true)
        {
            try
            {
                await next.NotifyAsync(method, in request, cancellationToken).ConfigureAwait(false);
                return;
            }
            catch (RpcCallException e) when (state.GoesOn(e, isIdempotent: false, IsOver))
            {
                TimeSpan pause = state.Pause(NextRandom());
                await PrepareAsync(pause, state.WaitsForServer, state.Deadline, method, cancellationToken)
                    .ConfigureAwait(false);
            }

            next = Another(state);
        }
    }

    /// <summary>One attempt, when there is a server.</summary>
    private async ValueTask<TResponse> ReadyAsync<TResponse>(
        RpcMethod method, Func<RpcCaller, ValueTask<TResponse>> call, CancellationToken cancellationToken)
    {
        var state = Begin();
        await PrepareAsync(TimeSpan.Zero, waitsForServer: true, state.Deadline, method, cancellationToken)
            .ConfigureAwait(false);
        return await call(Another(state)).ConfigureAwait(false);
    }

    private IAsyncEnumerable<TItem> WhenReady<TItem>(
        RpcMethod method, IAsyncEnumerable<TItem> stream, CancellationToken cancellationToken)
        => _session.Options.WaitForReady
            ? new ReadyStream<TItem>(
                stream,
                () => IsReady,
                token => PrepareAsync(TimeSpan.Zero, waitsForServer: true, StreamDeadline, method, token),
                cancellationToken)
            : stream;

    /// <summary>Timeouts of calls do not apply to streams.</summary>
    private Deadline StreamDeadline => Deadline.Earlier(_setup.Until, RpcDeadline.Current);

    /// <summary>Waits on the calling thread for what the next attempt needs.</summary>
    private void Prepare(ref RetryState state, RpcMethod method, CancellationToken cancellationToken)
    {
        TimeSpan pause = state.Pause(NextRandom());
        using var scope = new CallScope(cancellationToken);
        using CancellationTokenSource ending =
            CancellationTokenSource.CreateLinkedTokenSource(scope.Token, _session.Closing);
        try
        {
            if (pause != TimeSpan.Zero && ending.Token.WaitHandle.WaitOne(Within(pause, state.Deadline)))
                throw new OperationCanceledException(ending.Token);
            if (state.WaitsForServer)
                _session.WaitUntilReady(state.Deadline, method, ending.Token);
        }
        catch (OperationCanceledException)
        {
            throw Ended(method, scope.Token);
        }
    }

    /// <summary>Waits for what the next attempt needs.</summary>
    /// <param name="pause">How long to wait first.</param>
    /// <param name="waitsForServer">Whether to wait for a server after that.</param>
    /// <param name="deadline">The call's.</param>
    /// <param name="method">What is called.</param>
    /// <param name="cancellationToken">The caller's token.</param>
    private async Task PrepareAsync(
        TimeSpan pause,
        bool waitsForServer,
        Deadline deadline,
        RpcMethod method,
        CancellationToken cancellationToken)
    {
        using CancellationTokenSource ending = CancellationTokenSource.CreateLinkedTokenSource(
            cancellationToken, CallScope.HandlerOf(cancellationToken), _session.Closing);
        try
        {
            if (pause != TimeSpan.Zero)
                await Task.Delay(Within(pause, deadline), ending.Token).ConfigureAwait(false);
            if (waitsForServer)
                await _session.WaitUntilReadyAsync(deadline, method, ending.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            throw Ended(method, cancellationToken.IsCancellationRequested ? cancellationToken : ending.Token);
        }
    }

    private static TimeSpan Within(TimeSpan pause, Deadline deadline)
        => deadline.Remaining < pause ? deadline.Remaining : pause;

    /// <summary>The wait was cut off: by the client's end, or by a token.</summary>
    private Exception Ended(RpcMethod method, CancellationToken cancellationToken)
        => _session.Closing.IsCancellationRequested
            ? new ObjectDisposedException(nameof(RpcClient))
            : RpcFailure.Cancelled(method).ToException(
                cancellationToken, method, PeerName.OfServer(_session.Name));

    private double NextRandom()
    {
        lock (_random)
            return _random.NextDouble();
    }
}
