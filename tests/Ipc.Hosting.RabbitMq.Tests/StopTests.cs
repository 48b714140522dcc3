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
using Xunit;

namespace Ipc.Hosting.RabbitMq.Tests;

/// <summary>How a server ends with its host.</summary>
public sealed class StopTests(BrokerProcess broker) : BrokerTest(broker)
{
    [Theory]
    [InlineData(RabbitMqQueueKind.Quorum)]
    [InlineData(RabbitMqQueueKind.Classic)]
    public async Task AStoppingHostWaitsForCallsInHand(RabbitMqQueueKind kind)
    {
        using IHost server = await Started(Serving(configure: options => options.Rpc.QueueKind = kind));
        using IHost client = await Started(Calling(configure: static options => options.Rpc.WaitForReady = true)); // or the call may end when its last server stops consuming
        Desk handler = server.Services.GetRequiredService<Desk>();
        Task<string> call = DeskOf(client).WaitAsync("Ada", Cancel).AsTask();
        await handler.Entered.WaitAsync(Watchdog);
        Assert.Equal(1, ServerOf(server).RequestsInHand);

        Task stopping = server.StopAsync();
        await Eventually(() => Logged.Of(24).Length == 1);
        Assert.Equal("Server desk is stopping with 1 requests in hand.", Logged.Of(24)[0].Text);
        Assert.Equal((IpcServerState.Stopping, HealthStatus.Degraded), (ServerOf(server).State, (await HealthOf(server)).Status));
        if (kind == RabbitMqQueueKind.Classic) // of a quorum queue the broker counts it until it has acknowledged all
            await HealthIs(client, HealthStatus.Degraded);

        // it takes no further requests, and by the time that another server has come and answered it would have gone, if it did not wait
        using IHost next = await Started(Serving(configure: options => options.Rpc.QueueKind = kind));
        next.Services.GetRequiredService<Desk>().Greeting = "Welcome, ";
        await UntilAsync(async () => await Task.Run(() => DeskOf(client).Greet("Bob"), Cancel).WaitAsync(Watchdog) == "Welcome, Bob", "the other server to answer");
        Assert.False(stopping.IsCompleted, "the host has stopped while a call was in hand");
        Assert.Equal((1, true), (ServerOf(server).RequestsInHand, ServerOf(server).IsConnected));
        handler.LetAnswer();
        Assert.Equal("Hello, Ada", await call.WaitAsync(Watchdog));
        await stopping.WaitAsync(Watchdog);
        Assert.Equal((IpcServerState.Stopped, HealthStatus.Unhealthy), (ServerOf(server).State, (await HealthOf(server)).Status));
        await client.StopAsync().WaitAsync(Watchdog);
        await next.StopAsync().WaitAsync(Watchdog);
    }

    /// <summary>The host's own timeout ends the wait, and another server gets the call.</summary>
    [Fact]
    public async Task AnImpatientHostLeavesItsCallsToAnother()
    {
        using IHost server = await Started(Serving(configure: static options => options.DrainTimeout = TimeSpan.FromHours(1)));
        using IHost client = await Started(Calling(configure: static options => options.Rpc.WaitForReady = true));
        Task<string> call = DeskOf(client).WaitAsync("Ada", Cancel).AsTask();
        await server.Services.GetRequiredService<Desk>().Entered.WaitAsync(Watchdog);
        using var impatient = new CancellationTokenSource();
        Task stopping = server.StopAsync(impatient.Token);
        await Eventually(() => Logged.Of(24).Length == 1);
        Assert.False(stopping.IsCompleted, "the host has stopped while a call was in hand");
        impatient.Cancel();
        await stopping.ContinueWith(static _ => { }, TaskScheduler.Default).WaitAsync(Watchdog); // a host may say that it was cancelled

        using IHost next = await Started(Serving());
        Desk handler = next.Services.GetRequiredService<Desk>();
        await handler.Entered.WaitAsync(Watchdog);
        handler.LetAnswer();
        Assert.Equal("Hello, Ada", await call.WaitAsync(Watchdog));
        await client.StopAsync().WaitAsync(Watchdog);
        await next.StopAsync().WaitAsync(Watchdog);
    }

    [Fact]
    public async Task ADrainEndsInTime()
    {
        using IHost server = await Started(Serving(configure: static options => options.DrainTimeout = TimeSpan.Zero));
        using IHost client = await Started(Calling());
        Task<string> call = DeskOf(client).WaitAsync("Ada", Cancel).AsTask();
        await server.Services.GetRequiredService<Desk>().Entered.WaitAsync(Watchdog);
        await server.StopAsync().WaitAsync(Watchdog);
        await FailsAsync(RpcStatus.Unavailable, () => call); // all servers have gone
        await client.StopAsync().WaitAsync(Watchdog);
    }

