using Ipc.Rpc.RabbitMq;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Ipc.Hosting.RabbitMq;

/// <summary>Health checks of servers and clients at a broker, to be added to a host's. They tell the broker from the
/// service.</summary>
/// <example><code>
/// builder.Services.AddHealthChecks()
///     .Add(IpcRabbitMqHealthChecks.Server("quotes")).Add(IpcRabbitMqHealthChecks.Client("rates"));
/// </code></example>
public static class IpcRabbitMqHealthChecks
{
    /// <summary>Healthy while the server is connected to its broker and consumes its queue; degraded while it stops; a
    /// failure, which says why, while it has no broker, and before and after it serves.</summary>
    /// <param name="name">What the server was added as.</param>
    public static HealthCheckRegistration Server(string name) => new(
        "ipc-rabbitmq-server:" + name,
        provider => new IpcRabbitMqServerHealthCheck(provider.GetRequiredKeyedService<IpcRabbitMqServer>(name)),
        failureStatus: null,
        tags: Tags());

    /// <summary>Healthy while the broker says that somebody consumes the service's queue; degraded while it says that
    /// nobody does, or that there is no such queue; a failure while the broker cannot be reached, refuses the client or
    /// does not answer. Where there is no connection the check makes one, as the next call would; it makes no
    /// call.</summary>
    /// <param name="name">What the client was added as.</param>
    public static HealthCheckRegistration Client(string name) => new(
        "ipc-rabbitmq-client:" + name,
        provider => new IpcRabbitMqClientHealthCheck(name, provider.GetRequiredKeyedService<RabbitMqClient>(name)),
        failureStatus: null,
        tags: Tags());

    private static string[] Tags() => ["ipc"];
}
