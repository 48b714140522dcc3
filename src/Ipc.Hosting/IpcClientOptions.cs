using Ipc.Rpc;

namespace Ipc.Hosting;

/// <summary>A connection of a host to a server.</summary>
public sealed class IpcClientOptions
{
    /// <summary>The server's name; the one it was added with unless set.</summary>
    public string Name { get; set; } = string.Empty;

    /// <summary>How it connects and calls.</summary>
    public RpcClientOptions Rpc { get; set; } = new();

    /// <summary>Whether the host connects when it starts, waiting up to <see cref="RpcClientOptions.ConnectTimeout"/> for the server, and does not start if it cannot. Unless set, the
    /// first call connects, and fails at once if there is no server; later calls try again. Taking the client, or a proxy, out of the container never waits.</summary>
    public bool ConnectOnStart { get; set; }
}
