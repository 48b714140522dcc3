namespace Ipc.Rpc;

/// <summary>A held call with its request.</summary>
internal sealed class HeldCall<TRequest> : HeldCall
{
    private readonly RpcHandler<TRequest> _handler;
    private readonly TRequest _request;

    public HeldCall(RpcHandler<TRequest> handler, ServerCall call, TRequest request, int bytes)
        : base(call, bytes)
    {
        _handler = handler;
        _request = request;
    }

    private protected override void Start() => _handler.Start(Call, _request);
}
