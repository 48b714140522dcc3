using System;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;
using Ipc.Rpc.RabbitMq;
using Ipc.Rpc.RabbitMq.Tests;
using Ipc.Tcp.Tests;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Xunit;

namespace Ipc.Hosting.RabbitMq.Tests;

/// <summary>What a host does whose broker is not there, refuses it, or comes later.</summary>
public sealed class StartTests(BrokerProcess broker) : BrokerTest(broker)
{
    private const string Secret = "wrong-secret";

    [Fact]
    public async Task AServerWithoutABrokerFailsItsHostAndMayBeStartedAgain()
    {
        using BadNetwork network = new(Broker.EndPoint) { Refuses = true };
        using IHost host = Serving(AddressAt(network.Port)).Build();
        RpcCallException failure = await FailsAsync(RpcStatus.Unavailable, () => host.StartAsync(Cancel));
        Assert.Equal((LogLevel.Error, "Server desk could not start: " + failure.Message), Assert.Single(Logged.Of(2)));
        Assert.Equal(IpcServerState.NotStarted, ServerOf(host).State);
        network.Refuses = false;
        await ServerOf(host).StartAsync(Cancel).WaitAsync(Watchdog);
        Assert.Equal(IpcServerState.Serving, ServerOf(host).State);
        await ServerOf(host).StopAsync(Cancel).WaitAsync(Watchdog);
    }

    /// <summary>It refuses: waiting would not help, and the option to wait changes nothing.</summary>
    [Theory]
    [InlineData("guest:" + Secret, "%2F", false)]
    [InlineData("guest:" + Secret, "%2F", true)]
    [InlineData("guest:guest", "nowhere", false)]
    [InlineData("guest:guest", "nowhere", true)]
    public async Task ABrokerThatRefusesFailsTheHost(string user, string virtualHost, bool waits)
    {
        string address = AddressAt(Broker.Port, user, virtualHost);
        RpcCallException failure = await FailsAsync(
            RpcStatus.Unauthenticated, () => Started(Serving(address, options => options.Rpc.WaitForBroker = waits)));
        Assert.Contains(virtualHost == "nowhere" ? "nowhere" : "refused the user or the password", failure.Message, StringComparison.Ordinal);
        Assert.DoesNotContain(Secret, failure.ToString(), StringComparison.Ordinal);
        Assert.Equal("Server desk could not start: " + failure.Message, Assert.Single(Logged.Of(2)).Text);

        failure = await FailsAsync(RpcStatus.Unauthenticated, () => Started(Calling(address, static options => options.ConnectOnStart = true)));
        Assert.DoesNotContain(Secret, failure.ToString(), StringComparison.Ordinal);
        Assert.DoesNotContain(Secret, Assert.Single(Logged.Of(9)).Text, StringComparison.Ordinal);

        using IHost lazy = await Started(Calling(address));
        failure = await FailsAsync(RpcStatus.Unauthenticated, () => Task.Run(() => DeskOf(lazy).Greet("Ada"), Cancel));
        Assert.DoesNotContain(Secret, failure.ToString(), StringComparison.Ordinal);
        Assert.All(Logged.Of(27), static logged => Assert.DoesNotContain(Secret, logged.Text, StringComparison.Ordinal));
        await lazy.StopAsync().WaitAsync(Watchdog);
    }

