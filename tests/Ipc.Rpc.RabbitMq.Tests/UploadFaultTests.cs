using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Tests;
using Ipc.Tcp.Tests;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>What goes between a client that sends a stream and its handler, alone or in both directions: no handler takes a part for the whole, and nobody waits for
/// ever.</summary>
public sealed class UploadFaultTests(BrokerProcess broker) : RabbitMqTest(broker)
{
    private readonly Sink _sink = new();

    /// <summary>As the end of the process would: the broker sends the next item back, or the next sign of life.</summary>
    [Theory]
    [InlineData(false, true)]
    [InlineData(false, false)]
    [InlineData(true, true)]
    [InlineData(true, false)]
    public async Task AServerThatGoesEndsTheCallAndNobodyBeginsItAnew(bool both, bool sends)
    {
        using BadNetwork network = new(Broker.EndPoint);
        await ServeAsync(SinkRpc.Service(_sink), address: AddressAt(network.Port));
        Sink other = new();
        RabbitMqClientOptions options = ClientOptions;
        options.StreamLease = TimeSpan.FromSeconds(3); // one that sends may have no credit left when its server goes
        options.WaitForReady = true;
        ISink client = (await ConnectAsync(options)).For<ISink>();
        Source source = OtherEndTests.Waiting(sends ? int.MaxValue : 10);
        Task call = CallAsync(client, both, source, Cancel);
        Watchdog.Until(() => _sink.Seen >= 10, "items to arrive");
        await ServeAsync(SinkRpc.Service(other));
        network.Refuses = true;
        network.Cut();
        RpcCallException failure = await FailsAsync(RpcStatus.Unavailable, () => call);
        Assert.False(failure.IsUnsent);
        Assert.Contains("How far", failure.Message, StringComparison.Ordinal);
        Watchdog.Until(() => _sink is { Ended: 1, Cancelled: 1, Whole: 0 } && source.IsDisposed && (source.IsCancelled || sends), "handler and source to be told");
        Assert.Equal(3, await client.TakeAsync("", new Source(2), Cancel).WaitAsync(Patience, Cancel));
        Assert.Equal(1, other.Begun); // had the first been in the queue, it would have begun before that
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AServerThatStopsSaysSo(bool both)
    {
        RabbitMqServer server = await ServeAsync(SinkRpc.Service(_sink), ServerOptions);
        RabbitMqClientOptions options = ClientOptions;
        options.StreamLease = TimeSpan.FromHours(1);
        Source source = OtherEndTests.Waiting(10);
        Task call = CallAsync((await ConnectAsync(options)).For<ISink>(), both, source, Cancel);
        Watchdog.Until(() => _sink.Seen == 10, "items to arrive");
        await server.StopAsync(TimeSpan.FromMilliseconds(50), Cancel);
        await FailsAsync(RpcStatus.Unavailable, () => call);
        Assert.Equal((1, 0), (_sink.Ended, _sink.Whole));
        Watchdog.Until(() => source.IsDisposed && source.IsCancelled, "the source to be told");
    }

    /// <summary>The broker notices a client that is cut off at once, and one that is frozen late: neither tells the server.</summary>
    [Theory]
    [InlineData(false, true)]
    [InlineData(false, false)]
    [InlineData(true, true)]
    [InlineData(true, false)]
    public async Task AClientThatGoesEndsTheHandler(bool both, bool isCut)
    {
        using BadNetwork network = new(Broker.EndPoint);
        RabbitMqServer server = await ServeAsync(SinkRpc.Service(_sink), ServerOptions);
        RabbitMqClientOptions options = ClientOptions;
        options.StreamLease = TimeSpan.FromSeconds(6);
        Source source = OtherEndTests.Waiting(10);
        Task call = CallAsync((await ConnectAsync(options, AddressAt(network.Port))).For<ISink>(), both, source, Cancel);
        Watchdog.Until(() => _sink.Seen == 10, "items to arrive");
        if (isCut)
        {
            network.Refuses = true;
            network.Cut();
        }
        else
        {
            network.Hold();
        }

        Watchdog.Until(() => _sink is { Ended: 1, Cancelled: 1, Whole: 0 } && server.RequestsInHand == 0, "the handler to be told");
        network.LetGo();
        await FailsAsync(RpcStatus.Unavailable, () => call);
        Watchdog.Until(() => source.IsDisposed && source.IsCancelled, "the source to be told");
    }

    /// <summary>A client whose source has nothing to give is there all the same, and so is one whose handler does not read.</summary>
    [Theory]
    [InlineData("")]
    [InlineData("hold")]
    public async Task AStreamLivesAsLongAsItsClientDoes(string how)
    {
        RabbitMqServer server = await ServeAsync(SinkRpc.Service(_sink), ServerOptions);
        RabbitMqClientOptions options = ClientOptions;
        options.StreamLease = TimeSpan.FromSeconds(6);
        TaskCompletionSource go = new();
        Source source = new(20, async (item, cancel) => await (item == 10 ? go.Task.WaitAsync(cancel) : Task.CompletedTask));
        Task<long> call = (await ConnectAsync(options)).For<ISink>().TakeAsync(how, source, Cancel);
        long began = System.Diagnostics.Stopwatch.GetTimestamp();
        Watchdog.Until(() => call.IsCompleted || System.Diagnostics.Stopwatch.GetElapsedTime(began) > TimeSpan.FromSeconds(13), "two leases and more");
        Assert.False(call.IsCompleted);
        Assert.Equal(1, server.RequestsInHand);
        go.SetResult();
        _sink.Gate.SetResult();
        Assert.Equal(210, await call.WaitAsync(Patience, Cancel));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ABrokerThatGoesEndsTheCallAndTheNextOneComes(bool both)
    {
        await HaveBrokerAloneAsync();
        await ServeAsync(SinkRpc.Service(_sink));
        RabbitMqClientOptions options = ClientOptions;
        options.WaitForReady = true;
        ISink client = (await ConnectAsync(options)).For<ISink>();
        Source source = OtherEndTests.Waiting(int.MaxValue);
        Task call = CallAsync(client, both, source, Cancel);
        Watchdog.Until(() => _sink.Seen > 1000, "items to arrive");
        Broker.Kill();
        RpcCallException failure = await FailsAsync(RpcStatus.Unavailable, () => call);
        Assert.False(failure.IsUnsent);
        Assert.Contains("not known", failure.Message, StringComparison.Ordinal);
        Watchdog.Until(() => _sink is { Ended: 1, Cancelled: 1, Whole: 0 } && source.IsDisposed, "handler to be told, and source to be disposed");
        Broker.Restart();
        Broker.WaitUntilReady();
        Assert.Equal(1275, await client.TakeAsync("", new Source(50), Cancel).WaitAsync(Patience, Cancel));
        Assert.Equal((2, 1), (_sink.Begun, _sink.Whole));
    }

    /// <summary>It has a connection, and its servers an hour's lease.</summary>
    [Fact]
    public async Task AClientThatIsDisposedTellsTheServersOfItsStreams()
    {
        Tap tap = new();
        await ServeAsync(TapRpc.Service(tap));
        RabbitMqServer server = await RabbitMqServer.StartAsync("amqp://127.0.0.1:" + Broker.Port + "/" + Service + "-sink", ServerOptions, SinkRpc.Service(_sink));
        Mine(server);
        RabbitMqClientOptions options = ClientOptions;
        options.StreamLease = TimeSpan.FromHours(1);
        RabbitMqClient taps = await ConnectAsync(options);
        RabbitMqClient sinks = Mine(await RabbitMqClient.ConnectAsync("amqp://127.0.0.1:" + Broker.Port + "/" + Service + "-sink", options, Cancel));
        IAsyncEnumerator<int> items = taps.For<ITap>().Run(1, "wait", Cancel).GetAsyncEnumerator(Cancel);
        Assert.True(await items.MoveNextAsync());
        Task next = items.MoveNextAsync().AsTask();
        Task upload = CallAsync(sinks.For<ISink>(), false, OtherEndTests.Waiting(10), Cancel);
        Task both = CallAsync(sinks.For<ISink>(), true, OtherEndTests.Waiting(10), Cancel);
        Watchdog.Until(() => _sink.Seen == 20, "items to arrive");
        await taps.DisposeAsync();
        await sinks.DisposeAsync();
        foreach (Task each in new[] { next, upload, both })
            Assert.Contains("disposed", (await FailsAsync(RpcStatus.Unavailable, () => each)).Message, StringComparison.Ordinal);
        Watchdog.Until(() => tap is { Ended: 1, Cancelled: 1 } && _sink is { Ended: 2, Cancelled: 2, Whole: 0 } && server.RequestsInHand == 0, "the handlers to be told");
    }

    /// <summary>Over shared memory and over a broker alike.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task DisposingBesideAWaitForAnItemEndsTheWait(bool inSharedMemory)
    {
        Tap tap = new();
        ITap client;
        if (inSharedMemory)
        {
            RpcServer inner = Mine(RpcServer.Start(Service, TapRpc.Service(tap)));
            client = Mine(RpcClient.Connect(Service)).For<ITap>();
        }
        else
        {
            await ServeAsync(TapRpc.Service(tap));
            client = (await ConnectAsync()).For<ITap>();
        }

        IAsyncEnumerator<int> items = client.Run(1, "wait", Cancel).GetAsyncEnumerator(Cancel);
        Assert.True(await items.MoveNextAsync());
        Task<bool> next = items.MoveNextAsync().AsTask();
        Assert.Throws<InvalidOperationException>(() => items.MoveNextAsync().AsTask().GetAwaiter().GetResult());
        await items.DisposeAsync();
        await FailsAsync(RpcStatus.Cancelled, () => next);
        await items.DisposeAsync();
        Watchdog.Until(() => tap is { Ended: 1, Cancelled: 1 }, "the handler to be told");
        IAsyncEnumerator<int> never = client.Run(1, "", Cancel).GetAsyncEnumerator(Cancel);
        await never.DisposeAsync();
        Assert.False(await never.MoveNextAsync());
        Assert.Equal(3, client.Add(1, 2));
    }

    /// <summary>Before a server has begun it.</summary>
    [Fact]
    public async Task DisposingBesideTheWaitForAServerEndsTheWait()
    {
        RabbitMqClientOptions options = ClientOptions;
        options.WaitForReady = true;
        await (await ServeAsync(TapRpc.Service(new Tap()), ServerOptions)).DisposeAsync(); // there is a queue now
        IAsyncEnumerator<int> items = (await ConnectAsync(options)).For<ITap>().Run(1, "", Cancel).GetAsyncEnumerator(Cancel);
        Task<bool> next = items.MoveNextAsync().AsTask();
        await items.DisposeAsync();
        await FailsAsync(RpcStatus.Cancelled, () => next);
    }

    private static Task CallAsync(ISink client, bool both, Source source, CancellationToken cancel) => both
        ? Task.Run(
            async () =>
            {
                await foreach (int item in client.Echo("", source, cancel))
                {
                }
            },
            cancel)
        : client.TakeAsync("", source, cancel);
}
