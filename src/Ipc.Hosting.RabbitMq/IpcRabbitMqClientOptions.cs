using Ipc.Rpc.RabbitMq;

namespace Ipc.Hosting.RabbitMq;

/// <summary>A connection of a host to a broker, for calls of one service.</summary>
public sealed class IpcRabbitMqClientOptions : IpcRabbitMqOptions
{
    /// <summary>How it connects and calls.</summary>
    public RabbitMqClientOptions Rpc { get; set; } = new();

    /// <summary>Whether the host connects when it starts, waiting up to <see cref="RabbitMqOptions.ConnectTimeout"/>
    /// for a broker after a first attempt in vain, and does not start if it cannot. It does not wait for servers of the
    /// service. Unless set, the first call connects, and fails if no broker answers; then the client goes on trying by
    /// itself. Taking the client, or a proxy, out of the container never waits.</summary>
    public bool ConnectOnStart { get; set; }
}
