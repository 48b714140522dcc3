using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Tcp.Tests;
using Ipc.Testing.Drive;
using RabbitMQ.Client;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>Streams over a broker: in order, whole, no further ahead than their consumer lets them, and with an end whatever happens.</summary>
public sealed class StreamTests(BrokerProcess broker) : RabbitMqTest(broker)
{
    /// <summary>Of the client within the server's process, and what is in hands on the way.</summary>
    private const int Inside = 64 + 8;

    private readonly Tap _tap = new();

    private string Queue => "ipc." + Service;

    [Fact]
    public async Task ItemsComeInOrderAndTheMetadataAtTheEnd()
    {
        await ServeAsync(TapRpc.Service(_tap));
        RpcMetadata? told = null;
        ITap client = (await ConnectAsync()).Caller.WithAnswer(metadata => told = metadata).For<ITap>();
        List<int> items = [];
        await foreach (int item in client.Run(2000, "", Cancel))
        {
            Assert.Null(told);
            items.Add(item);
        }

        Assert.Equal(Enumerable.Range(0, 2000), items);
        Assert.Equal("at the end", told!.GetText("said"));
        Assert.Null(_tap.Mark);
        IAsyncEnumerable<int> none = client.Run(0, "", Cancel);
        Assert.Empty(await AllAsync(none));
        Assert.Empty(await AllAsync(none)); // a call of its own
        Assert.Equal(3, _tap.Ended);
        Assert.Equal(0, _tap.Cancelled);
    }

    [Fact]
    public async Task AHundredThousandItemsGatherNowhere()
    {
        await ServeAsync(TapRpc.Service(_tap));
        RabbitMqClientOptions options = ClientOptions;
        options.StreamWindow = 256;
        ITap client = (await ConnectAsync(options)).For<ITap>();
        await using IConnection connection = await OpenAsync();
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        int next = 0;
        await foreach (int item in client.Run(100_000, "", Cancel))
        {
            Assert.Equal(next++, item);
            _tap.Consume();
            if (next % 20_000 == 0)
                Assert.Equal(0u, await channel.MessageCountAsync(Queue, Cancel));
        }

        Assert.Equal(100_000, next);
        Assert.InRange(_tap.MostAhead, 1, 256 + Inside);
    }

    [Fact]
    public async Task ASlowConsumerStopsItsProducer()
    {
        await ServeAsync(TapRpc.Service(_tap));
        RabbitMqClientOptions options = ClientOptions;
        options.StreamWindow = 16;
        ITap client = (await ConnectAsync(options)).For<ITap>();
        await using IAsyncEnumerator<int> items = client.Run(1000, "", Cancel).GetAsyncEnumerator(Cancel);
        Assert.True(await items.MoveNextAsync());
        _tap.Consume();
        Watchdog.Until(() => _tap.Produced > 16, "the producer to be as far ahead as it may");
        for (int i = 0; i < 500; i++)
            Assert.Equal(i, client.Add(i, 0)); // what it would send beside these
        int count = 1;
        while (await items.MoveNextAsync())
        {
            _tap.Consume();
            count++;
        }

        Assert.Equal(1000, count);
        Assert.InRange(_tap.MostAhead, 16, 16 + Inside);
    }

    [Fact]
    public async Task LargeItemsCountByTheirBytes()
    {
        await ServeAsync(TapRpc.Service(_tap));
        ITap client = (await ConnectAsync()).For<ITap>();
        await using IAsyncEnumerator<byte[]> items = client.Blobs(300_000, 200, Cancel).GetAsyncEnumerator(Cancel);
        int count = 0;
        while (await items.MoveNextAsync())
        {
            Assert.Equal(300_000, items.Current.Length);
            if (count++ == 0)
            {
                for (int i = 0; i < 200; i++)
                    Assert.Equal(i, client.Add(i, 0));
            }

            _tap.Consume();
        }

        Assert.Equal(200, count);
        Assert.InRange(_tap.MostAhead, 1, 30); // 1 MiB on the way, up to 4 MiB within the server's process
    }

