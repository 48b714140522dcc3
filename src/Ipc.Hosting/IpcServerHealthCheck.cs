using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Ipc.Hosting;

/// <summary>How a server is.</summary>
internal sealed class IpcServerHealthCheck : IHealthCheck
{
    private readonly IpcServer _server;

    public IpcServerHealthCheck(IpcServer server) => _server = server;

    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        IpcServerState state = _server.State;
        var data = new Dictionary<string, object> { ["state"] = state.ToString(), ["connections"] = _server.ConnectionCount };
        string text = "Server " + _server.Name + ": " + state + ".";
        if (state == IpcServerState.Serving && !_server.IsFindable && _server.State == IpcServerState.Serving)
        {
            text = "Server " + _server.Name + " serves those who are connected, and nobody else finds it: its file was removed or replaced (ipc rm --force, or a cleaner of the directory). "
                + "Start it again.";
            return Task.FromResult(new HealthCheckResult(context.Registration.FailureStatus, text, null, data));
        }

        return Task.FromResult(state switch
        {
            IpcServerState.Serving => HealthCheckResult.Healthy(text, data),
            IpcServerState.Starting or IpcServerState.Stopping => HealthCheckResult.Degraded(text, null, data),
            _ => new HealthCheckResult(context.Registration.FailureStatus, text, _server.Failure, data),
        });
    }
}
