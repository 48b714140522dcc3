using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;
using Ipc.Rpc.Tests;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>Streams both ways at once.</summary>
public sealed class DuplexTests(BrokerProcess broker) : RabbitMqTest(broker)
{
    private readonly Sink _sink = new();

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(20_000)]
    public async Task ItemsGoBothWaysInOrder(int count)
    {
        RabbitMqServer server = await ServeAsync(SinkRpc.Service(_sink), ServerOptions);
        RabbitMqCaller quick = (await ConnectAsync()).Caller.WithTimeout(TimeSpan.FromMilliseconds(1)); // which is not for streams
        Source source = new(count);
        int next = 0;
        await foreach (int item in quick.For<ISink>().Echo("", source, Cancel))
            Assert.Equal(++next, item);
        Assert.Equal(count, next);
        Assert.Equal((1, 0), (_sink.Whole, _sink.Cancelled));
        Watchdog.Until(() => source.IsDisposed && server.RequestsInHand == 0, "both ends to be done");
    }

    [Fact]
    public async Task TheDirectionsDoNotWaitForEachOther()
    {
        ISink client = await BothAsync();
        Channel<int> channel = Channel.CreateUnbounded<int>();
        await using IAsyncEnumerator<int> answers = client.Echo("", channel.Reader.ReadAllAsync(Cancel), Cancel).GetAsyncEnumerator(Cancel);
        for (int i = 1; i <= 200; i++)
        {
            channel.Writer.TryWrite(i);
            Assert.True(await answers.MoveNextAsync().AsTask().WaitAsync(Patience, Cancel));
            Assert.Equal(i, answers.Current);
        }

        channel.Writer.Complete();
        Assert.False(await answers.MoveNextAsync().AsTask().WaitAsync(Patience, Cancel));
    }

    /// <summary>A client that sends and does not read is held up by its own answers.</summary>
    [Fact]
    public async Task WhatNobodyReadsHoldsTheSourceUp()
    {
        RabbitMqServerOptions options = ServerOptions;
        options.StreamWindow = 16;
        options.Handlers = new RpcServerOptions { StreamWindow = 32 };
        await ServeAsync(SinkRpc.Service(_sink), options);
        RabbitMqClientOptions ofClient = ClientOptions;
        ofClient.StreamWindow = 8;
        ISink client = (await ConnectAsync(ofClient)).For<ISink>();
        Source source = new(2000);
        await using IAsyncEnumerator<int> answers = client.Echo("", source, Cancel).GetAsyncEnumerator(Cancel);
        Assert.True(await answers.MoveNextAsync().AsTask().WaitAsync(Patience, Cancel));
        const int Ahead = 8 + 64 + 32 + 16 + 16; // each window, and what is in hands
        Watchdog.Until(() => source.Produced >= 64, "the source to be ahead");
        for (int i = 0; i < 20; i++)
            Assert.Equal(1275, await client.TakeAsync("", new Source(50), Cancel).WaitAsync(Patience, Cancel)); // what it would send beside these
        Assert.InRange(source.Produced, 64, Ahead);
        int next = 1;
        while (await answers.MoveNextAsync())
            Assert.Equal(++next, answers.Current);
        Assert.Equal(2000, next);
    }

    [Fact]
    public async Task AnEarlyEndOfTheHandlerEndsTheSource()
    {
        ISink client = await BothAsync();
        Source source = new(-1);
        Assert.Equal([1, 2, 3], await AllAsync(client.Echo("three", source, Cancel)));
        Watchdog.Until(() => source.IsDisposed, "the source to be disposed");
        Assert.Equal([1, 2], await AllAsync(client.Echo("", new Source(2), Cancel)));
    }

    [Fact]
    public async Task AFailureInTheMiddleComesAfterTheItemsBeforeIt()
    {
        ISink client = await BothAsync();
        Source source = new(-1);
        List<int> items = [];
        await FailsAsync(RpcStatus.Aborted, () => AllAsync(client.Echo("Aborted", source, Cancel), items));
        Assert.Equal([1, 2, 3], items);
        Watchdog.Until(() => source.IsDisposed, "the source to be disposed");
    }

    [Fact]
    public async Task LeavingTheLoopEndsSourceAndHandler()
    {
        ISink client = await BothAsync();
        Source source = new(-1, static async (item, cancel) => await Task.Delay(item < 4 ? 0 : Timeout.Infinite, cancel));
        await foreach (int item in client.Echo("", source, Cancel))
        {
            if (item == 3)
                break;
        }

        Watchdog.Until(() => source.IsDisposed && source.IsCancelled && _sink is { Ended: 1, Cancelled: 1, Whole: 0 }, "source and handler to end");
    }

    [Fact]
    public async Task WhatTheSourceThrowsComesOutOfTheAnswers()
    {
        ISink client = await BothAsync();
        Exception thrown = new InvalidDataException("no third");
        Source source = new(-1, (item, _) => item < 3 ? default : throw thrown);
        Exception seen = await Assert.ThrowsAsync<InvalidDataException>(() => AllAsync(client.Echo("", source, Cancel)).WaitAsync(Patience, Cancel));
        Assert.Same(thrown, seen);
        Watchdog.Until(() => _sink.Ended == _sink.Begun && source.IsDisposed, "source and handler to end");
        Assert.Equal(0, _sink.Whole);
    }

    [Fact]
    public async Task CancellationEndsBothStreams()
    {
        ISink client = await BothAsync();
        using CancellationTokenSource cancel = new();
        Source source = new(-1, static async (item, token) => await Task.Delay(item < 4 ? 0 : Timeout.Infinite, token));
        OperationCanceledException ended = await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            await foreach (int item in client.Echo("", source, cancel.Token))
            {
                if (item == 3)
                    cancel.Cancel();
            }
        });
        Assert.Equal(cancel.Token, ended.CancellationToken);
        Watchdog.Until(() => source.IsDisposed && _sink is { Ended: 1, Cancelled: 1, Whole: 0 }, "source and handler to end");
    }

    [Fact]
    public async Task ADeadlineEndsBothStreams()
    {
        await ServeAsync(SinkRpc.Service(_sink));
        ISink client = (await ConnectAsync()).Caller.WithDeadline(Deadline.After(TimeSpan.FromSeconds(1))).For<ISink>();
        Source source = new(-1, static async (item, token) => await Task.Delay(item < 4 ? 0 : Timeout.Infinite, token));
        await FailsAsync(RpcStatus.DeadlineExceeded, () => AllAsync(client.Echo("", source, Cancel)));
        Watchdog.Until(() => source.IsDisposed && source.IsCancelled && _sink.Ended == _sink.Begun, "source and handler to end");
        Assert.Equal(0, _sink.Whole);
    }

    [Fact]
    public async Task EachEnumerationIsACallWithASourceOfItsOwn()
    {
        ISink client = await BothAsync();
        IAsyncEnumerable<int> both = client.Echo("", new Source(5), Cancel);
        Assert.Equal([1, 2, 3, 4, 5], await AllAsync(both));
        Assert.Equal([1, 2, 3, 4, 5], await AllAsync(both));
        Assert.Equal(2, _sink.Whole);
    }

    private async Task<ISink> BothAsync()
    {
        await ServeAsync(SinkRpc.Service(_sink));
        RabbitMqClientOptions options = ClientOptions;
        options.StreamLease = TimeSpan.FromHours(1); // nothing here ends by that
        return (await ConnectAsync(options)).For<ISink>();
    }

    private static async Task<List<int>> AllAsync(IAsyncEnumerable<int> items, List<int>? into = null)
    {
        List<int> all = into ?? [];
        await foreach (int item in items)
            all.Add(item);
        return all;
    }
}