    /// <summary>The broker's own process goes and comes.</summary>
    [Fact]
    public async Task AServerThatWaitsServesWhenTheBrokerComes()
    {
        Broker.Kill();
        HostApplicationBuilder serving = Serving();
        serving.Services.AddIpcRabbitMqServer("desk").WaitForBroker();
        using IHost server = await Started(serving);
        Assert.Equal((IpcServerState.Starting, false), (ServerOf(server).State, ServerOf(server).IsConnected));
        HealthReportEntry health = await HealthOf(server);
        Assert.Equal(HealthStatus.Unhealthy, health.Status);
        Assert.Contains("cannot be reached", health.Description, StringComparison.Ordinal);
        (LogLevel level, string text) = Assert.Single(Logged.Of(23)); // once, however often it is tried
        Assert.Equal(LogLevel.Warning, level);
        Assert.StartsWith("Server desk is not connected to " + Shown + ", and tries again: ", text, StringComparison.Ordinal);

        using IHost client = await Started(Calling(configure: static options => options.Rpc.WaitForReady = true));
        Task<string> call = Task.Run(() => DeskOf(client).Greet("Ada"), Cancel);
        await Eventually(() => Logged.Of(27).Length == 1);
        Assert.False(call.IsCompleted, "a call that waits has ended without a broker");
        Assert.Equal(HealthStatus.Unhealthy, (await HealthOf(client)).Status);

        Broker.Restart();
        Broker.WaitUntilReady();
        Assert.Equal("Hello, Ada", await call.WaitAsync(2 * Watchdog));
        Assert.Equal((IpcServerState.Serving, true), (ServerOf(server).State, ServerOf(server).IsConnected));
        await HealthIs(server, HealthStatus.Healthy);
        await HealthIs(client, HealthStatus.Healthy);
        await client.StopAsync().WaitAsync(Watchdog);
        await server.StopAsync().WaitAsync(Watchdog);
    }

    [Fact]
    public async Task AServerThatStillWaitsStopsWithItsHost()
    {
        using IHost host = await Started(Serving(AddressAt(1), static options => options.Rpc.WaitForBroker = true));
        Assert.Equal(IpcServerState.Starting, ServerOf(host).State);
        await host.StopAsync().WaitAsync(Watchdog);
        Assert.Equal(IpcServerState.Stopped, ServerOf(host).State);
        Assert.Single(Logged.Of(4));
    }

    [Fact]
    public async Task AClientConnectsWithItsFirstCallAndFailsWithoutABroker()
    {
        using BadNetwork network = new(Broker.EndPoint) { Refuses = true };
        using IHost server = await Started(Serving());
        using IHost client = await Started(Calling(AddressAt(network.Port)));
        IDesk desk = await Task.Run(() => DeskOf(client), Cancel).WaitAsync(Watchdog);
        Assert.Equal(0, network.Connections);
        Assert.True((await FailsAsync(RpcStatus.Unavailable, () => Task.Run(() => desk.Greet("Ada"), Cancel))).IsUnsent);
        network.Refuses = false;
        await Eventually(() => Logged.Of(26).Length == 1); // by itself
        Assert.Equal("Hello, Ada", await Task.Run(() => desk.Greet("Ada"), Cancel).WaitAsync(Watchdog));
        await client.StopAsync().WaitAsync(Watchdog);
        await server.StopAsync().WaitAsync(Watchdog);
    }

    [Fact]
    public async Task AHostThatConnectsAtStartWaitsForItsBroker()
    {
        using BadNetwork network = new(Broker.EndPoint) { Refuses = true };
        using IHost host = Calling(AddressAt(network.Port), static options => (options.ConnectOnStart, options.Rpc.ConnectTimeout) = (true, Watchdog)).Build();
        Task starting = host.StartAsync(Cancel);
        await Eventually(() => network.Connections > 3); // tried more than once
        Assert.False(starting.IsCompleted, "started without its broker");
        network.Refuses = false;
        await starting.WaitAsync(Watchdog);
        Assert.True(host.Services.GetRequiredKeyedService<RabbitMqClient>("office").IsConnected);
        await host.StopAsync().WaitAsync(Watchdog);
    }

    [Fact]
    public async Task AHostThatWantsItsConnectionAtStartDoesNotStartWithout()
    {
        await FailsAsync(RpcStatus.Unavailable, () => Started(Calling(
            AddressAt(1), static options => (options.ConnectOnStart, options.Rpc.ConnectTimeout) = (true, TimeSpan.FromMilliseconds(50)))));
        Assert.StartsWith("No connection to office: ", Assert.Single(Logged.Of(9)).Text, StringComparison.Ordinal);
    }
}
