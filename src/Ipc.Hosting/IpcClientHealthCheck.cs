using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Ipc.Hosting;

/// <summary>How a connection is. The first check connects, on a thread of the pool, if nothing else has.</summary>
internal sealed class IpcClientHealthCheck : IHealthCheck
{
    private readonly Func<RpcClient> _client;

    public IpcClientHealthCheck(Func<RpcClient> client) => _client = client;

    public async Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        RpcClient client;
        try
        {
            client = await Task.Run(_client, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (e is RpcException or IpcException)
        {
            return new HealthCheckResult(context.Registration.FailureStatus, e.Message, e);
        }

        var data = new Dictionary<string, object> { ["process"] = client.ServerProcessId };
        return client.IsConnected
            ? HealthCheckResult.Healthy("Connected to " + client.Name + ".", data)
            : HealthCheckResult.Degraded("The connection to " + client.Name + " is over; the next call connects again.", null, data);
    }
}
