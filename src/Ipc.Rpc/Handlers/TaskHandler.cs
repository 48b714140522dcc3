using System;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>What handlers have in common whose response comes from a task.</summary>
internal abstract class TaskHandler<TRequest, TResponse> : RpcHandler<TRequest>
{
    private readonly MessageCodec<TResponse> _response;

    private protected TaskHandler(
        RpcMethod method, RpcMethodKind kind, MessageCodec<TRequest> request, MessageCodec<TResponse> response)
        : base(method, kind, request) => _response = response;

    /// <summary>Calls the handler.</summary>
    private protected abstract ValueTask<TResponse> Call(ServerCall call, TRequest request);

    private protected sealed override void Run(ServerCall call, TRequest request)
    {
#pragma warning disable CA2012 // its result is taken in one of two places, once
        ValueTask<TResponse> task;
        TResponse? early = default;
        bool isEarly = false;
        ServerCall? outer = ServerCall.EnterThread(null);
        RpcContext? flowing = call.EnterFlow();
        try
        {
            task = Call(call, request);
            if (task.IsCompletedSuccessfully) // a state machine less
            {
                early = task.Result; // the source of the task may be anybody's, and throw
                isEarly = true;
            }
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
        if (isEarly)
        {
            call.Callee.Answer(call, _response, in early!);
            return;
        }

        call.Callee.Track(call);
        Task answering = AnswerWhenDone(call, task); // completed when the task is; it throws nothing
#pragma warning restore CA2012
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
