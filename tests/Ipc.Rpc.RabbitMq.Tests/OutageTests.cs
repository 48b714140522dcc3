using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Tcp.Tests;
using Ipc.Testing.Drive;
using RabbitMQ.Client;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>A broker that is there and takes nothing, a network that says nothing, and a message that the broker does not take.</summary>
public sealed class OutageTests(BrokerProcess broker) : RabbitMqTest(broker)
{
    private readonly ConcurrentQueue<Farm.Handled> _all = new();

    /// <summary>Too little memory, or too little room on its disk: it reads nothing more from who sends, and says so.</summary>
    [Theory]
    [InlineData("memory")]
    [InlineData("disk")]
    public async Task AnAlarmHoldsCallsUpAndLosesNone(string resource)
    {
        await HaveBrokerAloneAsync();
        await ServeAsync(FarmRpc.Service(new Farm("one") { All = _all }));
        RabbitMqClient client = await ConnectAsync();
        IFarm farm = client.For<IFarm>();
        await farm.DoAsync(0, Cancel);
        await farm.NoteAsync(1, Cancel);
        SetAlarm(resource);
        Task[] calls;
        try
        {
            calls = [.. Enumerable.Range(2, 20).Select(number => number % 2 == 0 ? farm.NoteAsync(number, Cancel) : farm.DoAsync(number, Cancel).AsTask())];
            await FailsAsync(RpcStatus.DeadlineExceeded, () => client.Caller.WithTimeout(TimeSpan.FromMilliseconds(300)).For<IFarm>().DoAsync(100, Cancel).AsTask());
            using CancellationTokenSource stop = new(TimeSpan.FromMilliseconds(300));
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => farm.NoteAsync(101, stop.Token).WaitAsync(Patience, Cancel));
            Assert.All(calls, static call => Assert.False(call.IsCompleted));
        }
        finally
        {
            Broker.Evaluate($"rabbit_alarm:clear_alarm({{resource_limit, {resource}, node()}}).");
        }

