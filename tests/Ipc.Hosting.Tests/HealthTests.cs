using System;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Xunit;

namespace Ipc.Hosting.Tests;

/// <summary>What the health service of a host says about servers and connections.</summary>
public sealed class HealthTests : HostTest
{
    [Fact]
    public async Task AServerIsHealthyWhileItServes()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcServer("greeter").AddService<IGreeter, Greeter>(GreeterRpc.Service);
        builder.Services.AddHealthChecks().Add(IpcHealthChecks.Server("greeter"));
        using IHost host = builder.Build();
        HealthCheckService health = host.Services.GetRequiredService<HealthCheckService>();
        Assert.Equal(HealthStatus.Unhealthy, (await Check(health)).Status); // not started yet

        await host.StartAsync().WaitAsync(Watchdog);
        HealthReport report = await Check(health);
        Assert.Equal(HealthStatus.Healthy, report.Status);
        Assert.Equal(0, report.Entries["ipc-server:greeter"].Data["connections"]);

        using (RpcClient client = RpcClient.Connect("greeter"))
        {
            Task<string> pending = GreeterRpc.Client(client).Wait("Ada", CancellationToken.None).AsTask();
            await host.Services.GetRequiredService<Greeter>().Entered.WaitAsync(Watchdog);
            Task stopping = host.StopAsync();
            await Eventually(() => Logged.Of(3).Length == 1);
            report = await Check(health);
            Assert.Equal((HealthStatus.Degraded, 1), (report.Status, report.Entries["ipc-server:greeter"].Data["connections"]));
            host.Services.GetRequiredService<Greeter>().LetAnswer();
            await pending.WaitAsync(Watchdog);
            await stopping.WaitAsync(Watchdog);
        }

        Assert.Equal(HealthStatus.Unhealthy, (await Check(health)).Status);
    }

    [Fact]
    public async Task AConnectionIsHealthyWhileItsServerIsThere()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcClient("greeter", static options => options.Rpc.ConnectTimeout = TimeSpan.Zero);
        builder.Services.AddHealthChecks().Add(IpcHealthChecks.Client("greeter"));
        using IHost host = await Started(builder);
        HealthCheckService health = host.Services.GetRequiredService<HealthCheckService>();
        HealthReport report = await Check(health);
        Assert.Equal(HealthStatus.Unhealthy, report.Status);
        Assert.Equal(RpcStatus.Unavailable, Assert.IsType<RpcException>(report.Entries["ipc-client:greeter"].Exception).Status);

        host.Services.GetRequiredService<Microsoft.Extensions.Options.IOptionsMonitor<IpcClientOptions>>().Get("greeter").Rpc.ConnectTimeout = Watchdog;
        using (RpcServer server = RpcServer.Start("greeter", GreeterRpc.Service(new Greeter())))
        {
            report = await Check(health);
            Assert.Equal((HealthStatus.Healthy, Environment.ProcessId), (report.Status, report.Entries["ipc-client:greeter"].Data["process"]));
        }

        await Eventually(() => Logged.Of(10).Length == 1); // noticed without a call
        Assert.Equal(HealthStatus.Degraded, (await Check(health)).Status);
        await host.StopAsync().WaitAsync(Watchdog);
    }

    private static Task<HealthReport> Check(HealthCheckService health) => health.CheckHealthAsync().WaitAsync(Watchdog);
}
