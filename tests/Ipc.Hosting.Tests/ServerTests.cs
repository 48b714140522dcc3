using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Xunit;

namespace Ipc.Hosting.Tests;

/// <summary>A server lives as long as its host.</summary>
public sealed class ServerTests : HostTest
{
    [Fact]
    public async Task AHostedServerServesFromStartToStop()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcServer("greeter").AddService<IGreeter, Greeter>(GreeterRpc.Service);
        using IHost host = await Started(builder);
        IpcServer server = host.Services.GetRequiredKeyedService<IpcServer>("greeter");
        Assert.Equal((IpcServerState.Serving, "greeter"), (server.State, server.Name));

        using (RpcClient client = RpcClient.Connect("greeter"))
        {
            Assert.Equal("Hello, Ada", GreeterRpc.Client(client).Greet("Ada"));
            Assert.Equal(1, server.ConnectionCount);
        }

        await host.StopAsync().WaitAsync(Watchdog);
        Assert.Equal(IpcServerState.Stopped, server.State);
        Assert.Equal(RpcStatus.Unavailable, Assert.Throws<RpcCallException>(() => RpcClient.Connect("greeter", new RpcClientOptions { ConnectTimeout = TimeSpan.Zero })).Status);
        Assert.Equal((LogLevel.Information, "Server greeter serves hosting.test.v1."), Assert.Single(Logged.Of(1)));
        Assert.Equal((LogLevel.Debug, "Server greeter accepts process " + Environment.ProcessId + "."), Assert.Single(Logged.Of(6)));
        Assert.Single(Logged.Of(4));
    }

    [Fact]
    public async Task WhatAHandlerThrowsIsLoggedWithItsStack()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcServer("greeter").AddService<IGreeter, Greeter>(GreeterRpc.Service);
        using IHost host = await Started(builder);
        using RpcClient client = RpcClient.Connect("greeter");
        Assert.Equal(RpcStatus.Unknown, Assert.Throws<RpcCallException>(() => GreeterRpc.Client(client).Greet("nobody")).Status);
        await Eventually(() => Logged.Of(11).Length == 1);
        Assert.Equal((LogLevel.Error, "hosting.test.v1/Greet of server greeter, called by process " + Environment.ProcessId + ", failed with Unknown."), Assert.Single(Logged.Of(11)));
        Assert.Contains("Greeter.Greet", Assert.Single(Logged.Exceptions)?.StackTrace, StringComparison.Ordinal);
        await host.StopAsync().WaitAsync(Watchdog);
    }

    [Fact]
    public async Task AStoppingHostWaitsForPendingCalls()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcServer("greeter").AddService<IGreeter, Greeter>(GreeterRpc.Service);
        using IHost host = await Started(builder);
        Greeter greeter = host.Services.GetRequiredService<Greeter>();
        IpcServer server = host.Services.GetRequiredKeyedService<IpcServer>("greeter");
        using RpcClient client = RpcClient.Connect("greeter");
        Task<string> pending = GreeterRpc.Client(client).Wait("Ada", TestContext.Current.CancellationToken).AsTask();
        await greeter.Entered.WaitAsync(Watchdog);

        Task stopping = host.StopAsync();
        await Eventually(() => server.State == IpcServerState.Stopping);
        Assert.Equal(RpcStatus.Unavailable, Assert.Throws<RpcCallException>(() => GreeterRpc.Client(client).Greet("too late")).Status);
        Assert.False(stopping.IsCompleted, "the host has stopped while a call was pending");
        greeter.LetAnswer();
        Assert.Equal("Hello, Ada", await pending.WaitAsync(Watchdog));
        await stopping.WaitAsync(Watchdog);
    }

    [Fact]
    public async Task AnImpatientHostEndsPendingCalls()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcServer("greeter", options => options.DrainTimeout = TimeSpan.FromHours(1)).AddService<IGreeter, Greeter>(GreeterRpc.Service);
        using IHost host = await Started(builder);
        using RpcClient client = RpcClient.Connect("greeter");
        Task<string> pending = GreeterRpc.Client(client).Wait("Ada", TestContext.Current.CancellationToken).AsTask();
        await host.Services.GetRequiredService<Greeter>().Entered.WaitAsync(Watchdog);
        using var impatient = new CancellationTokenSource();
        Task stopping = host.StopAsync(impatient.Token);
        await Eventually(() => Logged.Of(3).Length == 1);
        Assert.False(stopping.IsCompleted, "the host has stopped while a call was pending");
        impatient.Cancel();
        await stopping.ContinueWith(static _ => { }, TaskScheduler.Default).WaitAsync(Watchdog); // a host may say that it was cancelled
        Assert.Equal(RpcStatus.Unavailable, (await Assert.ThrowsAsync<RpcCallException>(() => pending.WaitAsync(Watchdog))).Status);
    }

    /// <summary>It stayed "Starting" for ever, without a word in the log, and could not be started again.</summary>
    [Fact]
    public async Task AServiceThatCannotBeMadeFailsTheStartAndNotTheNextOne()
    {
        HostApplicationBuilder builder = Builder();
        bool isThere = false;
        builder.Services.AddIpcServer("greeter").AddService(_ => isThere ? GreeterRpc.Service(new Greeter()) : throw new InvalidOperationException("no greeter yet"));
        using IHost host = builder.Build();
        IpcServer server = host.Services.GetRequiredKeyedService<IpcServer>("greeter");
        Assert.Equal("no greeter yet", (await Assert.ThrowsAsync<InvalidOperationException>(() => host.StartAsync())).Message);
        Assert.Equal(IpcServerState.NotStarted, server.State);
        Assert.Equal((LogLevel.Error, "Server greeter could not start: no greeter yet"), Assert.Single(Logged.Of(2)));

        isThere = true;
        await server.StartAsync(CancellationToken.None);
        Assert.Equal(IpcServerState.Serving, server.State);
        await server.StopAsync(CancellationToken.None).WaitAsync(Watchdog);
    }

    /// <summary>Each server changed the options that it was given: the second one's decisions were logged as the first one's, too.</summary>
    [Fact]
    public async Task ServersThatShareOptionsLeaveThemAsTheyAre()
    {
        static string? Accept(RpcPeer peer) => null;
        static void Failed(RpcHandlerFailure failure) { }
        var shared = new RpcServerOptions { Accept = Accept, HandlerFailed = Failed };
        HostApplicationBuilder builder = Builder();
        foreach (string name in new[] { "east", "west" })
            builder.Services.AddIpcServer(name, options => options.Rpc = shared).AddService(_ => GreeterRpc.Service(new Greeter()));
        using IHost host = await Started(builder);
        Assert.Equal((Accept, Failed), (shared.Accept, shared.HandlerFailed));
        using (RpcClient client = RpcClient.Connect("west"))
            Assert.Throws<RpcCallException>(() => GreeterRpc.Client(client).Greet("nobody"));
        await Eventually(() => Logged.Of(11).Length > 0);
        Assert.Equal("Server west accepts process " + Environment.ProcessId + ".", Assert.Single(Logged.Of(6)).Text);
        Assert.Contains("server west", Assert.Single(Logged.Of(11)).Text, StringComparison.Ordinal);
        await host.StopAsync().WaitAsync(Watchdog);
    }

    [Fact]
    public async Task AServerThatCannotStartFailsItsHostAndSaysWhy()
    {
        using RpcServer first = RpcServer.Start("greeter", GreeterRpc.Service(new Greeter()));
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcServer("greeter").AddService<IGreeter, Greeter>(GreeterRpc.Service);
        Assert.Equal(IpcStatus.InUse, (await Assert.ThrowsAsync<IpcException>(() => Started(builder))).Status);
        Assert.Equal(LogLevel.Error, Assert.Single(Logged.Of(2)).Level);
    }

    [Fact]
    public async Task ARefusalIsTheServersOwnAndLogged()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcServer("greeter", options => options.Rpc.Accept = static peer => "not today").AddService<IGreeter, Greeter>(GreeterRpc.Service);
        using IHost host = await Started(builder);
        Assert.Contains("not today", Assert.Throws<RpcCallException>(() => RpcClient.Connect("greeter")).Message, StringComparison.Ordinal);
        Assert.Equal((LogLevel.Warning, "Server greeter refuses process " + Environment.ProcessId + ": not today"), Assert.Single(Logged.Of(7)));
        await host.StopAsync().WaitAsync(Watchdog);
    }

    [Fact]
    public async Task OneHostHasSeveralServersAndKeyedClientsOfThem()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcServer("east").AddService(_ => GreeterRpc.Service(new Greeter { Greeting = "Good morning, " }));
        builder.Services.AddIpcServer("west").AddService(_ => GreeterRpc.Service(new Greeter { Greeting = "Good evening, " }));
        builder.Services.AddIpcClient("east").AddContract<IGreeter>(GreeterRpc.Client).AddKeyedContract<IGreeter>("e", GreeterRpc.Client);
        builder.Services.AddIpcClient("west").AddKeyedContract<IGreeter>("w", GreeterRpc.Client);
        using IHost host = await Started(builder);
        Assert.Equal("Good morning, Ada", host.Services.GetRequiredService<IGreeter>().Greet("Ada"));
        Assert.Equal("Good morning, Ada", host.Services.GetRequiredKeyedService<IGreeter>("e").Greet("Ada"));
        Assert.Equal("Good evening, Ada", host.Services.GetRequiredKeyedService<IGreeter>("w").Greet("Ada"));
        await Eventually(() => Logged.Of(8).Length == 2); // one connection each, however many proxies
        await host.StopAsync().WaitAsync(Watchdog);
        Assert.Equal(2, Logged.Of(4).Select(e => e.Text).Distinct().Count());
    }
}
