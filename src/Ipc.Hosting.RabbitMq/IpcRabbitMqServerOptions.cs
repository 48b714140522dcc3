using System;
using Ipc.Rpc.RabbitMq;

namespace Ipc.Hosting.RabbitMq;

/// <summary>A server of a host at a broker. What can be bound from configuration is read when the host
/// starts.</summary>
public sealed class IpcRabbitMqServerOptions : IpcRabbitMqOptions
{
    /// <summary>How it connects and serves. Its <see cref="RabbitMqServerOptions.WaitForBroker"/> says what a host does
    /// that starts while no broker answers. By default it does not start: its start fails after one attempt, with
    /// <see cref="Ipc.Rpc.RpcStatus.Unavailable"/>. If it is set the host starts, the server stays in
    /// <see cref="IpcServerState.Starting"/>, is unhealthy, and tries again until a broker is there. A broker that
    /// refuses the first attempt (user, password, virtual host, kind of the queues) fails the start in both
    /// cases.</summary>
    public RabbitMqServerOptions Rpc { get; set; } = new();

    /// <summary>How long a stopping host waits for requests in hand and streams; the host's own shutdown timeout may
    /// end the wait earlier. Then their tokens fire, and the broker gives the requests to another server. The default
    /// is 10 seconds.</summary>
    public TimeSpan DrainTimeout { get; set; } = TimeSpan.FromSeconds(10);
}
