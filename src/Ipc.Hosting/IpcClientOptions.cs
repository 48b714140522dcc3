using Ipc.Rpc;

namespace Ipc.Hosting;

/// <summary>A connection of a host to a server.</summary>
public sealed class IpcClientOptions
{
    /// <summary>The server's name; the one it was added with unless set.</summary>
    public string Name { get; set; } = string.Empty;

    /// <summary>How it connects and calls.</summary>
    public RpcClientOptions Rpc { get; set; } = new();

    /// <summary>Whether the host connects when it starts, and does not start if it cannot. Unless set, the first use connects, and fails if it cannot; later uses
    /// try again.</summary>
    public bool ConnectOnStart { get; set; }
}
