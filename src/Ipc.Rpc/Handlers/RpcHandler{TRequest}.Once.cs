using System;

namespace Ipc.Rpc;

/// <content>Requests that are executed once.</content>
internal abstract partial class RpcHandler<TRequest>
{
    /// <remarks>What is refused here before the memory is asked has not begun: a repeat is asked again.</remarks>
    internal sealed override bool HandleOnce(
        OnceMemory memory,
        HandlerTurn? turn,
        Callee callee,
        in FrameHeader header,
        CallHead? head,
        CallFormat format,
        ReadOnlySpan<byte> body)
    {
        if (header.CallKind != RpcMethodKind.Unary || header.IsOneWay)
            return callee.Refuse(
                in header,
                RpcStatus.Unimplemented,
                Method.FullName + " is executed once; it was called " +
                    (header.IsOneWay ? "one-way." : "as " + header.CallKind + "."));
        if (head is null || !RpcOnceId.TryRead(head.Once.Span, out RpcOnceId id))
            return callee.Refuse(
                in header,
                RpcStatus.InvalidArgument,
                "A request for " + Method.FullName + ", to be executed once, has no id of " + RpcOnceId.Size +
                    " bytes with a time in it.");

        TRequest request;
        try
        {
            request = format.CodecFor(_codec).Decode(body);
        }
#pragma warning disable CA1031 // whatever a codec throws is this call's failure
        catch (Exception e)
#pragma warning restore CA1031
        {
            return RefuseUndecoded(callee, in header, e);
        }

        if (header.Deadline != 0 && Deadline.FromNanoseconds(header.Deadline).HasPassed)
            return RefuseLate(callee, in header);

        // The next server executes nothing from before its own start; what comes later has to be left to it.
        if (callee.Host.IsFollowed?.Invoke() == true)
            return callee.RefuseFollowed(in header);

        var key = new OnceKey(id, callee.Link.Peer.UserId);
        byte[] stored = key.With(Method, format.Name, body);
        OnceEntry? entry = memory.Enter(key, stored, out bool isNew, out RpcOnceRefusal refusal);
        if (entry is null)
            return callee.RefuseOnce(in header, refusal, id);

        callee.Link.ReleaseRequest(); // as in Handle
        ServerCall call = callee.Begin(this, in header, head, format);
        if (!isNew)
        {
            callee.Repeat(call, entry);
            return true;
        }

        call.Once = entry;
        return Dispatch(turn, callee, call, request, FrameHeader.Size + body.Length);
    }
}
