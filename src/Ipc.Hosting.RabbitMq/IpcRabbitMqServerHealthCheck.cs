using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Ipc.Hosting.RabbitMq;

/// <summary>How a server is.</summary>
internal sealed class IpcRabbitMqServerHealthCheck : IHealthCheck
{
    private readonly IpcRabbitMqServer _server;

    public IpcRabbitMqServerHealthCheck(IpcRabbitMqServer server) => _server = server;

    public Task<HealthCheckResult> CheckHealthAsync(
        HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        IpcServerState state = _server.State;
        bool isConnected = _server.IsConnected;
        var data = new Dictionary<string, object>
        {
            ["state"] = state.ToString(),
            ["connected"] = isConnected,
            ["requests"] = _server.RequestsInHand,
            ["deadLetters"] = _server.DeadLetters,
        };
        string text = "Server " + _server.Name + ": " + state + ".";
        if (state is IpcServerState.Starting or IpcServerState.Serving && !isConnected)
            text += " It is not connected to " + _server.Address + ": " + (_server.Trouble ?? "it is about to be.");
        return Task.FromResult(state switch
        {
            IpcServerState.Serving when isConnected => HealthCheckResult.Healthy(text, data),
            IpcServerState.Stopping => HealthCheckResult.Degraded(text, null, data),
            _ => new HealthCheckResult(context.Registration.FailureStatus, text, null, data),
        });
    }
}
