using System;
using Ipc.Rpc;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Ipc.Hosting;

/// <summary>Health checks of servers and connections, to be added to a host's.</summary>
/// <example><code>
/// builder.Services.AddHealthChecks().Add(IpcHealthChecks.Server("quotes")).Add(IpcHealthChecks.Client("rates"));
/// </code></example>
public static class IpcHealthChecks
{
    /// <summary>Healthy while the server serves; degraded while it starts or stops; otherwise, or when it has failed, a failure.</summary>
    /// <param name="name">What the server was added as.</param>
    public static HealthCheckRegistration Server(string name)
        => new("ipc-server:" + name, provider => new IpcServerHealthCheck(provider.GetRequiredKeyedService<IpcServer>(name)), failureStatus: null, tags: Tags());

    /// <summary>Healthy while there is a connection; degraded when it was lost, since the next call connects again; a failure while there is none to be had.</summary>
    /// <param name="name">What the connection was added as.</param>
    public static HealthCheckRegistration Client(string name)
        => new("ipc-client:" + name, provider => new IpcClientHealthCheck(() => provider.GetRequiredKeyedService<RpcClient>(name)), failureStatus: null, tags: Tags());

    private static string[] Tags() => new[] { "ipc" };
}
