using System;

namespace Ipc.Rpc;

/// <summary>Where requests come in that are executed once: under a number of their own, beside the method's.</summary>
internal sealed class OnceEntrance : RpcHandler
{
    private readonly RpcHandler _handler;
    private readonly OnceMemory _memory;

    public OnceEntrance(RpcHandler handler, OnceMemory memory)
        : base(handler.Method, RpcMethodKind.Unary)
    {
        _handler = handler;
        _memory = memory;
    }

    internal override bool Handle(
        HandlerTurn? turn,
        Callee callee,
        in FrameHeader header,
        CallHead? head,
        CallFormat format,
        ReadOnlySpan<byte> body)
        => _handler.HandleOnce(_memory, turn, callee, in header, head, format, body);

    internal override bool HandleOnce(
        OnceMemory memory,
        HandlerTurn? turn,
        Callee callee,
        in FrameHeader header,
        CallHead? head,
        CallFormat format,
        ReadOnlySpan<byte> body)
        => Handle(turn, callee, in header, head, format, body);
}
