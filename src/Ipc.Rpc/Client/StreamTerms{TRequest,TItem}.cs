namespace Ipc.Rpc;

/// <summary>What all enumerations of one stream have in common.</summary>
internal sealed class StreamTerms<TRequest, TItem>
{
    public StreamTerms(
        RpcMethod method,
        MessageCodec<TRequest> requests,
        MessageCodec<TItem> items,
        TRequest request,
        CallSetup setup,
        byte flags)
    {
        Method = method;
        Requests = requests;
        Items = items;
        Request = request;
        Setup = setup;
        Flags = flags;
    }

    public readonly TRequest Request; // a field: it is passed by reference

    public RpcMethod Method { get; }

    public MessageCodec<TRequest> Requests { get; }

    public MessageCodec<TItem> Items { get; }

    public CallSetup Setup { get; }

    public byte Flags { get; }
}