    /// <summary>It has its connection to the broker, and waits for the broker's first word.</summary>
    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task AServerThatStillStartsStopsToo(bool disposes, bool waits)
    {
        using BadNetwork network = new(Broker.EndPoint);
        network.Hold();
        using IHost host = Serving(AddressAt(network.Port), options => (options.Rpc.WaitForBroker, options.Rpc.ConnectTimeout) = (waits, TimeSpan.FromHours(1))).Build();
        IpcRabbitMqServer server = ServerOf(host);
        Task starting = server.StartAsync(Cancel);
        await Eventually(() => network.Connections == 1);
        await (disposes ? server.DisposeAsync().AsTask() : server.StopAsync(Cancel)).WaitAsync(Watchdog);
        Assert.Equal((IpcServerState.Stopped, false), (server.State, server.IsConnected));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => starting.WaitAsync(Watchdog));
        Assert.Equal(IpcServerState.Stopped, server.State);
        network.LetGo();
        await Assert.ThrowsAsync<InvalidOperationException>(() => server.StartAsync(Cancel));
    }

    /// <summary>The broker has it as a server already, and its host not yet.</summary>
    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task AServerThatHasJustConnectedStopsToo(bool disposes, bool waits)
    {
        using ManualResetEventSlim go = new();
        using IHost host = Serving(configure: options => (options.Rpc.WaitForBroker, options.Rpc.ConnectionChanged) = (waits, _ => go.Wait(Watchdog, Cancel))).Build();
        using IHost client = await Started(Calling());
        RabbitMqClient office = client.Services.GetRequiredKeyedService<RabbitMqClient>("office");
        IpcRabbitMqServer server = ServerOf(host);
        Task starting = server.StartAsync(Cancel);
        await Eventually(() => server.State == IpcServerState.Serving);
        Assert.Equal(1, await office.CountServersAsync(Cancel));
        Task stopping = disposes ? server.DisposeAsync().AsTask() : server.StopAsync(Cancel);
        go.Set();
        await stopping.WaitAsync(Watchdog);
        await starting.ContinueWith(static _ => { }, TaskScheduler.Default).WaitAsync(Watchdog); // it may say that it was cancelled
        Assert.Equal((IpcServerState.Stopped, false), (server.State, server.IsConnected));
        Assert.Equal(0, await office.CountServersAsync(Cancel));
        await client.StopAsync().WaitAsync(Watchdog);
    }

    /// <summary>Its services are still being made; there is nothing yet that could be ended.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AServerWhoseServicesAreBeingMadeStopsToo(bool disposes)
    {
        using ManualResetEventSlim go = new();
        using ManualResetEventSlim isAsked = new();
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcRabbitMqServer("desk", options => options.Address = Address).AddService(_ =>
        {
            isAsked.Set();
            go.Wait(Watchdog, Cancel);
            return DeskRpc.Service(new Desk());
        });
        using IHost host = builder.Build();
        using IHost client = await Started(Calling());
        IpcRabbitMqServer server = ServerOf(host);
        Task starting = Task.Run(() => server.StartAsync(Cancel), Cancel);
        Assert.True(await Task.Run(() => isAsked.Wait(Watchdog, Cancel), Cancel));
        await (disposes ? server.DisposeAsync().AsTask() : server.StopAsync(Cancel)).WaitAsync(Watchdog);
        go.Set();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => starting.WaitAsync(Watchdog));
        Assert.Equal((IpcServerState.Stopped, false), (server.State, server.IsConnected));
        Assert.Equal(0, await client.Services.GetRequiredKeyedService<RabbitMqClient>("office").CountServersAsync(Cancel));
        await client.StopAsync().WaitAsync(Watchdog);
    }

    [Fact]
    public async Task AHostThatGivesItsStartUpDoesNotWaitForTheBroker()
    {
        using BadNetwork network = new(Broker.EndPoint);
        network.Hold();
        using IHost host = Serving(AddressAt(network.Port), static options => options.Rpc.ConnectTimeout = TimeSpan.FromHours(1)).Build();
        using var impatient = new CancellationTokenSource();
        Task starting = host.StartAsync(impatient.Token);
        await Eventually(() => network.Connections == 1);
        impatient.Cancel();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => starting.WaitAsync(Watchdog));
        Assert.Equal(IpcServerState.NotStarted, ServerOf(host).State);
        network.LetGo();
        await ServerOf(host).StartAsync(Cancel).WaitAsync(Watchdog); // as after any other start in vain
        await ServerOf(host).StopAsync(Cancel).WaitAsync(Watchdog);
    }

    /// <summary>Who disposes a container without waiting asynchronously is not refused.</summary>
    [Fact]
    public async Task AContainerMayBeDisposedWithoutWaiting()
    {
        var services = new ServiceCollection();
        services.AddIpcRabbitMqServer("desk", options => options.Address = Address).AddService<IDesk, Desk>();
        services.AddIpcRabbitMqClient<IDesk>("office", options => options.Address = Address);
        ServiceProvider provider = services.BuildServiceProvider();
        IpcRabbitMqServer server = provider.GetRequiredKeyedService<IpcRabbitMqServer>("desk");
        await server.StartAsync(Cancel).WaitAsync(Watchdog);
        IDesk desk = provider.GetRequiredService<IDesk>();
        Assert.Equal("Hello, Ada", await Task.Run(() => desk.Greet("Ada"), Cancel).WaitAsync(Watchdog));
        await Task.Run(provider.Dispose, Cancel).WaitAsync(Watchdog);
        Assert.Equal((IpcServerState.Stopped, false), (server.State, server.IsConnected));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Task.Run(() => desk.Greet("Ada"), Cancel).WaitAsync(Watchdog));
    }
}
