using System;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Tcp.Tests;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>Clients that connect later, servers that wait for their broker, and who is told of it.</summary>
public sealed class ConnectTests(BrokerProcess broker) : RabbitMqTest(broker)
{
    [Fact]
    public async Task AClientThatWasCreatedConnectsWhenItIsUsed()
    {
        await ServeAsync(FarmRpc.Service(new Farm("one")));
        RabbitMqClient client = Mine(RabbitMqClient.Create(Address, ClientOptions));
        Assert.False(client.IsConnected);
        Task<string>[] calls = [.. Enumerable.Range(0, 8).Select(i => Task.Run(() => client.For<IFarm>().DoAsync(i, Cancel).AsTask(), Cancel))];
        Assert.All(await Task.WhenAll(calls).WaitAsync(Patience, Cancel), static name => Assert.Equal("one", name));
        Assert.True(client.IsConnected);
    }

    [Fact]
    public async Task AClientCountsTheServersOfItsService()
    {
        RabbitMqClient client = Mine(RabbitMqClient.Create(Address, ClientOptions));
        Assert.Equal(0, await client.CountServersAsync(Cancel).WaitAsync(Patience, Cancel)); // there is no queue
        RabbitMqServer one = await ServeAsync(FarmRpc.Service(new Farm("one")));
        await ServeAsync(FarmRpc.Service(new Farm("two")));
        Assert.Equal(2, await client.CountServersAsync(Cancel).WaitAsync(Patience, Cancel));
        await one.DisposeAsync();
        Deadline watchdog = Deadline.After(Patience);
        while (await client.CountServersAsync(Cancel).WaitAsync(Patience, Cancel) is not 1 and int count) // the nodes agree on it a moment after the connection has gone
            Assert.True(count == 2 && !watchdog.HasPassed, $"counts {count}");
        using RabbitMqClient nobodys = RabbitMqClient.Create(AddressAt(1), ClientOptions);
        await FailsAsync(RpcStatus.Unavailable, () => nobodys.CountServersAsync(Cancel));
    }

    [Fact]
    public async Task ABrokerThatRefusesIsNotWaitedFor()
    {
        using RabbitMqClient client = RabbitMqClient.Create(AddressAt(Broker.Port, "guest:wrong-secret"), ClientOptions);
        await FailsAsync(RpcStatus.Unauthenticated, () => client.EnsureConnectedAsync(Timeout.InfiniteTimeSpan, Cancel));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>("timeout", () => client.EnsureConnectedAsync(TimeSpan.FromSeconds(-1), Cancel));
    }

