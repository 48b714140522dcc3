using System;
using Ipc.Rpc;

namespace Ipc.Hosting;

/// <summary>A server of a host. What can be bound from configuration is read when the host starts.</summary>
public sealed class IpcServerOptions
{
    /// <summary>The name that clients find it by; the one it was added with unless set.</summary>
    public string Name { get; set; } = string.Empty;

    /// <summary>What the server allows and how it waits.</summary>
    public RpcServerOptions Rpc { get; set; } = new();

    /// <summary>How long a stopping host waits for pending calls and streams; the host's own shutdown timeout may end the wait earlier. The default is 10 seconds.</summary>
    public TimeSpan DrainTimeout { get; set; } = TimeSpan.FromSeconds(10);
}
