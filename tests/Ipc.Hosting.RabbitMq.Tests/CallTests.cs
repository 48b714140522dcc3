using System;
using System.Linq;
using System.Threading.Tasks;
using Ipc.Rpc;
using Ipc.Rpc.RabbitMq;
using Ipc.Rpc.RabbitMq.Tests;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Xunit;

namespace Ipc.Hosting.RabbitMq.Tests;

/// <summary>Calls from one host to another, over a real broker.</summary>
public sealed class CallTests(BrokerProcess broker) : BrokerTest(broker)
{
    [Fact]
    public async Task AHostCallsAnother()
    {
        using IHost server = await Started(Serving());
        Assert.Equal((IpcServerState.Serving, true, Shown), (ServerOf(server).State, ServerOf(server).IsConnected, ServerOf(server).Address));
        using IHost client = await Started(Calling());
        IDesk desk = DeskOf(client);
        Assert.False(client.Services.GetRequiredKeyedService<RabbitMqClient>("office").IsConnected, "connected before the first call");
        Assert.Equal("Hello, Ada", await Task.Run(() => desk.Greet("Ada"), Cancel).WaitAsync(Watchdog));
        Assert.Equal((LogLevel.Information, "Server desk serves desk.test.v1 at " + Shown + "."), Assert.Single(Logged.Of(22)));
        Assert.Equal((LogLevel.Information, "Client office is connected to " + Shown + "."), Assert.Single(Logged.Of(26)));
        await client.StopAsync().WaitAsync(Watchdog);
        await server.StopAsync().WaitAsync(Watchdog);
        Assert.Equal((IpcServerState.Stopped, false), (ServerOf(server).State, ServerOf(server).IsConnected));
        Assert.Equal("Server desk has stopped.", Assert.Single(Logged.Of(4)).Text);
    }

    [Fact]
    public async Task UserAndPasswordMayStandApart()
    {
        using IHost server = await Started(Serving(Shown, static options => (options.User, options.Password) = ("guest", "guest")));
        using IHost client = await Started(Calling(Shown.Replace("amqp://", "amqp://guest@", StringComparison.Ordinal), static options => options.Password = "guest"));
        Assert.Equal("Hello, Ada", await Task.Run(() => DeskOf(client).Greet("Ada"), Cancel).WaitAsync(Watchdog));
        await client.StopAsync().WaitAsync(Watchdog);
        await server.StopAsync().WaitAsync(Watchdog);
        RpcCallException failure = await FailsAsync(RpcStatus.Unauthenticated, () => Started(Serving(Shown, static options => (options.User, options.Password) = ("guest", "se/cr@et"))));
        Assert.DoesNotContain("cr@et", failure.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task AScopedServiceHasAScopeForEachCall()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddSingleton<ScopedDesk.Office>().AddScoped<ScopedDesk.Drawer>();
        builder.Services.AddIpcRabbitMqServer("desk", options => options.Address = Address).AddService<IDesk, ScopedDesk>(ServiceLifetime.Scoped);
        using IHost server = await Started(builder);
        using IHost client = await Started(Calling());
        IDesk desk = DeskOf(client);
        Assert.Equal(["Hello, 0", "Hello, 1", "Hello, 2"], await Task.WhenAll(Enumerable.Range(0, 3).Select(i => Task.Run(() => desk.Greet(i.ToString()), Cancel))).WaitAsync(Watchdog));
        ScopedDesk.Office office = server.Services.GetRequiredService<ScopedDesk.Office>();
        await Eventually(() => office.Closed == 3);
        Assert.Equal(3, office.Opened);
        await client.StopAsync().WaitAsync(Watchdog);
        await server.StopAsync().WaitAsync(Watchdog);
    }

    [Fact]
    public async Task WhatAHandlerThrowsIsLogged()
    {
        using IHost server = await Started(Serving());
        using IHost client = await Started(Calling());
        IDesk desk = DeskOf(client);
        await FailsAsync(RpcStatus.Unknown, () => Task.Run(() => desk.Greet("nobody"), Cancel));
        await Eventually(() => Logged.Of(28).Length == 1);
        Assert.Equal((LogLevel.Error, "desk.test.v1/Greet of server desk, called over its broker, failed with Unknown."), Logged.Of(28)[0]);
        Assert.Contains("Desk.Greet", Assert.Single(Logged.Exceptions).StackTrace, StringComparison.Ordinal);
        await FailsAsync(RpcStatus.PermissionDenied, () => Task.Run(() => desk.Greet("thief"), Cancel));
        await Eventually(() => Logged.Of(29).Length == 1);
        Assert.Equal(LogLevel.Information, Logged.Of(29)[0].Level);

        await desk.NoteAsync("nobody", Cancel).WaitAsync(Watchdog); // nobody waits for its end
        await Eventually(() => Logged.Of(25).Length == 1);
        Assert.Contains("there is nobody", Logged.Of(25)[0].Text, StringComparison.Ordinal);
        Assert.Equal(1, ServerOf(server).DeadLetters);
        await client.StopAsync().WaitAsync(Watchdog);
        await server.StopAsync().WaitAsync(Watchdog);
    }

    [Fact]
    public async Task ServersAndClientsThatShareOptionsLeaveThemAsTheyAre()
    {
        var ofServers = new RabbitMqServerOptions { Handlers = new RpcServerOptions() };
        var ofClients = new RabbitMqClientOptions();
        HostApplicationBuilder builder = Builder();
        foreach (string name in new[] { "east", "west" })
        {
            string address = Address + "." + name, greeting = name + ": ";
            builder.Services.AddIpcRabbitMqServer(name, options => (options.Address, options.Rpc) = (address, ofServers)).AddService(_ => DeskRpc.Service(new Desk { Greeting = greeting }));
            builder.Services.AddIpcRabbitMqClient(name, options => (options.Address, options.Rpc) = (address, ofClients)).AddKeyedContract<IDesk>(name, DeskRpc.Client).WaitForReady().Retry();
        }

        using IHost host = await Started(builder);
        foreach (string name in new[] { "east", "west" })
            Assert.Equal(name + ": Ada", await Task.Run(() => host.Services.GetRequiredKeyedService<IDesk>(name).Greet("Ada"), Cancel).WaitAsync(Watchdog));
        Assert.Equal((null, null, null), (ofServers.ConnectionChanged, ofServers.DeadLettered, ofServers.Handlers.HandlerFailed));
        Assert.Equal((null, null, false), (ofClients.ConnectionChanged, ofClients.Retry, ofClients.WaitForReady));
        Assert.Equal(2, Logged.Of(22).Distinct().Count());
        Assert.Equal(2, Logged.Of(26).Distinct().Count());
        await host.StopAsync().WaitAsync(Watchdog);
    }
}
