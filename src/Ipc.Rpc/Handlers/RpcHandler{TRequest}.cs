using System;
using System.Runtime.CompilerServices;

namespace Ipc.Rpc;

/// <summary>What all kinds of handler share: decoding the request, and finding out where the handler may run.</summary>
internal abstract partial class RpcHandler<TRequest> : RpcHandler
{
    private readonly MessageCodec<TRequest> _codec;

    private protected RpcHandler(RpcMethod method, RpcMethodKind kind, MessageCodec<TRequest> codec)
        : base(method, kind) => _codec = codec;

    [MethodImpl(Tiering.Optimized)]
    internal sealed override bool Handle(
        HandlerTurn? turn,
        Callee callee,
        in FrameHeader header,
        CallHead? head,
        CallFormat format,
        ReadOnlySpan<byte> body)
    {
        if (header.CallKind != Method.Kind)
            return callee.Refuse(
                in header,
                RpcStatus.Unimplemented,
                Method.FullName + " is " + Method.Kind + "; it was called as " + header.CallKind + ".");
        if (header.IsOneWay && Method.Kind != RpcMethodKind.Unary)
            return callee.Refuse(
                in header, RpcStatus.Unimplemented, Method.FullName + " has a stream; it was called one-way.");

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

        callee.Link.ReleaseRequest(); // nothing refers to it any more: whoever takes over may read on
        ServerCall call = callee.Begin(this, in header, head, format);
        try
        {
            Prepare(call);
        }
#pragma warning disable CA1031 // a serializer that has no codec for its items; the caller gets it
        catch (Exception e)
#pragma warning restore CA1031
        {
            callee.Fail(call, e);
            return true;
        }

        return Dispatch(turn, callee, call, request, FrameHeader.Size + body.Length);
    }

    /// <summary>Runs the handler here. Throws nothing.</summary>
    [MethodImpl(Tiering.Optimized)]
    internal void Start(ServerCall call, TRequest request)
    {
        if (RpcTelemetry.IsOn)
            StartObserved(call, request);
        else
            StartHere(call, request);
    }

    /// <summary>Gives the call its streams, before a frame for them can come.</summary>
    private protected virtual void Prepare(ServerCall call)
    {
    }

    /// <summary>Runs the handler and sees to it that the call is answered. Throws nothing.</summary>
    private protected abstract void Run(ServerCall call, TRequest request);

    private bool RefuseUndecoded(Callee callee, in FrameHeader header, Exception e)
    {
        callee.Host.Tell(Method, callee.Link.Peer, RpcStatus.InvalidArgument, e, header.IsOneWay);
        return callee.Refuse(
            in header,
            RpcStatus.InvalidArgument,
            "The request for " + Method.FullName + " could not be decoded: " + ErrorText.Of(e));
    }

    private bool RefuseLate(Callee callee, in FrameHeader header)
        => callee.Refuse(
            in header,
            RpcStatus.DeadlineExceeded,
            "The deadline of a call to " + Method.FullName + " passed before its handler ran.");

    private void StartObserved(ServerCall call, TRequest request)
    {
        CallSpan span = call.Span = CallSpan.Server(Method, call.Head);
        StartHere(call, request);
        CallSpan.LeaveOpen(in span); // the handler's tasks have inherited it; this thread goes on reading
    }

    [MethodImpl(Tiering.Optimized)]
    private void StartHere(ServerCall call, TRequest request)
    {
        try
        {
            call.Callee.Starting(call);
        }
#pragma warning disable CA1031 // the caller gets it
        catch (Exception e)
#pragma warning restore CA1031
        {
            call.Callee.Fail(call, e);
            return;
        }

        CallTurns? turns = call.Turns;
        Run(call, request);
        if (turns is not null && Method.Kind != RpcMethodKind.Unary)
            turns.LeaveOrder(); // a stream begins in its turn and does not hold up the calls after it
    }

    [MethodImpl(Tiering.Optimized)]
    private bool Dispatch(HandlerTurn? turn, Callee callee, ServerCall call, TRequest request, int bytes)
    {
        if (IsInline)
        {
            CalleeLink? outer = CalleeLink.SwapInline(callee.Link);
            if (turn is not null)
                Start(call, request);
            else
                CleanContext.Run(this, call, request); // on a thread of a caller, perhaps
            CalleeLink.SwapInline(outer);
            return true;
        }

        bool passes = callee.TryPass(call);
        if (!passes || turn is null || callee.IsCrowded)
        {
            Keep(turn, callee, call, request, passes, bytes);
            return true;
        }

        turn.EnterHandler(call);
        Start(call, request);
        if (turn.LeaveHandler())
            return true;
        callee.ComeBack(call);
        return false;
    }

    /// <summary>The handler does not begin here and now.</summary>
    private void Keep(HandlerTurn? turn, Callee callee, ServerCall call, TRequest request, bool passes, int bytes)
    {
        if (!callee.TryKeep(bytes))
        {
            callee.RefuseHeld(call);
            return;
        }

        var held = new HeldCall<TRequest>(this, call, request, bytes);
        if (!passes)
            callee.Hold(held);
        else if (turn is null)
            callee.RunElsewhere(held);
        else
            callee.RunLater(held);
    }
}