    /// <summary>A broker that takes connections and says nothing.</summary>
    [Fact]
    public async Task WhatWaitsForAFirstConnectionEnds()
    {
        using BadNetwork network = new(Broker.EndPoint);
        network.Hold();
        ClientOptions.ConnectTimeout = Patience;
        RabbitMqClient client = Mine(RabbitMqClient.Create(AddressAt(network.Port), ClientOptions));
        IFarm hurried = client.Caller.WithTimeout(TimeSpan.FromMilliseconds(20)).For<IFarm>();
        await FailsAsync(RpcStatus.DeadlineExceeded, async () => await hurried.DoAsync(1, Cancel));
        using CancellationTokenSource cancelled = new();
        Task waits = client.EnsureConnectedAsync(TimeSpan.Zero, cancelled.Token);
        Task call = client.For<IFarm>().DoAsync(1, Cancel).AsTask(), other = client.EnsureConnectedAsync(TimeSpan.Zero, Cancel);
        Assert.False(waits.IsCompleted);
        await cancelled.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waits.WaitAsync(Patience, Cancel));
        Assert.False(call.IsCompleted || other.IsCompleted);
        await Task.Run(client.Dispose, Cancel).WaitAsync(Patience, Cancel);
        await FailsAsync(RpcStatus.Unavailable, () => call);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => other.WaitAsync(Patience, Cancel));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => client.CountServersAsync(Cancel).WaitAsync(Patience, Cancel));
    }

    /// <summary>A reason that stays the same is told once, and whoever is told may throw.</summary>
    [Fact]
    public async Task ChangesAreToldOnce()
    {
        ConcurrentQueue<RabbitMqConnectionChange> told = new();
        using BadNetwork network = new(Broker.EndPoint) { Refuses = true };
        ServerOptions.WaitForBroker = true;
        ServerOptions.ConnectionChanged = change =>
        {
            told.Enqueue(change);
            throw new InvalidOperationException("not interested");
        };
        RabbitMqServer server = Mine(await RabbitMqServer.StartAsync(AddressAt(network.Port), ServerOptions, FarmRpc.Service(new Farm("one"))).WaitAsync(Patience, Cancel));
        Assert.False(server.IsConnected);
        Watchdog.Until(() => network.Connections > 3, "further attempts");
        network.Refuses = false;
        Watchdog.Until(() => told.Count == 2, "a connection");
        Assert.Equal("one", await (await ConnectAsync()).For<IFarm>().DoAsync(1, Cancel).AsTask().WaitAsync(Patience, Cancel));
        network.Cut();
        Watchdog.Until(() => told.Count == 4, "another connection");
        await server.StopAsync(TimeSpan.Zero, Cancel).WaitAsync(Patience, Cancel);
        RabbitMqConnectionChange[] all = [.. told];
        Assert.Equal([false, true, false, true], all.Select(static one => one.IsConnected)); // and not of its end
        Assert.Contains("cannot be reached", all[0].Reason, StringComparison.Ordinal);
        Assert.Contains("was lost", all[2].Reason, StringComparison.Ordinal);
        Assert.Equal((null, null), (all[1].Reason, all[3].Reason));
    }

    /// <summary>Of several nodes any will do; which one is tried first is left to chance.</summary>
    [Fact]
    public async Task ANodeThatIsNotThereIsPassedOver()
    {
        string address = $"amqp://guest:guest@127.0.0.1:{BrokerNode.FreePort()},127.0.0.1:{Broker.Port},[::1]:{BrokerNode.FreePort()}/%2F/{Service}";
        await ServeAsync(FarmRpc.Service(new Farm("one")), address: address);
        for (int i = 0; i < 10; i++)
            Assert.Equal("one", await (await ConnectAsync(address: address)).For<IFarm>().DoAsync(i, Cancel));
    }

    /// <summary>It takes connections, and says nothing.</summary>
    [Fact]
    public async Task ANodeThatDoesNotAnswerIsPassedOver()
    {
        using BadNetwork network = new(Broker.EndPoint);
        network.Hold();
        string address = $"amqp://guest:guest@127.0.0.1:{network.Port},127.0.0.1:{Broker.Port}/%2F/{Service}";
        await ServeAsync(FarmRpc.Service(new Farm("one")));
        ClientOptions.ConnectTimeout = TimeSpan.FromSeconds(8); // half of it for either
        for (int i = 0; network.Connections < 2; i++)
            Assert.Equal("one", await (await ConnectAsync(address: address)).For<IFarm>().DoAsync(i, Cancel));
        network.LetGo();
    }

    /// <summary>A broker that takes connections and does not answer is busy with others: each attempt waits for it twice as long, and as long before it begins.</summary>
    [Fact]
    public async Task ABrokerThatDoesNotAnswerIsAskedMoreRarely()
    {
        using BadNetwork network = new(Broker.EndPoint);
        network.Hold();
        ServerOptions.WaitForBroker = true;
        ServerOptions.ConnectTimeout = TimeSpan.FromSeconds(1);
        long began = Stopwatch.GetTimestamp();
        RabbitMqServer server = await ServeAsync(FarmRpc.Service(new Farm("one")), ServerOptions, AddressAt(network.Port));
        Watchdog.Until(() => network.Connections >= 3, "three attempts");
        Assert.InRange(Stopwatch.GetElapsedTime(began).TotalSeconds, 4, double.PositiveInfinity); // 1 + 2, and at least half of each behind it
        network.LetGo();
        Watchdog.Until(() => server.IsConnected, "an answer");
        Assert.Equal("one", await (await ConnectAsync()).For<IFarm>().DoAsync(1, Cancel).AsTask().WaitAsync(Patience, Cancel));
    }

    [Fact]
    public async Task AServerThatWaitsIsRefusedAllTheSame()
    {
        ServerOptions.WaitForBroker = true;
        await FailsAsync(RpcStatus.Unauthenticated, () => RabbitMqServer.StartAsync(AddressAt(Broker.Port, host: "nowhere"), ServerOptions));
        RabbitMqServer waits = await RabbitMqServer.StartAsync(AddressAt(1), ServerOptions).WaitAsync(Patience, Cancel);
        await waits.StopAsync(Patience, Cancel).WaitAsync(Patience, Cancel); // nothing is in hand
    }

    [Fact]
    public void OptionsThatAreCopiedAreOnesOwn()
    {
        RabbitMqServerOptions server = new() { Handlers = new RpcServerOptions(), Prefetch = 3 };
        RabbitMqServerOptions copy = server.Copy();
        copy.Handlers!.MaxThreads = 77;
        copy.Prefetch = 4;
        Assert.Equal((3, new RpcServerOptions().MaxThreads), (server.Prefetch, server.Handlers.MaxThreads));
        RabbitMqClientOptions client = new() { StreamWindow = 3 };
        client.Copy().StreamWindow = 4;
        Assert.Equal(3, client.StreamWindow);
    }
}