    [Theory]
    [InlineData("NotFound", RpcStatus.NotFound, null)]
    [InlineData("no luck", RpcStatus.Unknown, "System.InvalidOperationException")]
    public async Task AHandlersErrorComesAfterItsItems(string failure, RpcStatus status, string? type)
    {
        await ServeAsync(TapRpc.Service(_tap));
        ITap client = (await ConnectAsync()).For<ITap>();
        List<int> items = [];
        RpcCallException failed = await FailsAsync(status, () => AllAsync(client.Run(700, failure, Cancel), items));
        Assert.Equal(Enumerable.Range(0, 700), items);
        Assert.Equal((type, "tap.v1", "Run"), (failed.RemoteType, failed.Service, failed.Method));
        Assert.Equal(3, client.Add(1, 2));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task WhoeverStopsEndsTheHandler(bool byToken)
    {
        await ServeAsync(TapRpc.Service(_tap));
        RabbitMqClientOptions options = ClientOptions;
        options.StreamLease = TimeSpan.FromHours(1); // not by that
        RabbitMqClient client = await ConnectAsync(options);
        using CancellationTokenSource cancel = new();
        IAsyncEnumerator<int> items = client.For<ITap>().Run(10, "wait", cancel.Token).GetAsyncEnumerator(Cancel);
        for (int i = 0; i < 10; i++)
            Assert.True(await items.MoveNextAsync());
        if (byToken)
        {
            Task<bool> next = items.MoveNextAsync().AsTask();
            cancel.Cancel();
            OperationCanceledException ended = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => next.WaitAsync(Patience));
            Assert.Equal(cancel.Token, ended.CancellationToken);
        }

        await items.DisposeAsync();
        Watchdog.Until(() => _tap is { Ended: 1, Cancelled: 1 }, "the handler to be told");
    }

    [Fact]
    public async Task ADeadlineEndsTheStreamAndATimeoutDoesNot()
    {
        await ServeAsync(TapRpc.Service(_tap));
        RabbitMqClient client = await ConnectAsync();
        ITap limited = client.Caller.WithDeadline(Deadline.After(TimeSpan.FromSeconds(1))).For<ITap>();
        List<int> items = [];
        await FailsAsync(RpcStatus.DeadlineExceeded, () => AllAsync(limited.Run(5, "wait", Cancel), items));
        Assert.Equal(5, items.Count);
        Watchdog.Until(() => _tap.Ended == 1, "the handler to be told");
        RabbitMqCaller quick = client.Caller.WithTimeout(TimeSpan.FromMilliseconds(1));
        Assert.Equal(5000, (await AllAsync(quick.For<ITap>().Run(5000, "", Cancel))).Count);
    }

    /// <summary>As the end of the process would: the broker has nobody any more who owns the queue.</summary>
    [Fact]
    public async Task AServerThatGoesEndsTheStreamInTimeAndNothingBeginsItAnew()
    {
        using BadNetwork network = new(Broker.EndPoint);
        await ServeAsync(TapRpc.Service(_tap), address: AddressAt(network.Port));
        Tap other = new();
        RabbitMqClientOptions options = ClientOptions;
        options.StreamLease = TimeSpan.FromSeconds(3);
        options.WaitForReady = true;
        ITap client = (await ConnectAsync(options)).For<ITap>();
        await using IAsyncEnumerator<int> items = client.Run(10, "wait", Cancel).GetAsyncEnumerator(Cancel);
        for (int i = 0; i < 10; i++)
            Assert.True(await items.MoveNextAsync());
        await ServeAsync(TapRpc.Service(other));
        network.Refuses = true;
        network.Cut();
        RpcCallException failure = await FailsAsync(RpcStatus.Unavailable, async () => await items.MoveNextAsync());
        Assert.False(failure.IsUnsent);
        Assert.Contains("How far", failure.Message, StringComparison.Ordinal);
        Watchdog.Until(() => _tap.Ended == 1, "the handler to be told");
        Assert.Equal(0, other.Produced);
        Assert.Equal(3, client.Add(1, 2));
        Assert.Equal(0, other.Produced); // had it been in the queue, it would have begun before that
    }

    [Fact]
    public async Task AServerThatStopsSaysSo()
    {
        RabbitMqServer server = await ServeAsync(TapRpc.Service(_tap), ServerOptions);
        RabbitMqClientOptions options = ClientOptions;
        options.StreamLease = TimeSpan.FromHours(1);
        await using IAsyncEnumerator<int> items = (await ConnectAsync(options)).For<ITap>().Run(1, "wait", Cancel).GetAsyncEnumerator(Cancel);
        Assert.True(await items.MoveNextAsync());
        await server.StopAsync(TimeSpan.FromMilliseconds(50), Cancel);
        await FailsAsync(RpcStatus.Unavailable, async () => await items.MoveNextAsync());
        Assert.Equal(1, _tap.Ended);
    }

