namespace Ipc.Rpc.Generator;

/// <summary>How many messages travel in each direction. The names are those of RpcMethodKind.</summary>
internal enum CallKind
{
    Unary,
    ServerStream,
    ClientStream,
    Duplex,
}
