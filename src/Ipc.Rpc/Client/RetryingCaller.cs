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
    /// <summary>Between two looks for a server that does not let itself be connected to.</summary>
    private static readonly TimeSpan _look = TimeSpan.FromMilliseconds(5);

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
                TimeSpan? pause = state.Pause(NextRandom());
                await PrepareAsync(pause, state.Deadline, method, cancellationToken).ConfigureAwait(false);
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
                TimeSpan? pause = state.Pause(NextRandom());
                await PrepareAsync(pause, state.Deadline, method, cancellationToken).ConfigureAwait(false);
            }

            next = Another(state);
        }
    }

    /// <summary>One attempt, when there is a server.</summary>
    private async ValueTask<TResponse> ReadyAsync<TResponse>(
        RpcMethod method, Func<RpcCaller, ValueTask<TResponse>> call, CancellationToken cancellationToken)
    {
        var state = Begin();
        await PrepareAsync(null, state.Deadline, method, cancellationToken).ConfigureAwait(false);
        return await call(Another(state)).ConfigureAwait(false);
    }

    private IAsyncEnumerable<TItem> WhenReady<TItem>(
        RpcMethod method, IAsyncEnumerable<TItem> stream, CancellationToken cancellationToken)
        => _session.Options.WaitForReady
            ? new ReadyStream<TItem>(
                stream, () => IsReady, token => PrepareAsync(null, StreamDeadline, method, token), cancellationToken)
            : stream;

    /// <summary>Timeouts of calls do not apply to streams.</summary>
    private Deadline StreamDeadline => Deadline.Earlier(_setup.Until, RpcDeadline.Current);

    /// <summary>Waits on the calling thread for what the next attempt needs.</summary>
    private void Prepare(ref RetryState state, RpcMethod method, CancellationToken cancellationToken)
    {
        TimeSpan? pause = state.Pause(NextRandom());
        using var scope = new CallScope(cancellationToken);
        using CancellationTokenSource ending =
            CancellationTokenSource.CreateLinkedTokenSource(scope.Token, _session.Closing);
        try
        {
            if (pause is null)
                pause = GetReady(state.Deadline, method, ending.Token);
            if (pause != TimeSpan.Zero && ending.Token.WaitHandle.WaitOne(pause.GetValueOrDefault()))
                throw new OperationCanceledException(ending.Token);
        }
        catch (OperationCanceledException)
        {
            throw Ended(method, scope.Token);
        }
    }

    /// <returns>How long to wait before the next look: not at all when there is a server.</returns>
    private TimeSpan GetReady(Deadline deadline, RpcMethod method, CancellationToken cancellationToken)
    {
        try
        {
            _session.EnsureConnected(RetryState.Until(deadline), cancellationToken);
            return TimeSpan.Zero;
        }
        catch (RpcCallException e) when (e.IsUnsent && e.Status == RpcStatus.Unavailable)
        {
            return PauseOrThrow(deadline, method, cancellationToken);
        }
    }

    /// <summary>Waits for what the next attempt needs.</summary>
    /// <param name="pause">How long; <see langword="null"/> until there is a server.</param>
    /// <param name="deadline">The call's.</param>
    /// <param name="method">What is called.</param>
    /// <param name="cancellationToken">The caller's token.</param>
    private async Task PrepareAsync(
        TimeSpan? pause, Deadline deadline, RpcMethod method, CancellationToken cancellationToken)
    {
        using CancellationTokenSource ending = CancellationTokenSource.CreateLinkedTokenSource(
            cancellationToken, CallScope.HandlerOf(cancellationToken), _session.Closing);
        try
        {
            while (true)
            {
                TimeSpan time = pause ?? await GetReadyAsync(deadline, method, ending.Token).ConfigureAwait(false);
                if (time == TimeSpan.Zero)
                    return;
                await Task.Delay(time, ending.Token).ConfigureAwait(false);
                if (pause is not null)
                    return;
            }
        }
        catch (OperationCanceledException)
        {
            throw Ended(method, cancellationToken.IsCancellationRequested ? cancellationToken : ending.Token);
        }
    }

    private async Task<TimeSpan> GetReadyAsync(Deadline deadline, RpcMethod method, CancellationToken cancellationToken)
    {
        try
        {
            await _session.EnsureConnectedAsync(RetryState.Until(deadline), cancellationToken).ConfigureAwait(false);
            return TimeSpan.Zero;
        }
        catch (RpcCallException e) when (e.IsUnsent && e.Status == RpcStatus.Unavailable)
        {
            return PauseOrThrow(deadline, method, cancellationToken);
        }
    }

    /// <summary>There was no server until the deadline; or one died, or did not answer, before that: then it is looked
    /// for again.</summary>
    private TimeSpan PauseOrThrow(Deadline deadline, RpcMethod method, CancellationToken cancellationToken)
        => deadline == Deadline.Never || deadline.Remaining > _look
            ? _look
            : throw RpcFailure.Deadline(method).ToException(
                cancellationToken, method, PeerName.OfServer(_session.Name));

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
