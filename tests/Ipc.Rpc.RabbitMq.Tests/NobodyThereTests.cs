using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Tests;
using Ipc.Testing.Drive;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>Calls for which there is no server yet, no queue, or one that takes nothing.</summary>
public sealed class NobodyThereTests(BrokerProcess broker) : RabbitMqTest(broker)
{
    private string Queue => "ipc." + Service;

    /// <summary>It is full; a queue without a leader refuses in the same way. Nobody would ever answer.</summary>
    [Fact]
    public async Task CallsEndThatTheQueueRefuses()
    {
        await using IConnection connection = await OpenAsync();
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        await channel.QueueDeclareAsync(
            Queue, durable: true, exclusive: false, autoDelete: true,
            new Dictionary<string, object?> { ["x-max-length"] = 1, ["x-overflow"] = "reject-publish" }, cancellationToken: Cancel);
        await channel.BasicQosAsync(0, 1, false, Cancel);
        using SemaphoreSlim got = new(0);
        AsyncEventingBasicConsumer consumer = new(channel);
        consumer.ReceivedAsync += (_, _) => Task.FromResult(got.Release());
        await channel.BasicConsumeAsync(Queue, autoAck: false, consumer, Cancel);
        RabbitMqClient client = await ConnectAsync();
        Task<string> held = client.For<IFarm>().DoAsync(1, Cancel).AsTask();
        Assert.True(await got.WaitAsync(Patience, Cancel));
        Task<string> waiting = client.For<IFarm>().DoAsync(2, Cancel).AsTask();
        while ((await channel.QueueDeclarePassiveAsync(Queue, Cancel)).MessageCount == 0)
            await Task.Delay(5, Cancel);
        Func<Task>[] calls =
        [
            () => client.For<ISink>().TakeAsync("", new Source(3), Cancel),
            () => CountAsync(client.For<ISink>().Echo("", new Source(3), Cancel)),
            () => client.For<IFarm>().DoAsync(3, Cancel).AsTask(),
            () => client.For<IFarm>().NoteAsync(4, Cancel),
        ];
        foreach (Func<Task> call in calls)
        {
            RpcCallException failure = await FailsAsync(RpcStatus.Unavailable, call);
            Assert.Contains("negative confirm", failure.Message, StringComparison.Ordinal);
            Assert.False(failure.IsUnsent); // a broker that fails while it takes a message says the same
        }

        Assert.False(held.IsCompleted || waiting.IsCompleted, "the broker has these");
        await client.DisposeAsync();
        await FailsAsync(RpcStatus.Unavailable, () => held);
        await FailsAsync(RpcStatus.Unavailable, () => waiting);
    }

    /// <summary>What a broker does with a queue that is full unless it is told otherwise; the guide says how.</summary>
    [Fact]
    public async Task AQueueThatIsFullAndDoesNotRefuseDropsTheOldestAlthoughTheyWereConfirmed()
    {
        await using IConnection connection = await OpenAsync();
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        await channel.QueueDeclareAsync(
            Queue, durable: true, exclusive: false, autoDelete: false, new Dictionary<string, object?> { ["x-max-length"] = 2 }, cancellationToken: Cancel);
        IFarm farm = (await ConnectAsync()).For<IFarm>();
        for (int number = 1; number <= 5; number++)
            await farm.NoteAsync(number, Cancel);
        foreach (byte left in new byte[] { 4, 5 })
            Assert.Equal([8, left], (await channel.BasicGetAsync(Queue, true, Cancel))!.Body.ToArray());
        Assert.Null(await channel.BasicGetAsync(Queue, true, Cancel));
    }

    private static async Task<int> CountAsync(IAsyncEnumerable<int> items)
    {
        int count = 0;
        await foreach (int item in items)
            count++;
        return count;
    }

    /// <summary>No server of the service has ever run there: the broker has no queue for it, and sends all back.</summary>
    [Fact]
    public async Task CallsWaitForTheFirstServerOfAll()
    {
        RabbitMqClientOptions options = ClientOptions;
        options.WaitForReady = true;
        options.Retry = new RpcRetryPolicy { Attempts = 2 }; // these are no attempts
        await using RabbitMqClient client = await ConnectAsync(options);
        Sink sink = new();
        Task[] calls =
        [
            client.For<ISink>().TakeAsync("", new Source(3), Cancel),
            CountAsync(client.For<ISink>().Echo("", new Source(3), Cancel)),
            client.For<IFarm>().DoAsync(1, Cancel).AsTask(),
            client.For<IFarm>().NoteAsync(2, Cancel),
        ];
        using CancellationTokenSource gaveUp = new();
        Task<string> other = client.For<IFarm>().DoAsync(3, gaveUp.Token).AsTask();
        await FailsAsync(
            RpcStatus.DeadlineExceeded,
            () => client.Caller.WithTimeout(TimeSpan.FromSeconds(1)).For<IFarm>().DoAsync(4, Cancel).AsTask());
        gaveUp.Cancel();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => other.WaitAsync(Patience, Cancel));
        Assert.DoesNotContain(calls, static call => call.IsCompleted);
        Farm farm = new("first");
        Mine(await RabbitMqServer.StartAsync(Address, ServerOptions, FarmRpc.Service(farm), SinkRpc.Service(sink)));
        await Task.WhenAll(calls).WaitAsync(Patience, Cancel);
        Watchdog.Until(() => farm.All.Count >= 2, "both to be handled");
        Assert.Equal([1, 2], farm.All.Select(static one => one.Number).Order());
    }

    /// <summary>They are as many as any others, however they wait.</summary>
    [Fact]
    public async Task CallsThatWaitAreCounted()
    {
        RabbitMqClientOptions options = ClientOptions;
        (options.WaitForReady, options.MaxPendingCalls) = (true, 3);
        RabbitMqClient client = await ConnectAsync(options);
        Sink sink = new();
        Task[] calls =
        [
            client.For<ISink>().TakeAsync("", new Source(3), Cancel),
            client.For<IFarm>().DoAsync(1, Cancel).AsTask(),
            client.Caller.WithTimeout(Timeout.InfiniteTimeSpan).For<IFarm>().NoteAsync(2, Cancel), // another view counts for the same client
        ];
        RpcCallException failure = await FailsAsync(RpcStatus.ResourceExhausted, () => client.For<IFarm>().DoAsync(3, Cancel).AsTask());
        Assert.True(failure.IsUnsent);
        Assert.Contains(nameof(RabbitMqClientOptions.MaxPendingCalls), failure.Message, StringComparison.Ordinal);
        Assert.DoesNotContain(calls, static call => call.IsCompleted);
        Mine(await RabbitMqServer.StartAsync(Address, ServerOptions, FarmRpc.Service(new Farm("first")), SinkRpc.Service(sink)));
        await Task.WhenAll(calls).WaitAsync(Patience, Cancel);
        for (int i = 0; i < 2; i++) // none was counted for ever
            await Task.WhenAll(Enumerable.Range(0, 3).Select(number => client.For<IFarm>().DoAsync(number, Cancel).AsTask())).WaitAsync(Patience, Cancel);
    }
}
