using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>A handler that returns the response on the thread that it was started on. Allocates nothing of its own but
/// the token, if it takes one.</summary>
internal sealed class SyncHandler<TRequest, TResponse> : RpcHandler<TRequest>
{
    private readonly RpcMethod<TRequest, TResponse> _method;
    private readonly Func<TRequest, CancellationToken, TResponse>? _handler;
    private readonly Func<TRequest, TResponse>? _plain; // which takes no token, so that none has to be made

    public SyncHandler(RpcMethod<TRequest, TResponse> method, Func<TRequest, CancellationToken, TResponse> handler)
        : base(method, RpcMethodKind.Unary, method?.Request!)
    {
        _method = method!;
        _handler = handler ?? throw new ArgumentNullException(nameof(handler));
    }

    public SyncHandler(RpcMethod<TRequest, TResponse> method, Func<TRequest, TResponse> handler)
        : base(method, RpcMethodKind.Unary, method?.Request!)
    {
        _method = method!;
        _plain = handler ?? throw new ArgumentNullException(nameof(handler));
    }

    [MethodImpl(Tiering.Optimized)]
    private protected override void Run(ServerCall call, TRequest request)
    {
        TResponse response;
        ServerCall? outer = ServerCall.EnterThread(call);
        try
        {
            response = _plain is { } plain ? plain(request) : _handler!(request, call.Token);
        }
#pragma warning disable CA1031 // the caller gets it
        catch (Exception e)
#pragma warning restore CA1031
        {
            ServerCall.LeaveThread(outer);
            call.Callee.Fail(call, e);
            return;
        }

        ServerCall.LeaveThread(outer);
        call.Callee.Answer(call, _method.Response, in response);
    }
}
