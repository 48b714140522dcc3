namespace Ipc.Rpc;

/// <summary>A call whose caller sends a stream and gets one response.</summary>
internal sealed class UploadCall<TResponse> : AsyncCall<TResponse>
{
    private readonly Upload _upload;

    public UploadCall(RpcMethod method, MessageCodec<TResponse> codec, Upload upload, in CallRequest how)
    {
        _upload = upload;
        Begin(method, codec, in how);
    }

    /// <inheritdoc/>
    public override bool HasSource => true;

    /// <inheritdoc/>
    public override void StartSource(CallEngine engine) => _upload.Start(engine, this);

    public override string? OnCredit(ItemCredit more) => _upload.OnCredit(more);

    public override void OnFailure(RpcFailure failure)
    {
        _upload.Stop();
        base.OnFailure(failure);
    }

    private protected override void Succeed(TResponse result)
    {
        _upload.Stop();
        base.Succeed(result);
    }

    private protected override void Recycle()
    {
    }
}
