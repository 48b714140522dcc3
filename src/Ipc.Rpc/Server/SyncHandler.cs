using System;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>A handler that returns the response on the thread that read the request. Allocates nothing of its own.</summary>
internal sealed class SyncHandler<TRequest, TResponse> : RpcHandler<TRequest, TResponse>
{
    private readonly Func<TRequest, CancellationToken, TResponse> _handler;

    public SyncHandler(RpcMethod<TRequest, TResponse> method, Func<TRequest, CancellationToken, TResponse> handler)
        : base(method, RpcMethodKind.Unary) => _handler = handler ?? throw new ArgumentNullException(nameof(handler));

    private protected override void Run(ServerConnection connection, ServerCall call, TRequest request)
    {
        TResponse response;
        try
        {
            RpcDeadline.EnterThread(call.Header.Deadline);
            response = _handler(request, call.Token);
        }
#pragma warning disable CA1031 // the caller gets it
        catch (Exception e)
#pragma warning restore CA1031
        {
            Fail(connection, call, e);
            connection.Finish(call);
            return;
        }
        finally
        {
            RpcDeadline.LeaveThread();
        }

        connection.Send(FrameKind.Response, call.Header, Typed, in response);
        connection.Finish(call);
    }
}
