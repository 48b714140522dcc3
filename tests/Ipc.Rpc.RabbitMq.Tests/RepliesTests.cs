using System;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer.Interop;
using Ipc.Tcp.Tests;
using Ipc.Testing.Drive;
using RabbitMQ.Client;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>Whether a client that a broker may have lost still gets answers.</summary>
public sealed class RepliesTests : RabbitMqTest
{
    private const string Suspicion = "541, \"INTERNAL_ERROR\"";

    /// <summary>A frame of AMQP 0-9-1: connection.close of channel 0 with 541 and no text, for no method.</summary>
    private static ReadOnlySpan<byte> BrokersError => [1, 0, 0, 0, 0, 0, 11, 0, 10, 0, 50, 2, 29, 0, 0, 0, 0, 0, 0xCE];

    public RepliesTests(BrokerProcess broker)
        : base(broker)
    {
    }

    /// <summary>Wherever the network fails while somebody asks: RabbitMQ's own client says of some of that what a broker says of a client that has gone.</summary>
    [Fact]
    public async Task ANetworkThatFailsMakesNobodyOneThatHasGone()
    {
        using BadNetwork network = new(Broker.EndPoint);
        using Replies replies = RepliesBy(network);
        await using IConnection client = await OpenAsync();
        string queue = await QueueOfAsync(client);
        for (int bytes = 8; bytes < 1_400; bytes += 8)
        {
            await SuspectAsync(replies, queue);
            network.CutAfter(bytes);
            Assert.True(await replies.IsThereAsync(queue, Cancel).AsTask().WaitAsync(Patience, Cancel), $"cut after {bytes} bytes");
        }
    }

    [Fact]
    public async Task AnAnswerWaitsUntilItIsKnownWhetherSomebodyIsThere()
    {
        using BadNetwork network = new(Broker.EndPoint) { Refuses = true };
        using Replies replies = RepliesBy(network);
        IConnection client = await OpenAsync();
        string queue = await QueueOfAsync(client);
        await SuspectAsync(replies, queue);
        using CancellationTokenSource linkEnds = new();
        Task<bool> given = replies.IsThereAsync(queue, linkEnds.Token).AsTask(), kept = replies.IsThereAsync(queue, Cancel).AsTask();
        Watchdog.Until(() => network.Connections > 30, "the broker to be asked again and again");
        Assert.False(given.IsCompleted || kept.IsCompleted);
        await linkEnds.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => given.WaitAsync(Patience, Cancel));
        network.Refuses = false;
        Assert.True(await kept.WaitAsync(Patience, Cancel));