        await Task.WhenAll(calls).WaitAsync(Patience, Cancel);
        Watchdog.Until(() => Enumerable.Range(0, 22).All(number => _all.Any(one => one.Number == number)), "all to be handled");
        Assert.DoesNotContain(_all, static one => one.IsMarked);
    }

    /// <summary>The broker's connections know of it when this returns; rabbit_alarm:set_alarm itself does not wait for them, and some messages still got through.</summary>
    private void SetAlarm(string resource) => Broker.Evaluate($"gen_event:sync_notify(rabbit_alarm, {{set_alarm, {{{{resource_limit, {resource}, node()}}, []}}}}).");

    [Fact]
    public async Task WhoIsDisposedDuringAnAlarmEnds()
    {
        await HaveBrokerAloneAsync();
        RabbitMqServer server = await ServeAsync(FarmRpc.Service(new Farm("one")));
        RabbitMqClient client = await ConnectAsync();
        await client.For<IFarm>().DoAsync(0, Cancel);
        SetAlarm("memory");
        try
        {
            Task<string> call = client.For<IFarm>().DoAsync(1, Cancel).AsTask();
            await Task.Delay(100, Cancel); // it is on its way
            await Task.WhenAll(client.DisposeAsync().AsTask(), server.DisposeAsync().AsTask()).WaitAsync(Patience, Cancel);
            await FailsAsync(RpcStatus.Unavailable, () => call);
        }
        finally
        {
            Broker.Evaluate("rabbit_alarm:clear_alarm({resource_limit, memory, node()}).");
        }
    }

    /// <summary>Nothing is reset, and nothing comes: both sides find out by the heartbeat.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ANetworkThatIsSilentForLongerThanTheHeartbeatIsGivenUp(bool ofServer)
    {
        using BadNetwork network = new(Broker.EndPoint);
        using SemaphoreSlim begun = new(0), go = new(0);
        Farm slow = new("slow")
        {
            All = _all,
            After = async (number, cancel) =>
            {
                begun.Release();
                if (number == 1)
                    await go.WaitAsync(cancel);
            },
        };
        ServerOptions.Heartbeat = ClientOptions.Heartbeat = TimeSpan.FromSeconds(1);
        RabbitMqServer server = await ServeAsync(FarmRpc.Service(slow), address: ofServer ? AddressAt(network.Port) : Address);
        RabbitMqClient client = await ConnectAsync(address: ofServer ? Address : AddressAt(network.Port));
        Task<string> call = client.For<IFarm>().DoAsync(1, Cancel).AsTask();
        Assert.True(await begun.WaitAsync(Patience, Cancel));
        network.Hold();
        if (ofServer)
        {
            await ServeAsync(FarmRpc.Service(new Farm("other") { All = _all }));
            Assert.Equal("other", await call.WaitAsync(Patience, Cancel)); // marked
            Assert.Equal([false, true], _all.Select(static one => one.IsMarked));
        }
        else
        {
            RpcCallException failure = await FailsAsync(RpcStatus.Unavailable, () => call);
            Assert.False(failure.IsUnsent); // it was handled, but that the client cannot know
        }

        network.LetGo();
        go.Release();
        Watchdog.Until(() => server.IsConnected && client.IsConnected, "both to come back");
        Assert.Contains(await client.For<IFarm>().DoAsync(2, Cancel).AsTask().WaitAsync(Patience, Cancel), new[] { "slow", "other" });
    }

    /// <summary>A broker ends the channel on which it comes, and says only then how much it takes. From then on nothing like that is sent.</summary>
    [Fact]
    public async Task AMessageThatTheBrokerDoesNotTakeEndsItsCallAndIsNotSentAgain()
    {
        await HaveBrokerAloneAsync();
        await WithLimitAsync(async () =>
        {
            Sink sink = new();
            RabbitMqServer server = await ServeAsync(SinkRpc.Service(sink));
            ClientOptions.Retry = new RpcRetryPolicy { Attempts = 3 };
            ConcurrentQueue<RabbitMqConnectionChange> told = new();
            ClientOptions.ConnectionChanged = told.Enqueue;
            ClientOptions.WaitForReady = true;
            ISink client = (await ConnectAsync()).For<ISink>();
            for (int i = 0; i < 3; i++)
            {
                RpcCallException failure = await FailsAsync(RpcStatus.ResourceExhausted, () => client.WeighAsync(new string('x', 200_000), NoItems(), Cancel));
                Assert.Contains("the broker takes at most 100000", failure.Message, StringComparison.Ordinal);
                Assert.True(failure.IsUnsent);
                Assert.Equal(0, await client.WeighAsync("", NoItems(), Cancel).WaitAsync(Patience, Cancel));
            }

            Assert.Equal(3, sink.Begun);
            Assert.Single(told, static change => !change.IsConnected); // the first of the three has cost a connection
        });
    }

    /// <summary>A one-way call has a channel of its own, and nobody answers it.</summary>
    [Fact]
    public async Task AOneWayCallThatTheBrokerDoesNotTakeIsNotSentAgain()
    {
        await HaveBrokerAloneAsync();
        await WithLimitAsync(async () =>
        {
            Tap tap = new();
            await ServeAsync(TapRpc.Service(tap));
            ClientOptions.Retry = new RpcRetryPolicy { Attempts = 3 };
            ClientOptions.WaitForReady = true;
            ConcurrentQueue<RabbitMqConnectionChange> told = new();
            ClientOptions.ConnectionChanged = told.Enqueue;
            ITap client = (await ConnectAsync()).For<ITap>();
            for (int i = 0; i < 3; i++)
            {
                RpcCallException failure = await FailsAsync(RpcStatus.ResourceExhausted, () => client.DropAsync(new byte[200_000], Cancel));
                Assert.Contains("the broker takes at most 100000", failure.Message, StringComparison.Ordinal);
                await client.DropAsync(new byte[1000], Cancel).WaitAsync(Patience, Cancel);
            }

            Watchdog.Until(() => tap.Dropped == 3, "the small ones to be handled");
            Assert.Single(told, static change => !change.IsConnected);
        });
    }

    /// <summary>It costs the server its connection, once: the request comes again, and what the handler returns then is an error.</summary>
    [Fact]
    public async Task AnAnswerThatTheBrokerDoesNotTakeIsAnError()
    {
        await HaveBrokerAloneAsync();
        await WithLimitAsync(async () =>
        {
            await ServeAsync(FarmRpc.Service(new Farm(new string('x', 200_000)) { All = _all }));
            IFarm client = (await ConnectAsync()).For<IFarm>();
            for (int i = 0; i < 3; i++)
            {
                RpcCallException failure = await FailsAsync(RpcStatus.ResourceExhausted, () => client.DoAsync(i, Cancel).AsTask());
                Assert.Contains("the broker takes at most 100000", failure.Message, StringComparison.Ordinal);
            }

            Assert.Equal([(0, false), (0, true), (1, false), (2, false)], _all.Select(static one => (one.Number, one.IsMarked)));
        });
    }

    /// <summary>Of a stream the first one costs the connection, and with it the stream; the next stream is told.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AnItemThatTheBrokerDoesNotTakeIsNotSentAgain(bool ofServer)
    {
        await HaveBrokerAloneAsync();
        await WithLimitAsync(async () =>
        {
            Mine(await RabbitMqServer.StartAsync(Address, ServerOptions, TapRpc.Service(new Tap()), SinkRpc.Service(new Sink())).WaitAsync(Patience, Cancel));
            ClientOptions.WaitForReady = true;
            RabbitMqClient client = await ConnectAsync();
            Func<Task> stream = ofServer ? TakeAsync : () => client.For<ISink>().WeighAsync("", Large(), Cancel);
            await FailsAsync(RpcStatus.Unavailable, stream);
            for (int i = 0; i < 3; i++)
            {
                RpcCallException failure = await FailsAsync(RpcStatus.ResourceExhausted, stream);
                Assert.Contains("the broker takes at most 100000", failure.Message, StringComparison.Ordinal);
            }

            async Task TakeAsync()
            {
                await foreach (byte[] blob in client.For<ITap>().Blobs(200_000, 3, Cancel))
                    Assert.Fail($"{blob.Length} bytes came");
            }
        });
    }

    /// <summary>It is larger than its server takes, and the broker takes it.</summary>
    [Fact]
    public async Task ADeadLetterKeepsItsBody()
    {
        TaskCompletionSource<RabbitMqDeadLetter> told = new();
        (ServerOptions.MaxMessageBytes, ServerOptions.DeadLettered) = (1000, told.SetResult);
        await ServeAsync(TapRpc.Service(new Tap()));
        await (await ConnectAsync()).For<ITap>().DropAsync(new byte[200_000], Cancel);
        RabbitMqDeadLetter letter = await told.Task.WaitAsync(Patience, Cancel);
        Assert.StartsWith("failed: ResourceExhausted", letter.Reason, StringComparison.Ordinal);
        Assert.True(await DeadAsync() > 200_000);
    }

    /// <summary>It lay in the queue when the broker's limit was lowered: else it would come again for ever.</summary>
    [Fact]
    public async Task WhatTheBrokerDoesNotTakeAnyMoreIsSetAsideWithoutItsBody()
    {
        await HaveBrokerAloneAsync();
        TaskCompletionSource<RabbitMqDeadLetter> told = new();
        RabbitMqServer former = await ServeAsync(TapRpc.Service(new Tap()));
        RabbitMqClient client = await ConnectAsync();
        await former.StopAsync(TimeSpan.Zero, Cancel);
        await client.For<ITap>().DropAsync(new byte[200_000], Cancel); // waits for a server
        await WithLimitAsync(async () =>
        {
            (ServerOptions.MaxMessageBytes, ServerOptions.DeadLettered) = (1000, told.SetResult);
            await ServeAsync(TapRpc.Service(new Tap()));
            RabbitMqDeadLetter letter = await told.Task.WaitAsync(Patience, Cancel);
            Assert.Matches("^failed: its 2[0-9]{5} bytes are more than the broker takes by now, and are gone. ResourceExhausted", letter.Reason);
            Assert.Equal(0, await DeadAsync());
        });
    }

    /// <returns>How many bytes the one dead letter has.</returns>
    private async Task<int> DeadAsync()
    {
        await using IConnection connection = await OpenAsync();
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        BasicGetResult dead = (await channel.BasicGetAsync("ipc." + Service + ".dead", true, Cancel))!;
        Assert.Null(await channel.BasicGetAsync("ipc." + Service + ".dead", true, Cancel));
        return dead.Body.Length;
    }

    private static async IAsyncEnumerable<byte[]> Large()
    {
        await Task.Yield();
        yield return new byte[200_000];
    }

    private async Task WithLimitAsync(Func<Task> test)
    {
        Broker.Evaluate("application:set_env(rabbit, max_message_size, 100000).");
        try
        {
            await test();
        }
        finally
        {
            Broker.Evaluate("application:set_env(rabbit, max_message_size, 134217728).");
        }
    }

    private static async IAsyncEnumerable<byte[]> NoItems()
    {
        await Task.CompletedTask;
        yield break;
    }
}
