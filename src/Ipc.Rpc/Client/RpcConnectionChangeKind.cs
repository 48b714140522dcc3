namespace Ipc.Rpc;

/// <summary>What happened to a client's connection.</summary>
public enum RpcConnectionChangeKind
{
    /// <summary>A new connection was made.</summary>
    Connected,

    /// <summary>The connection ended: the server died, closed or violated the protocol, or the client was
    /// disposed.</summary>
    Lost,
}
