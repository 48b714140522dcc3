namespace Ipc.Rpc;

/// <summary>A held call with its request.</summary>
internal sealed class HeldCall<TRequest> : HeldCall
{
    private readonly RpcHandler<TRequest> _handler;
    private readonly TRequest _request;

    public HeldCall(RpcHandler<TRequest> handler, ServerCall call, TRequest request)
        : base(call)
    {
        _handler = handler;
        _request = request;
    }

    public override void Run() => _handler.Start(Call, _request);
}
