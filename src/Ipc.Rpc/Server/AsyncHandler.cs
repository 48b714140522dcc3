using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>A handler that returns a task.</summary>
internal sealed class AsyncHandler<TRequest, TResponse> : RpcHandler<TRequest, TResponse>
{
    private readonly Func<TRequest, CancellationToken, ValueTask<TResponse>> _handler;

    public AsyncHandler(RpcMethod<TRequest, TResponse> method, Func<TRequest, CancellationToken, ValueTask<TResponse>> handler)
        : base(method, RpcMethodKind.Unary) => _handler = handler ?? throw new ArgumentNullException(nameof(handler));

    private protected override void Run(ServerConnection connection, ServerCall call, TRequest request)
    {
        ValueTask<TResponse> task;
        try
        {
            task = call.Header.Deadline == 0 ? _handler(request, call.Token) : StartWithDeadline(call, request);
            if (task.IsCompletedSuccessfully)
            {
                TResponse response = task.Result;
                connection.Send(FrameKind.Response, call.Header, Typed, in response);
                connection.Finish(call);
                return;
            }
        }
#pragma warning disable CA1031 // the caller gets it
        catch (Exception e)
#pragma warning restore CA1031
        {
            Fail(connection, call, e);
            connection.Finish(call);
            return;
        }

        connection.Track(call);
        _ = AnswerWhenDone(connection, call, task);
    }

    // An asynchronous method: what it does to the execution context ends with it, the handler's tasks have inherited it.
    private async ValueTask<TResponse> StartWithDeadline(ServerCall call, TRequest request)
    {
        RpcDeadline.Flow(call.Header.Deadline);
        return await _handler(request, call.Token).ConfigureAwait(false);
    }

    private async Task AnswerWhenDone(ServerConnection connection, ServerCall call, ValueTask<TResponse> task)
    {
        try
        {
            TResponse response = await task.ConfigureAwait(false);
            connection.Send(FrameKind.Response, call.Header, Typed, in response);
        }
#pragma warning disable CA1031 // the caller gets it
        catch (Exception e)
#pragma warning restore CA1031
        {
            Fail(connection, call, e);
        }
        finally
        {
            connection.Finish(call);
        }
    }
}
