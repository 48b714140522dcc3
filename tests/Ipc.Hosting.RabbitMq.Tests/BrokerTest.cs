using System;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Hosting.Tests;
using Ipc.Rpc;
using Ipc.Rpc.RabbitMq;
using Ipc.Rpc.RabbitMq.Tests;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Xunit;

namespace Ipc.Hosting.RabbitMq.Tests;

/// <summary>A test of hosts with a service of its own at the broker.</summary>
public abstract class BrokerTest : HostTest, IAsyncLifetime
{
    private static int s_number;

    protected BrokerTest(BrokerProcess broker)
    {
        Broker = broker;
        Service = "hosted-" + Interlocked.Increment(ref s_number);
    }

    protected BrokerProcess Broker { get; }

    protected string Service { get; }

    protected static CancellationToken Cancel => TestContext.Current.CancellationToken;

    /// <summary>With the password, which nothing may show.</summary>
    protected string Address => AddressAt(Broker.Port);

    /// <summary>What is shown of it.</summary>
    protected string Shown => $"amqp://127.0.0.1:{Broker.Port}/%2F/{Service}";

    protected string AddressAt(int port, string user = "guest:guest", string host = "%2F") => $"amqp://{user}@127.0.0.1:{port}/{host}/{Service}";

    public virtual ValueTask InitializeAsync()
    {
        Broker.Require();
        return default;
    }

    public ValueTask DisposeAsync()
    {
        Dispose();
        GC.SuppressFinalize(this);
        return default;
    }

    /// <summary>A host that serves <see cref="Desk"/>, not started.</summary>
    protected HostApplicationBuilder Serving(string? address = null, Action<IpcRabbitMqServerOptions>? configure = null)
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcRabbitMqServer("desk", options =>
        {
            options.Address = address ?? Address;
            (options.Rpc.FirstPause, options.Rpc.LongestPause) = (TimeSpan.FromMilliseconds(10), TimeSpan.FromMilliseconds(50));
            configure?.Invoke(options);
        }).AddService<IDesk, Desk>();
        builder.Services.AddHealthChecks().Add(IpcRabbitMqHealthChecks.Server("desk"));
        return builder;
    }

    /// <summary>A host that calls it, not started.</summary>
    protected HostApplicationBuilder Calling(string? address = null, Action<IpcRabbitMqClientOptions>? configure = null)
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcRabbitMqClient<IDesk>("office", options =>
        {
            options.Address = address ?? Address;
            (options.Rpc.FirstPause, options.Rpc.LongestPause) = (TimeSpan.FromMilliseconds(10), TimeSpan.FromMilliseconds(50));
            configure?.Invoke(options);
        });
        builder.Services.AddHealthChecks().Add(IpcRabbitMqHealthChecks.Client("office"));
        return builder;
    }

    protected static IDesk DeskOf(IHost host) => host.Services.GetRequiredService<IDesk>();

    protected static IpcRabbitMqServer ServerOf(IHost host) => host.Services.GetRequiredKeyedService<IpcRabbitMqServer>("desk");

    protected static async Task<HealthReportEntry> HealthOf(IHost host) =>
        Assert.Single((await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(Cancel).WaitAsync(Watchdog)).Entries).Value;

    protected static Task HealthIs(IHost host, HealthStatus status, TimeSpan? patience = null) => UntilAsync(
        async () => (await HealthOf(host)).Status == status, "health to be " + status, patience);

    /// <summary>Looks again and again.</summary>
    protected static async Task UntilAsync(Func<Task<bool>> holds, string what, TimeSpan? patience = null)
    {
        Deadline watchdog = Deadline.After(patience ?? Watchdog);
        while (!await holds())
        {
            Assert.False(watchdog.HasPassed, "waited in vain for " + what);
            await Task.Delay(1, Cancel);
        }
    }

    protected static async Task<RpcCallException> FailsAsync(RpcStatus status, Func<Task> call)
    {
        RpcCallException failure = await Assert.ThrowsAsync<RpcCallException>(() => call().WaitAsync(Watchdog));
        Assert.True(failure.Status == status, $"{failure.Status} instead of {status}: {failure}");
        return failure;
    }
}
