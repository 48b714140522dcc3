using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Tests;
using Ipc.Tcp.Tests;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>Code of the caller that takes its time where it is called, or does what it should not: it holds up itself, and neither its call nor anybody else.</summary>
public sealed class CallersCodeTests(BrokerProcess broker) : RabbitMqTest(broker)
{
    private readonly Sink _sink = new();

    /// <summary>A stream need not be asynchronous: one that waits for an answer in its thread gets it.</summary>
    [Fact]
    public async Task ASourceThatBlocksDoesNotHoldUpItsAnswers()
    {
        await ServeAsync(SinkRpc.Service(_sink));
        using SemaphoreSlim answered = new(1);
        Source source = new(5, (_, cancel) =>
        {
            answered.Wait(cancel);
            return default;
        });
        ISink client = (await ConnectAsync()).For<ISink>();
        Task<int> call = Task.Run(
            async () =>
            {
                int count = 0;
                await foreach (int item in client.Echo("", source, Cancel))
                {
                    Assert.Equal(++count, item);
                    answered.Release();
                }

                return count;
            },
            Cancel);
        Assert.Equal(5, await call.WaitAsync(Patience, Cancel));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ASourceThatBlocksDoesNotHoldUpTheEndOfItsCall(bool isDisposed)
    {
        await ServeAsync(SinkRpc.Service(_sink));
        using ManualResetEventSlim go = new();
        Source source = new(-1, (item, _) =>
        {
            if (item == 3)
                go.Wait(Cancel);
            return default;
        });
        RabbitMqClient client = await ConnectAsync();
        using CancellationTokenSource stop = new();
        Task<long> call = client.For<ISink>().TakeAsync("", source, stop.Token);
        Watchdog.Until(() => _sink.Seen == 2, "items to arrive");
        if (isDisposed)
            await client.DisposeAsync().AsTask().WaitAsync(Patience, Cancel);
        else
            await stop.CancelAsync();
        Exception? failure = await Record.ExceptionAsync(() => call.WaitAsync(Patience, Cancel));
        Assert.True(isDisposed ? failure is RpcCallException { Status: RpcStatus.Unavailable } : failure is OperationCanceledException, "ended with " + failure);
        Watchdog.Until(() => _sink is { Ended: 1, Cancelled: 1, Whole: 0 }, "the handler to be told");
        go.Set();
        Watchdog.Until(() => source.IsDisposed && source.IsCancelled, "the source to come back");
    }

    /// <summary>What a caller does after its wait, in the thread that ended it, may use the client from elsewhere, or wait for other calls of it.</summary>
    [Fact]
    public async Task WhatFollowsAnEndedCallHoldsUpNoDisposal()
    {
        await ServeAsync(SinkRpc.Service(_sink));
        RabbitMqClient client = await ConnectAsync();
        ISink sink = client.For<ISink>();
        Task<long> first = sink.TakeAsync("", OtherEndTests.Waiting(1), Cancel);
        Task<long> last = sink.TakeAsync("", OtherEndTests.Waiting(1), Cancel);
        Watchdog.Until(() => _sink.Seen == 2, "items to arrive");
        Task<bool> Follows(Task<long> own, Task<long> other) => Task.Run(
            async () =>
            {
                await Assert.ThrowsAsync<RpcCallException>(() => own).ConfigureAwait(false);
                Assert.True(Task.Run(() => client.IsConnected || true, Cancel).Wait(Patience, Cancel), "the client cannot be asked");
                return ((IAsyncResult)other).AsyncWaitHandle.WaitOne(Patience);
            },
            Cancel);
        Task<bool>[] follow = [Follows(first, last), Follows(last, first)];
        await Task.WhenAny(client.DisposeAsync().AsTask(), Task.Delay(Patience, Cancel));
        Assert.All(await Task.WhenAll(follow).WaitAsync(Patience, Cancel), Assert.True);
        Watchdog.Until(() => _sink is { Ended: 2, Cancelled: 2, Whole: 0 }, "the handlers to be told");
    }

    /// <summary>The broker came and went while somebody was told that it had come, and then the client went.</summary>
    [Fact]
    public async Task WhoWaitsForAConnectionLearnsThatNoneWillCome()
    {
        using BadNetwork network = new(Broker.EndPoint);
        using ManualResetEventSlim go = new();
        int told = 0;
        ClientOptions.ConnectionChanged = change =>
        {
            if (change.IsConnected && Interlocked.Increment(ref told) == 2)
                go.Wait(Patience, Cancel);
        };
        RabbitMqClient client = Mine(await RabbitMqClient.ConnectAsync(AddressAt(network.Port), ClientOptions, Cancel).WaitAsync(Patience, Cancel));
        network.Cut();
        Watchdog.Until(() => Volatile.Read(ref told) == 2, "the next connection");
        network.Refuses = true;
        network.Cut();
        Watchdog.Until(() => !client.IsConnected, "its end");
        Task waits = client.EnsureConnectedAsync(Timeout.InfiniteTimeSpan, Cancel);
        Task ends = client.DisposeAsync().AsTask();
        go.Set();
        await ends.WaitAsync(Patience, Cancel);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => waits.WaitAsync(Patience, Cancel));
    }

