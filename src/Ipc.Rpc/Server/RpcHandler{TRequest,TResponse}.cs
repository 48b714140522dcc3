using System;

namespace Ipc.Rpc;

/// <summary>What the three kinds of handler share: decoding the request, and turning exceptions into statuses.</summary>
internal abstract class RpcHandler<TRequest, TResponse> : RpcHandler
{
    private protected RpcHandler(RpcMethod<TRequest, TResponse> method, RpcMethodKind kind)
        : base(method, kind) => Typed = method;

    private protected RpcMethod<TRequest, TResponse> Typed { get; }

    internal sealed override bool Handle(Leader leader, ServerConnection connection, in FrameHeader header, ReadOnlySpan<byte> body)
    {
        if ((header.Code != 0) != (Method.Kind == RpcMethodKind.ServerStream))
        {
            connection.ReleaseRequest();
            connection.SendError(header, RpcStatus.Unimplemented, null, Method.FullName + " is " + Method.Kind + "; it was called as another kind.");
            return true;
        }

        TRequest request;
        try
        {
            request = Typed.Request.Decode(body);
        }
#pragma warning disable CA1031 // whatever a codec throws is this call's failure
        catch (Exception e)
#pragma warning restore CA1031
        {
            connection.ReleaseRequest();
            connection.SendError(header, RpcStatus.InvalidArgument, null, "The request for " + Method.FullName + " could not be decoded: " + e.Message);
            return true;
        }

        connection.ReleaseRequest(); // nothing refers to it any more: whoever takes over may read on
        if (Deadline.FromNanoseconds(header.Deadline == 0 ? ulong.MaxValue : header.Deadline).HasPassed)
        {
            connection.SendError(header, RpcStatus.DeadlineExceeded, null, "The deadline of a call to " + Method.FullName + " passed before its handler ran.");
            return true;
        }

        ServerCall call = connection.Begin(in header);
        leader.EnterHandler(call);
        Run(connection, call, request);
        return leader.LeaveHandler();
    }

    /// <summary>Runs the handler and sees to it that the call is answered. Throws nothing.</summary>
    private protected abstract void Run(ServerConnection connection, ServerCall call, TRequest request);

    private protected void Fail(ServerConnection connection, ServerCall call, Exception e)
    {
        switch (e)
        {
            case RpcException { Status: > RpcStatus.Ok and <= RpcStatus.Unauthenticated } chosen:
                connection.SendError(call.Header, chosen.Status, chosen.RemoteType, chosen.Message);
                break;
            case OperationCanceledException when call.IsCancelled:
                bool late = call.IsOverdue;
                connection.SendError(
                    call.Header, late ? RpcStatus.DeadlineExceeded : RpcStatus.Cancelled, null,
                    (late ? "The deadline of a call to " : "A call to ") + Method.FullName + (late ? " passed." : " was cancelled."));
                break;
            default:
                connection.SendError(call.Header, RpcStatus.Unknown, e.GetType().FullName, e.Message);
                break;
        }
    }
}
