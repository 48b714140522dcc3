using System;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>What handlers have in common whose response comes from a task.</summary>
internal abstract class TaskHandler<TRequest, TResponse> : RpcHandler<TRequest>
{
    private readonly MessageCodec<TResponse> _response;

    private protected TaskHandler(RpcMethod method, RpcMethodKind kind, MessageCodec<TRequest> request, MessageCodec<TResponse> response)
        : base(method, kind, request) => _response = response;

    /// <summary>Calls the handler.</summary>
    private protected abstract ValueTask<TResponse> Call(ServerCall call, TRequest request);

    private protected sealed override void Run(ServerCall call, TRequest request)
    {
        ValueTask<TResponse> task;
        ServerCall? outer = ServerCall.EnterThread(null);
        RpcContext? flowing = call.EnterFlow();
        try
        {
            task = Call(call, request);
        }
#pragma warning disable CA1031 // the caller gets it
        catch (Exception e)
#pragma warning restore CA1031
        {
            Leave(outer, flowing);
            call.Callee.Fail(call, e);
            return;
        }

        Leave(outer, flowing);
        if (task.IsCompletedSuccessfully) // a state machine less
        {
            TResponse response = task.Result;
            call.Callee.Answer(call, _response, in response);
            return;
        }

        if (!task.IsCompleted)
            call.Callee.Track(call);
        Task answering = AnswerWhenDone(call, task); // completed when the task is; it throws nothing
        System.Diagnostics.Debug.Assert(!answering.IsFaulted, "an answer's failure is the call's");
    }

    private static void Leave(ServerCall? outer, RpcContext? flowing)
    {
        ServerCall.LeaveFlow(flowing);
        ServerCall.LeaveThread(outer);
    }

    private async Task AnswerWhenDone(ServerCall call, ValueTask<TResponse> task)
    {
        TResponse response;
        try
        {
            response = await task.ConfigureAwait(false);
        }
#pragma warning disable CA1031 // the caller gets it
        catch (Exception e)
#pragma warning restore CA1031
        {
            call.Callee.Fail(call, e);
            return;
        }

        call.Callee.Answer(call, _response, in response);
    }
}
