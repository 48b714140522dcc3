using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>Calls along a route: what a client does without its interceptors, and what a handler calls back
/// with.</summary>
internal sealed class RouteCaller : RpcCaller
{
    private readonly ICallRoute _route;
    private readonly CallSetup _setup;
    private readonly bool _isObserved; // somebody around it tells listeners already

    public RouteCaller(ICallRoute route, CallSetup setup, bool isObserved = false)
    {
        _route = route;
        _setup = setup;
        _isObserved = isObserved;
    }

    private bool Observes => RpcTelemetry.IsOn && !_isObserved;

    /// <inheritdoc/>
    [MethodImpl(Tiering.Optimized)]
    public override TResponse Call<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default)
    {
        if (method is { IsOnce: true } && _setup.Once.IsEmpty)
            return Once(method).Call(method, in request, cancellationToken);
        if (Observes)
            return Observed().Call(method, in request, cancellationToken);

        Check(method, RpcMethodKind.Unary);
        using var scope = new CallScope(cancellationToken);
        CallRequest how = Unary(scope.Token);
        return _route.Call(method, Codec(method.Request), Codec(method.Response), in request, in how);
    }

    /// <inheritdoc/>
    [MethodImpl(Tiering.Optimized)]
    public override ValueTask<TResponse> CallAsync<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default)
    {
        if (method is { IsOnce: true } && _setup.Once.IsEmpty)
            return Once(method).CallAsync(method, request, cancellationToken);
        if (Observes)
            return Observed().CallAsync(method, in request, cancellationToken);

        Check(method, RpcMethodKind.Unary);
        CallRequest how = UnaryAsync(cancellationToken);
        AsyncCall<TResponse> call = AsyncCall<TResponse>.Rent(method, Codec(method.Response), in how);
        return Send(method, Codec(method.Request), in request, call, in how);
    }

    /// <inheritdoc/>
    public override ValueTask<TResponse> CallAsync<TRequest, TResponse, TProgress>(
        RpcProgressMethod<TRequest, TResponse, TProgress> method,
        in TRequest request,
        IProgress<TProgress> progress,
        CancellationToken cancellationToken = default)
    {
        if (Observes)
            return Observed().CallAsync(method, in request, progress, cancellationToken);

        Check(method, RpcMethodKind.Unary);
        if (progress is null)
            throw new ArgumentNullException(nameof(progress));

        CallRequest how = UnaryAsync(cancellationToken);
        var call = new ProgressCall<TResponse, TProgress>(
            method, Codec(method.Response), Codec(method.Progress), progress, in how);
        return Send(method, Codec(method.Request), in request, call, in how);
    }

    /// <inheritdoc/>
    public override void Notify<TRequest>(RpcMethod<TRequest, RpcEmpty> method, in TRequest request)
    {
        if (Observes)
        {
            Observed().Notify(method, in request);
            return;
        }

        Check(method, RpcMethodKind.Unary, oneWay: true);
        var how = new CallRequest(
            _setup,
            Deadline.Earlier(_setup.CallDeadline(), RpcDeadline.Current),
            CancellationToken.None,
            flags: FrameFlags.OneWay);
        _route.Notify(method, Codec(method.Request), in request, in how, isAsync: false);
        GC.KeepAlive(_setup.Lease);
    }

    /// <inheritdoc/>
    public override ValueTask NotifyAsync<TRequest>(
        RpcMethod<TRequest, RpcEmpty> method, in TRequest request, CancellationToken cancellationToken = default)
    {
        if (Observes)
            return Observed().NotifyAsync(method, in request, cancellationToken);

        Check(method, RpcMethodKind.Unary, oneWay: true);
        CallRequest how = Unary(cancellationToken, FrameFlags.OneWay);
        Task? sent = _route.Notify(method, Codec(method.Request), in request, in how, isAsync: true);
        return sent is null ? default : Keep(sent, _setup);

        static async ValueTask Keep(Task sent, CallSetup setup)
        {
            await sent.ConfigureAwait(false);
            GC.KeepAlive(setup.Lease);
        }
    }

    /// <inheritdoc/>
    public override IAsyncEnumerable<TItem> Stream<TRequest, TItem>(
        RpcMethod<TRequest, TItem> method, TRequest request, CancellationToken cancellationToken = default)
    {
        if (Observes)
            return Observed().Stream(method, request, cancellationToken);

        Check(method, RpcMethodKind.ServerStream);
        var terms = new StreamTerms<TRequest, TItem>(
            method, Codec(method.Request), Codec(method.Response), request, _setup, flags: 0);
        return new RpcStream<TRequest, TItem>(
            _route, terms, null, cancellationToken, CallScope.HandlerOf(cancellationToken));
    }

    /// <inheritdoc/>
    public override ValueTask<TResponse> ClientStream<TRequest, TIn, TResponse>(
        RpcStreamMethod<TRequest, TIn, TResponse> method,
        TRequest request,
        IAsyncEnumerable<TIn> items,
        CancellationToken cancellationToken = default)
    {
        if (Observes)
            return Observed().ClientStream(method, request, items, cancellationToken);

        Check(method, RpcMethodKind.ClientStream);
        if (items is null)
            throw new ArgumentNullException(nameof(items));

        CallRequest how = UnaryAsync(cancellationToken, FrameFlags.ClientStream);
        var upload = new Upload<TIn>(items, Codec(method.Item));
        var call = new UploadCall<TResponse>(method, Codec(method.Response), upload, in how);
        return Send(method, Codec(method.Request), in request, call, in how);
    }

    /// <inheritdoc/>
    public override IAsyncEnumerable<TOut> Duplex<TRequest, TIn, TOut>(
        RpcStreamMethod<TRequest, TIn, TOut> method,
        TRequest request,
        IAsyncEnumerable<TIn> items,
        CancellationToken cancellationToken = default)
    {
        if (Observes)
            return Observed().Duplex(method, request, items, cancellationToken);

        Check(method, RpcMethodKind.Duplex);
        if (items is null)
            throw new ArgumentNullException(nameof(items));

        var terms = new StreamTerms<TRequest, TOut>(
            method, Codec(method.Request), Codec(method.Response), request, _setup, FrameFlags.ClientStream);
        return new RpcStream<TRequest, TOut>(
            _route,
            terms,
            () => new Upload<TIn>(items, Codec(method.Item)),
            cancellationToken,
            CallScope.HandlerOf(cancellationToken));
    }

    /// <summary>Each attempt is a call of its own, with an id.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private OnceCaller Once(RpcMethod method) => _route is ClientSession session
        ? new OnceCaller(session, _setup, _isObserved)
        : throw new RpcCallException(
            RpcStatus.Unimplemented,
            method.FullName + " is [IpcOnce], and such a method cannot be called back; remove the attribute.");

    [MethodImpl(MethodImplOptions.NoInlining)]
    private ObservedCaller Observed() => new(new RouteCaller(_route, _setup, isObserved: true));

    [MethodImpl(Tiering.Optimized)]
    private static void Check(RpcMethod method, RpcMethodKind kind, bool oneWay = false)
    {
        if (method is null)
            throw new ArgumentNullException(nameof(method));
        if (method.Kind != kind || method.IsOneWay != oneWay)
            throw new ArgumentException(
                method.FullName + " is " + Describe(method.Kind, method.IsOneWay) + " and cannot be called as " +
                    Describe(kind, oneWay) + ".",
                nameof(method));
    }

    private static string Describe(RpcMethodKind kind, bool oneWay) => oneWay ? "one-way" : kind.ToString();

    private MessageCodec<T> Codec<T>(MessageCodec<T> generated) => _setup.Format.CodecFor(generated);

    [MethodImpl(Tiering.Optimized)]
    private CallRequest Unary(CancellationToken cancellationToken, byte flags = 0)
    {
        cancellationToken.ThrowIfCancellationRequested();
        return new CallRequest(
            _setup, Deadline.Earlier(_setup.CallDeadline(), RpcDeadline.Current), cancellationToken, flags: flags);
    }

    [MethodImpl(Tiering.Optimized)]
    private CallRequest UnaryAsync(CancellationToken cancellationToken, byte flags = 0)
    {
        CallRequest how = Unary(cancellationToken, flags);
        CancellationToken handler = CallScope.HandlerOf(cancellationToken);
        if (!handler.CanBeCanceled)
            return how;

        handler.ThrowIfCancellationRequested();
        return how.InHandler(handler);
    }

    [MethodImpl(Tiering.Optimized)]
    private ValueTask<TResponse> Send<TRequest, TResponse>(
        RpcMethod method,
        MessageCodec<TRequest> codec,
        in TRequest request,
        AsyncCall<TResponse> call,
        in CallRequest how)
    {
        bool sent;
        try
        {
            sent = _route.Send(method, codec, in request, call, in how);
        }
        catch
        {
            call.Abandon();
            throw;
        }

        ValueTask<TResponse> answer = call.Start();
        if (sent && call.HasSource)
            call.StartSource(call.Sent!);
        return answer;
    }
}