        await SuspectAsync(replies, queue);
        await client.DisposeAsync();
        Assert.False(await replies.IsThereAsync(queue, Cancel).AsTask().WaitAsync(Patience, Cancel));
    }

    /// <summary>The server gets on with its work, and its answer comes as soon as somebody can be asked; or another server gives it, if that one's connection ends before.</summary>
    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task ACallIsAnsweredHoweverOftenNobodyCouldBeAsked(bool isCpp, bool servesToTheEnd)
    {
        if (isCpp)
            Cpp.Require();
        using BadNetwork network = new(Broker.EndPoint);
        using RegionDirectory kept = new();
        using OtherProcess? server = isCpp ? Cpp.Server(AddressAt(network.Port), kept.Path + "/handled", "one") : null;
        if (!isCpp)
            await ServeAsync(FarmRpc.Service(new Farm("one")), address: AddressAt(network.Port));
        RabbitMqClientOptions options = ClientOptions;
        options.Retry = new RpcRetryPolicy { Attempts = 50, FirstPause = TimeSpan.FromMilliseconds(20), LongestPause = TimeSpan.FromMilliseconds(100) };
        IFarm client = (await ConnectAsync(options)).For<IFarm>(), another = (await ConnectAsync(options)).For<IFarm>();
        network.RefusesWhoSays = "look after a client of";
        Task<string> call;
        do
        {
            Assert.Equal("one", await client.DoAgainAsync(1, Cancel).AsTask().WaitAsync(Patience, Cancel));
            network.Say(BrokersError); // soon enough after that answer, or else again
            call = client.DoAgainAsync(2, Cancel).AsTask();
            Watchdog.Until(() => network.Refusals > 20 || call.IsCompleted, "the server to ask again and again");
        }
        while (call.IsCompletedSuccessfully);
        Assert.False(call.IsCompleted);
        Assert.Equal("one", await another.DoAgainAsync(3, Cancel).AsTask().WaitAsync(Patience, Cancel));
        if (servesToTheEnd)
        {
            network.RefusesWhoSays = null;
        }
        else
        {
            await ServeAsync(FarmRpc.Service(new Farm("two")));
            network.Refuses = true;
            network.Cut();
        }

        string who = servesToTheEnd ? "one" : "two";
        Assert.Equal(who, await call.WaitAsync(Patience, Cancel));
        Assert.Equal(who, await client.DoAgainAsync(4, Cancel).AsTask().WaitAsync(Patience, Cancel));
    }

    /// <summary>Its letter waits as well: it would be buried by each connection anew. And its answer is not lost when it has been acknowledged.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task WhatCameTooOftenIsBuriedOnceAndAnsweredHoweverOftenNobodyCouldBeAsked(bool isCpp)
    {
        if (isCpp)
            Cpp.Require();
        using BadNetwork network = new(Broker.EndPoint);
        using OtherProcess? cpp = isCpp ? Cpp.Server(AddressAt(network.Port), "deliveries", "4") : null;
        ServerOptions.MaxDeliveries = 4;
        RabbitMqServer? server = isCpp ? null : await ServeAsync(TestsRpc.Service(new ManagedTests()), ServerOptions, AddressAt(network.Port));
        ClientOptions.WaitForReady = true; // the connections go so often that nobody may be there for a while
        ITests client = (await ConnectAsync()).For<ITests>();
        network.RefusesWhoSays = "look after a client of";
        Task<Blob> call;
        do
        {
            await client.EchoAsync(new Blob { Data = [1] }, Cancel).WaitAsync(Patience, Cancel);
            network.Say(BrokersError); // soon enough after that answer, or else again
            call = client.EchoAsync(new Blob { Data = [2] }, Cancel);
            Watchdog.Until(() => network.Refusals > 5 || call.IsCompleted, "the server to ask again and again");
        }
        while (call.IsCompletedSuccessfully);
        for (int cuts = 0; cuts < 8; cuts++) // each is a delivery: half of them are more than may be
        {
            int before = network.Refusals;
            network.Cut();
            Watchdog.Until(() => network.Refusals > before + 3, "it to come again, and the server to ask");
        }

        Assert.False(call.IsCompleted);
        Assert.Equal(0, server?.DeadLetters ?? 0);
        network.RefusesWhoSays = null;
        RpcCallException failure = await FailsAsync(RpcStatus.Aborted, () => call);
        Assert.Contains(".dead", failure.Message, StringComparison.Ordinal);
        await using IConnection connection = await OpenAsync();
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        Assert.Equal(1u, (await channel.QueueDeclarePassiveAsync("ipc." + Service + ".dead", Cancel)).MessageCount);
    }

    private Replies RepliesBy(BadNetwork network) => new(
        RabbitMqAddress.Parse(AddressAt(network.Port)),
        new RabbitMqServerOptions { FirstPause = TimeSpan.FromMilliseconds(1), LongestPause = TimeSpan.FromMilliseconds(10) });

    /// <summary>As a client declares its own: exclusive, gone with its connection.</summary>
    private static async Task<string> QueueOfAsync(IConnection client)
    {
        IChannel channel = await client.CreateChannelAsync(cancellationToken: Cancel);
        return await channel.QueueDeclareAsync(cancellationToken: Cancel);
    }

    private static async Task SuspectAsync(Replies replies, string queue)
    {
        Assert.True(await replies.IsThereAsync(queue, Cancel));
        replies.Ended(Suspicion);
    }
}
