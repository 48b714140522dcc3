using System;
using Ipc.Rpc;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;

namespace Ipc.Hosting;

/// <summary>Health checks of servers and connections, to be added to a host's.</summary>
/// <example><code>
/// builder.Services.AddHealthChecks().Add(IpcHealthChecks.Server("quotes")).Add(IpcHealthChecks.Client("rates"));
/// </code></example>
public static class IpcHealthChecks
{
    /// <summary>Healthy while the server serves; degraded while it starts or stops; otherwise, when it has failed, or when its file has gone so that nobody finds it, a failure.</summary>
    /// <param name="name">What the server was added as.</param>
    public static HealthCheckRegistration Server(string name)
        => new("ipc-server:" + name, provider => new IpcServerHealthCheck(provider.GetRequiredKeyedService<IpcServer>(name)), failureStatus: null, tags: Tags());

    /// <summary>Healthy while there is a connection, or one can be made: the check makes it, as the next call would, on a thread of the pool. Otherwise a failure.</summary>
    /// <param name="name">What the connection was added as.</param>
    public static HealthCheckRegistration Client(string name)
        => new("ipc-client:" + name, provider => new IpcClientHealthCheck(
            provider.GetRequiredKeyedService<RpcClient>(name), provider.GetRequiredService<IOptionsMonitor<IpcClientOptions>>().Get(name).Rpc.AutoReconnect), failureStatus: null, tags: Tags());

    /// <summary>Healthy while the worker takes messages and its last attempt did not fail; degraded while one does, or while it stops; otherwise a failure.</summary>
    /// <param name="name">What the worker was added as.</param>
    public static HealthCheckRegistration Worker(string name)
        => new("ipc-worker:" + name, provider => new IpcWorkerHealthCheck(name, provider.GetRequiredKeyedService<IpcWorker>(name)), failureStatus: null, tags: Tags());

    private static string[] Tags() => new[] { "ipc" };
}
