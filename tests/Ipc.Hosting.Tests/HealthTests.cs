using System;
using System.IO;
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

    /// <summary>It stops in good order, and its host goes on: it says so, and does not look for whoever has removed its file.</summary>
    [Fact]
    public async Task AServerThatIsFollowedStopsBeforeItsHost()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "nobody takes over a live name there");
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcServer("greeter", options => options.Rpc.TakeOver = true).AddService<IGreeter, Greeter>(GreeterRpc.Service);
        builder.Services.AddHealthChecks().Add(IpcHealthChecks.Server("greeter"));
        using IHost host = await Started(builder);
        HealthCheckService health = host.Services.GetRequiredService<HealthCheckService>();
        IpcServer server = host.Services.GetRequiredKeyedService<IpcServer>("greeter");
        Greeter greeter = host.Services.GetRequiredService<Greeter>();
        using RpcClient client = RpcClient.Connect("greeter");
        Task<string> pending = GreeterRpc.Client(client).Wait("Ada", CancellationToken.None).AsTask();
        await greeter.Entered.WaitAsync(Watchdog);
        using RpcServer next = RpcServer.Start("greeter", new RpcServerOptions { TakeOver = true });
        await Eventually(() => server.State == IpcServerState.Stopping);
        Assert.Equal(HealthStatus.Degraded, (await Check(health)).Status);
        greeter.LetAnswer();
        Assert.Equal("Hello, Ada", await pending.WaitAsync(Watchdog));
        await Eventually(() => server.State == IpcServerState.Stopped);
        Assert.Equal((HealthStatus.Unhealthy, "Server greeter: Stopped."), ((await Check(health)).Status, (await Check(health)).Entries["ipc-server:greeter"].Description));
        await host.StopAsync().WaitAsync(Watchdog);
        Assert.Equal(IpcServerState.Stopped, server.State);
    }

    /// <summary>The check connects, as the next call would, so that it says what that call would find.</summary>
    [Fact]
    public async Task AConnectionIsHealthyWhileItsServerIsThere()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcClient("greeter");
        builder.Services.AddHealthChecks().Add(IpcHealthChecks.Client("greeter"));
        using IHost host = await Started(builder);
        HealthCheckService health = host.Services.GetRequiredService<HealthCheckService>();
        HealthReport report = await Check(health);
        Assert.Equal(HealthStatus.Unhealthy, report.Status);
        Assert.Equal(RpcStatus.Unavailable, Assert.IsType<RpcCallException>(report.Entries["ipc-client:greeter"].Exception).Status);
        for (int round = 1; round <= 2; round++)
        {
            using (RpcServer server = RpcServer.Start("greeter", GreeterRpc.Service(new Greeter())))
            {
                report = await Check(health);
                Assert.Equal((HealthStatus.Healthy, Environment.ProcessId), (report.Status, report.Entries["ipc-client:greeter"].Data["process"]));
            }

            await Eventually(() => Logged.Of(10).Length == round); // noticed without a call
            Assert.Equal(HealthStatus.Unhealthy, (await Check(health)).Status);
        }

        await host.StopAsync().WaitAsync(Watchdog);
    }

    [Fact]
    public async Task AConnectionThatMayNotBeMadeAgainIsNotMadeByTheCheck()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcClient("greeter", static options => options.Rpc.AutoReconnect = false);
        builder.Services.AddHealthChecks().Add(IpcHealthChecks.Client("greeter"));
        using IHost host = await Started(builder);
        HealthCheckService health = host.Services.GetRequiredService<HealthCheckService>();
        using (RpcServer first = RpcServer.Start("greeter", GreeterRpc.Service(new Greeter())))
            Assert.Equal(HealthStatus.Healthy, (await Check(health)).Status);
        await Eventually(() => Logged.Of(10).Length == 1);
        using RpcServer second = RpcServer.Start("greeter", GreeterRpc.Service(new Greeter()));
        Assert.Equal(HealthStatus.Unhealthy, (await Check(health)).Status);
        Assert.Equal(0, second.ConnectionCount);
        await host.StopAsync().WaitAsync(Watchdog);
    }

    /// <summary>A server that nobody finds any more was healthy as long as its process lived.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AServerWhoseFileHasGoneIsNotHealthy(bool replaced)
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcServer("greeter").AddService<IGreeter, Greeter>(GreeterRpc.Service);
        builder.Services.AddHealthChecks().Add(IpcHealthChecks.Server("greeter"));
        using IHost host = await Started(builder);
        HealthCheckService health = host.Services.GetRequiredService<HealthCheckService>();
        using RpcClient connected = RpcClient.Connect("greeter");
        Assert.Equal(HealthStatus.Healthy, (await Check(health)).Status);

        string file = Path.Combine(Environment.GetEnvironmentVariable("IPC_DIR")!, "greeter");
        File.Delete(file);
        using RpcServer? other = replaced ? RpcServer.Start("greeter", GreeterRpc.Service(new Greeter())) : null;
        HealthReportEntry entry = (await Check(health)).Entries["ipc-server:greeter"];
        Assert.Equal(HealthStatus.Unhealthy, entry.Status);
        Assert.Contains("its file was removed or replaced", entry.Description, StringComparison.Ordinal);
        Assert.Equal("Hello, Ada", GreeterRpc.Client(connected).Greet("Ada"));
        Assert.Equal(replaced, other?.IsFindable ?? false);
        await host.StopAsync().WaitAsync(Watchdog);
        Assert.Equal(replaced, File.Exists(file)); // the name is the other's
    }

    private static Task<HealthReport> Check(HealthCheckService health) => health.CheckHealthAsync().WaitAsync(Watchdog);
}
