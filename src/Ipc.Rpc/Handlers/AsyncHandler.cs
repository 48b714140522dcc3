using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>A handler that returns a task.</summary>
internal sealed class AsyncHandler<TRequest, TResponse> : TaskHandler<TRequest, TResponse>
{
    private readonly Func<TRequest, CancellationToken, ValueTask<TResponse>>? _handler;
    private readonly Func<TRequest, ValueTask<TResponse>>? _plain; // which takes no token, so that none has to be made

    public AsyncHandler(
        RpcMethod<TRequest, TResponse> method, Func<TRequest, CancellationToken, ValueTask<TResponse>> handler)
        : base(method, RpcMethodKind.Unary, method?.Request!, method?.Response!) =>
            _handler = handler ?? throw new ArgumentNullException(nameof(handler));

    public AsyncHandler(RpcMethod<TRequest, TResponse> method, Func<TRequest, ValueTask<TResponse>> handler)
        : base(method, RpcMethodKind.Unary, method?.Request!, method?.Response!) =>
            _plain = handler ?? throw new ArgumentNullException(nameof(handler));

    private protected override ValueTask<TResponse> Call(ServerCall call, TRequest request)
        => _plain is { } plain ? plain(request) : _handler!(request, call.Token);
}
