using System;
using System.Threading.Tasks;
using Ipc.Rpc;
using Ipc.Rpc.RabbitMq.Tests;
using Ipc.Tcp.Tests;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Xunit;

namespace Ipc.Hosting.RabbitMq.Tests;

/// <summary>Health checks tell the broker from the service.</summary>
public sealed class HealthTests(BrokerProcess broker) : BrokerTest(broker)
{
    [Fact]
    public async Task AClientTellsABrokerFromAService()
    {
        using BadNetwork network = new(Broker.EndPoint) { Refuses = true };
        using IHost client = await Started(Calling(AddressAt(network.Port)));
        HealthReportEntry health = await HealthOf(client);
        Assert.Equal((HealthStatus.Unhealthy, false, 0), (health.Status, health.Data["connected"], health.Data["servers"]));
        Assert.Equal(RpcStatus.Unavailable, Assert.IsType<RpcCallException>(health.Exception).Status);
        Assert.Contains("cannot be reached", health.Description, StringComparison.Ordinal);

        network.Refuses = false;
        await HealthIs(client, HealthStatus.Degraded); // a queue that does not exist yet
        health = await HealthOf(client);
        Assert.Equal((true, 0), (health.Data["connected"], health.Data["servers"]));
        Assert.Contains("nobody serves", health.Description, StringComparison.Ordinal);

        using (IHost server = await Started(Serving()))
        {
            health = await HealthOf(client);
            Assert.Equal((HealthStatus.Healthy, 1), (health.Status, health.Data["servers"]));
            using IHost other = await Started(Serving());
            Assert.Equal(2, (await HealthOf(client)).Data["servers"]);
            await other.StopAsync().WaitAsync(Watchdog);
            await server.StopAsync().WaitAsync(Watchdog);
        }

        await HealthIs(client, HealthStatus.Degraded); // a queue that nobody consumes
        network.Refuses = true;
        network.Cut();
        await HealthIs(client, HealthStatus.Unhealthy);
        await client.StopAsync().WaitAsync(Watchdog);
    }

    /// <summary>It does not answer, and nobody is told: the check ends in time all the same.</summary>
    [Fact]
    public async Task ABrokerThatDoesNotAnswerIsNotHealthy()
    {
        using BadNetwork network = new(Broker.EndPoint);
        using IHost server = await Started(Serving());
        using IHost client = await Started(Calling(AddressAt(network.Port), static options => options.Rpc.ConnectTimeout = TimeSpan.FromSeconds(2)));
        Assert.Equal(HealthStatus.Healthy, (await HealthOf(client)).Status);
        network.Hold();
        HealthReportEntry health = await HealthOf(client);
        Assert.Equal(HealthStatus.Unhealthy, health.Status);
        Assert.Contains("does not say how many servers", health.Description, StringComparison.Ordinal);
        network.LetGo();
        await HealthIs(client, HealthStatus.Healthy);
        await client.StopAsync().WaitAsync(Watchdog);
        await server.StopAsync().WaitAsync(Watchdog);
    }

    [Fact]
    public async Task AServerIsHealthyWhileItHasItsBroker()
    {
        using BadNetwork network = new(Broker.EndPoint);
        using IHost host = Serving(AddressAt(network.Port)).Build();
        HealthReportEntry health = await HealthOf(host);
        Assert.Equal((HealthStatus.Unhealthy, "Server desk: NotStarted."), (health.Status, health.Description));

        await host.StartAsync().WaitAsync(Watchdog);
        health = await HealthOf(host);
        Assert.Equal((HealthStatus.Healthy, "Serving", true, 0, 0L), (health.Status, health.Data["state"], health.Data["connected"], health.Data["requests"], health.Data["deadLetters"]));

        network.Refuses = true;
        network.Cut();
        await HealthIs(host, HealthStatus.Unhealthy);
        await Eventually(() => Logged.Of(23).Length >= 2); // that it was lost, and that it cannot be reached
        health = await HealthOf(host);
        Assert.Equal((IpcServerState.Serving, false), (ServerOf(host).State, health.Data["connected"]));
        Assert.Contains("It is not connected to amqp://127.0.0.1:" + network.Port, health.Description, StringComparison.Ordinal);
        Assert.Contains("cannot be reached", health.Description, StringComparison.Ordinal);

        network.Refuses = false;
        await HealthIs(host, HealthStatus.Healthy);
        await Eventually(() => Logged.Of(22).Length == 2);
        await host.StopAsync().WaitAsync(Watchdog);
        health = await HealthOf(host);
        Assert.Equal((HealthStatus.Unhealthy, "Server desk: Stopped."), (health.Status, health.Description));
    }
}
