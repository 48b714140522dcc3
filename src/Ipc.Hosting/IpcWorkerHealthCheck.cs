using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Ipc.Hosting;

/// <summary>How a worker is.</summary>
internal sealed class IpcWorkerHealthCheck : IHealthCheck
{
    private readonly string _key;
    private readonly IpcWorker _worker;

    public IpcWorkerHealthCheck(string key, IpcWorker worker)
    {
        _key = key;
        _worker = worker;
    }

    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        IpcWorkerState state = _worker.State;
        var data = new Dictionary<string, object>
        {
            ["state"] = state.ToString(),
            ["source"] = _worker.Name,
            ["handled"] = _worker.Handled,
            ["failed"] = _worker.Failed,
            ["poisoned"] = _worker.Poisoned,
        };
        string text = "Worker " + _key + " of " + _worker.Name + ": " + state + ".";
        return Task.FromResult(state switch
        {
            IpcWorkerState.Working when _worker.Trouble is { } trouble => HealthCheckResult.Degraded(text + " The last attempt failed: " + trouble, null, data),
            IpcWorkerState.Working => HealthCheckResult.Healthy(text, data),
            IpcWorkerState.Stopping => HealthCheckResult.Degraded(text, null, data),
            _ => new HealthCheckResult(context.Registration.FailureStatus, text, _worker.Failure, data),
        });
    }
}
