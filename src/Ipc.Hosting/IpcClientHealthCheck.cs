using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Ipc.Hosting;

/// <summary>How a connection is. Where there is none the check makes one, as the next call would: a server is there, or it is not.</summary>
internal sealed class IpcClientHealthCheck : IHealthCheck
{
    private readonly RpcClient _client;
    private readonly bool _connectsAgain;

    public IpcClientHealthCheck(RpcClient client, bool connectsAgain)
    {
        _client = client;
        _connectsAgain = connectsAgain;
    }

    public async Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        var data = new Dictionary<string, object> { ["process"] = _client.ServerProcessId };
        if (!_client.IsConnected && _client.ServerProcessId != 0 && !_connectsAgain)
            return new HealthCheckResult(context.Registration.FailureStatus, "The connection to " + _client.Name + " is over, and AutoReconnect is off.", null, data);
        try
        {
            if (!_client.IsConnected)
                await _client.EnsureConnectedAsync(TimeSpan.Zero, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (e is RpcCallException or IpcException)
        {
            return new HealthCheckResult(context.Registration.FailureStatus, e.Message, e, data);
        }

        data["process"] = _client.ServerProcessId;
        return HealthCheckResult.Healthy("Connected to " + _client.Name + ".", data);
    }
}
