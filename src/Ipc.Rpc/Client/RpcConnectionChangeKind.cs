namespace Ipc.Rpc;

/// <summary>What happened to a client's connection.</summary>
public enum RpcConnectionChangeKind
{
    /// <summary>There is one again.</summary>
    Connected,

    /// <summary>It is over: the server died or closed, broke the protocol, or the client was disposed.</summary>
    Lost,
}
