using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;
using Ipc.Rpc.RabbitMq;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Ipc.Hosting.RabbitMq;

/// <summary>How a client's broker is, and whether somebody serves there.</summary>
internal sealed class IpcRabbitMqClientHealthCheck : IHealthCheck
{
    private readonly string _name;
    private readonly RabbitMqClient _client;

    public IpcRabbitMqClientHealthCheck(string name, RabbitMqClient client)
    {
        _name = name;
        _client = client;
    }

    public async Task<HealthCheckResult> CheckHealthAsync(
        HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        int servers;
        try
        {
            servers = await _client.CountServersAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (RpcCallException e)
        {
            return new HealthCheckResult(context.Registration.FailureStatus, e.Message, e, Data(0));
        }

        return servers > 0
            ? HealthCheckResult.Healthy("Client " + _name + ": the broker is there, and serves it.", Data(servers))
            : HealthCheckResult.Degraded(
                "Client " + _name + ": the broker is there, and nobody serves: no server consumes the service's queue.",
                null, Data(0));
    }

    private Dictionary<string, object> Data(int servers)
        => new() { ["connected"] = _client.IsConnected, ["servers"] = servers };
}