    /// <summary>Its handler waits for credit that does not come; the broker notices a client that is cut off at once, and one that is frozen late: neither tells the
    /// server.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task AClientThatGoesEndsTheHandler(bool isCut)
    {
        using BadNetwork network = new(Broker.EndPoint);
        RabbitMqServer server = await ServeAsync(TapRpc.Service(_tap), ServerOptions);
        RabbitMqClientOptions options = ClientOptions;
        options.StreamLease = TimeSpan.FromSeconds(2);
        options.StreamWindow = 8;
        ITap client = (await ConnectAsync(options, AddressAt(network.Port))).For<ITap>();
        IAsyncEnumerator<int> items = client.Run(int.MaxValue, "", Cancel).GetAsyncEnumerator(Cancel);
        Assert.True(await items.MoveNextAsync());
        if (isCut)
        {
            network.Refuses = true;
            network.Cut();
        }
        else
        {
            network.Hold();
        }

        Watchdog.Until(() => _tap.Ended == 1 && server.RequestsInHand == 0, "the handler to be told");
        Assert.InRange(_tap.Produced, 1, 8 + Inside);
        network.LetGo();
        await FailsAsync(RpcStatus.Unavailable, () => RestAsync(items));
        await items.DisposeAsync();
    }

    /// <summary>A client that only waits is there all the same.</summary>
    [Fact]
    public async Task AStreamLivesAsLongAsItsClientDoes()
    {
        RabbitMqServer server = await ServeAsync(TapRpc.Service(_tap), ServerOptions);
        RabbitMqClientOptions options = ClientOptions;
        options.StreamLease = TimeSpan.FromSeconds(6);
        await using IAsyncEnumerator<int> items = (await ConnectAsync(options)).For<ITap>().Run(1, "wait", Cancel).GetAsyncEnumerator(Cancel);
        Assert.True(await items.MoveNextAsync());
        Task<bool> next = items.MoveNextAsync().AsTask();
        long began = Stopwatch.GetTimestamp();
        Watchdog.Until(() => next.IsCompleted || Stopwatch.GetElapsedTime(began) > TimeSpan.FromSeconds(13), "two leases and more");
        Assert.False(next.IsCompleted);
        Assert.Equal(1, server.RequestsInHand);
        await server.DisposeAsync();
        await FailsAsync(RpcStatus.Unavailable, () => next);
    }

    [Fact]
    public async Task ABrokerThatGoesEndsTheStreamAndTheNextOneComes()
    {
        await HaveBrokerAloneAsync();
        await ServeAsync(TapRpc.Service(_tap));
        RabbitMqClientOptions options = ClientOptions;
        options.WaitForReady = true;
        ITap client = (await ConnectAsync(options)).For<ITap>();
        await using IAsyncEnumerator<int> items = client.Run(10, "wait", Cancel).GetAsyncEnumerator(Cancel);
        for (int i = 0; i < 10; i++)
            Assert.True(await items.MoveNextAsync());
        Broker.Kill();
        RpcCallException failure = await FailsAsync(RpcStatus.Unavailable, async () => await items.MoveNextAsync());
        Assert.False(failure.IsUnsent);
        Assert.Contains("not known", failure.Message, StringComparison.Ordinal);
        Watchdog.Until(() => _tap.Ended == 1, "the handler to be told");
        Broker.Restart();
        Broker.WaitUntilReady();
        Assert.Equal(50, (await AllAsync(client.Run(50, "", Cancel))).Count);
    }

    [Fact]
    public async Task AStreamTakesNoPlaceAmongTheRequestsInHand()
    {
        RabbitMqServerOptions options = ServerOptions;
        options.Prefetch = 1;
        options.MaxStreams = 2;
        await ServeAsync(TapRpc.Service(_tap), options);
        ITap client = (await ConnectAsync()).For<ITap>();
        await using IAsyncEnumerator<int> one = client.Run(1, "wait", Cancel).GetAsyncEnumerator(Cancel);
        await using IAsyncEnumerator<int> two = client.Run(1, "wait", Cancel).GetAsyncEnumerator(Cancel);
        Assert.True(await one.MoveNextAsync().AsTask().WaitAsync(Patience, Cancel));
        Assert.True(await two.MoveNextAsync().AsTask().WaitAsync(Patience, Cancel));
        Assert.Equal(3, client.Add(1, 2));
        RpcCallException failure = await FailsAsync(RpcStatus.ResourceExhausted, () => AllAsync(client.Run(1, "", Cancel)));
        Assert.Contains(nameof(RabbitMqServerOptions.MaxStreams), failure.Message, StringComparison.Ordinal);
        await one.DisposeAsync();
        Watchdog.Until(() => _tap.Ended == 1, "the first one to end");
    }