    /// <summary>The consumer has an item and does something else: the server need not wait for it.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AStreamEndsAtItsServerWhileItsConsumerIsElsewhere(bool ofEnumeration)
    {
        await ServeAsync(SinkRpc.Service(_sink));
        RabbitMqClient client = await ConnectAsync();
        using CancellationTokenSource stop = new();
        await using IAsyncEnumerator<int> items = client.For<ISink>().Echo("", OtherEndTests.Waiting(3), ofEnumeration ? Cancel : stop.Token)
            .GetAsyncEnumerator(ofEnumeration ? stop.Token : CancellationToken.None);
        Assert.True(await items.MoveNextAsync().AsTask().WaitAsync(Patience, Cancel));
        stop.Cancel();
        Watchdog.Until(() => _sink is { Ended: 1, Cancelled: 1 }, "the handler to be told");
        Exception? end = null;
        while (end is null)
            end = await Record.ExceptionAsync(async () => Assert.True(await items.MoveNextAsync().AsTask().WaitAsync(Patience, Cancel)));
        Assert.IsAssignableFrom<OperationCanceledException>(end);
    }

    /// <summary>It looks like an end of the call that could be tried again, and is none.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task WhatAReceiverOfMetadataThrowsIsNoEndOfTheCall(bool fails)
    {
        Farm farm = new("first");
        int told = 0;
        if (fails)
            farm.After = (_, _) => throw new RpcCallException(RpcStatus.NotFound, "not here");
        Mine(await RabbitMqServer.StartAsync(Address, ServerOptions, FarmRpc.Service(farm), SinkRpc.Service(_sink)).WaitAsync(Patience, Cancel));
        ClientOptions.Retry = new RpcRetryPolicy { Attempts = 3 };
        RpcCallException own = new(RpcStatus.Unavailable, "of the receiver");
        RabbitMqCaller caller = (await ConnectAsync()).Caller.WithAnswer(_ =>
        {
            told++;
            throw own;
        });
        Assert.Same(own, await FailsAsync(RpcStatus.Unavailable, () => caller.For<IFarm>().DoAgainAsync(1, Cancel).AsTask()));
        Assert.Equal((1, 1), (told, farm.All.Count));
        Assert.Same(own, await FailsAsync(RpcStatus.Unavailable, () => caller.For<ISink>().TakeAsync(fails ? "NotFound" : "", new Source(3), Cancel)));
        Assert.Equal((2, 1), (told, _sink.Begun));
    }

    /// <summary>Whoever disposes it, too, may rely on it.</summary>
    [Fact]
    public async Task ASecondDisposalWaitsForTheFirst()
    {
        using ManualResetEventSlim go = new();
        using ManualResetEventSlim isTold = new();
        ClientOptions.ConnectionChanged = _ =>
        {
            isTold.Set();
            go.Wait(Patience, Cancel);
        };
        RabbitMqClient client = RabbitMqClient.Create(Address, ClientOptions);
        Task connecting = client.EnsureConnectedAsync(Patience, Cancel);
        Assert.True(await Task.Run(() => isTold.Wait(Patience, Cancel), Cancel));
        Task first = client.DisposeAsync().AsTask();
        Task second = client.DisposeAsync().AsTask();
        await Task.Delay(100, Cancel);
        Assert.Equal((false, false), (first.IsCompleted, second.IsCompleted));
        go.Set();
        await Task.WhenAll(first, second).WaitAsync(Patience, Cancel);
        await connecting.ContinueWith(static _ => { }, TaskScheduler.Default).WaitAsync(Patience, Cancel);
    }

    /// <summary>Whoever takes its items by hand to the end, or to a failure, may forget to dispose what has ended.</summary>
    [Fact]
    public async Task WhatHasEndedIsNotCountedAnyMore()
    {
        await ServeAsync(SinkRpc.Service(_sink));
        ClientOptions.MaxPendingCalls = 3;
        ISink sink = (await ConnectAsync()).For<ISink>();
        for (int i = 0; i < 8; i++)
        {
            IAsyncEnumerator<int> items = sink.Echo(i % 2 == 0 ? "" : "NotFound", new Source(5), Cancel).GetAsyncEnumerator(Cancel);
            int count = 0;
            Exception? failure = await Record.ExceptionAsync(async () =>
            {
                while (await items.MoveNextAsync().AsTask().WaitAsync(Patience, Cancel))
                    count++;
            });
            Assert.Equal((i % 2 == 0 ? 5 : 3, i % 2 == 0 ? null : RpcStatus.NotFound), (count, (failure as RpcCallException)?.Status));
        }
    }
}
