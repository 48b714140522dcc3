using System;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Tcp.Tests;
using Ipc.Testing.Drive;
using RabbitMQ.Client;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>Whether a client that a broker may have lost still gets answers.</summary>
public sealed class RepliesTests : RabbitMqTest
{
    private const string Suspicion = "541, \"INTERNAL_ERROR\"";

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