    /// <summary>The next attempt has the id of the first: nobody must have been told that it was cancelled.</summary>
    [Fact]
    public async Task WhatHasNotBegunIsTriedAgainIfThePolicySaysSo()
    {
        RabbitMqClientOptions options = ClientOptions;
        options.Retry = new RpcRetryPolicy { Attempts = 1000, FirstPause = TimeSpan.FromMilliseconds(20), LongestPause = TimeSpan.FromMilliseconds(50) };
        options.Retry.On.Add(RpcStatus.ResourceExhausted);
        RabbitMqCaller caller = (await ConnectAsync(options)).Caller;
        ITap client = caller.For<ITap>();
        Task<List<int>> all = AllAsync(client.Run(10, "", Cancel));
        RabbitMqServerOptions one = ServerOptions;
        one.MaxStreams = 1;
        await ServeAsync(TapRpc.Service(_tap), one);
        Assert.Equal(10, (await all.WaitAsync(Patience, Cancel)).Count);

        RpcMethod<byte[], byte[]> again = new("tap.v1", "Run", RpcMethodKind.ServerStream, Wire.Bytes, Wire.Bytes, isIdempotent: true);
        IAsyncEnumerator<int> first = client.Run(1, "wait", Cancel).GetAsyncEnumerator(Cancel);
        Assert.True(await first.MoveNextAsync());
        Task<List<byte[]>> second = AllAsync(caller.Stream(again, new byte[] { 0x08, 5 }, Cancel));
        for (int i = 0; i < 500; i++)
            Assert.Equal(i, client.Add(i, 0)); // it is refused meanwhile
        Assert.False(second.IsCompleted);
        await first.DisposeAsync();
        Assert.Equal(5, (await second.WaitAsync(Patience, Cancel)).Count);
    }

    [Fact]
    public async Task WithoutAServerItFailsAsACallDoes()
    {
        ITap client = (await ConnectAsync()).For<ITap>();
        Assert.True((await FailsAsync(RpcStatus.Unavailable, () => AllAsync(client.Run(1, "", Cancel)))).IsUnsent);
        await ServeAsync(FarmRpc.Service(new Farm("other")));
        await FailsAsync(RpcStatus.Unimplemented, () => AllAsync(client.Run(1, "", Cancel)));
        RabbitMqClient much = await ConnectAsync();
        await FailsAsync(
            RpcStatus.InvalidArgument,
            () => AllAsync(much.Caller.With(new RpcMetadata { { "long", new byte[20_000] } }).For<ITap>().Run(1, "", Cancel)));
    }

    [Fact]
    public async Task AnItemThatIsTooLongEndsTheStream()
    {
        RabbitMqServerOptions options = ServerOptions;
        options.MaxMessageBytes = 100_000;
        await ServeAsync(TapRpc.Service(_tap), options);
        ITap client = (await ConnectAsync()).For<ITap>();
        RpcCallException failure = await FailsAsync(RpcStatus.ResourceExhausted, async () => await client.Blobs(200_000, 2, Cancel).GetAsyncEnumerator(Cancel).MoveNextAsync());
        Assert.Contains("Item 1", failure.Message, StringComparison.Ordinal);
        Assert.Equal(3, client.Add(1, 2));
    }

    [Fact]
    public async Task WhatNoStreamCanBeIsSaidAtOnce()
    {
        foreach (RabbitMqClientOptions options in new RabbitMqClientOptions[]
        {
            new() { StreamWindow = 0 }, new() { StreamWindow = 65536 }, new() { StreamLease = TimeSpan.FromMilliseconds(999) }, new() { StreamLease = TimeSpan.FromHours(2) },
        })
        {
            await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => RabbitMqClient.ConnectAsync(Address, options, Cancel));
        }

        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => RabbitMqServer.StartAsync(Address, new RabbitMqServerOptions { MaxStreams = -1 }));
    }

    private static async Task RestAsync(IAsyncEnumerator<int> items)
    {
        while (await items.MoveNextAsync())
        {
        }
    }

    private static async Task<List<T>> AllAsync<T>(IAsyncEnumerable<T> items, List<T>? into = null)
    {
        List<T> all = into ?? [];
        await foreach (T item in items)
            all.Add(item);
        return all;
    }
}
