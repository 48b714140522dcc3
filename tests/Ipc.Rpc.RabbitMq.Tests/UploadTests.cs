using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Ipc.Rpc.Tests;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>Streams to a server: in order, whole, no further ahead than the handler lets them, and ended from either side as over shared memory.</summary>
public sealed class UploadTests(BrokerProcess broker) : RabbitMqTest(broker)
{
    private readonly Sink _sink = new();

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(512)]
    [InlineData(513)]
    [InlineData(20_000)]
    public async Task EveryItemArrivesAndThenTheAnswerComes(int count)
    {
        RabbitMqServer server = await ServeAsync(SinkRpc.Service(_sink), ServerOptions);
        RpcMetadata? told = null;
        ISink client = (await ConnectAsync()).Caller.WithAnswer(metadata => told = metadata).For<ISink>();
        Source source = new(count);
        Assert.Equal((long)count * (count + 1) / 2, await client.TakeAsync("", source, Cancel).WaitAsync(Patience, Cancel));
        Assert.Equal((count, 1, 0), (_sink.Seen, _sink.Whole, _sink.Cancelled));
        Assert.Equal("at the end", told!.GetText("said"));
        Assert.Null(_sink.Mark);
        Watchdog.Until(() => source.IsDisposed && server.RequestsInHand == 0, "both ends to be done");
    }

    [Fact]
    public async Task AHandlerThatDoesNotReadHoldsItsClientUpAndNobodyElse()
    {
        RabbitMqServerOptions options = ServerOptions;
        options.StreamWindow = 16;
        options.Handlers = new RpcServerOptions { StreamWindow = 32 };
        await ServeAsync(SinkRpc.Service(_sink), options);
        ISink client = (await ConnectAsync()).For<ISink>();
        Source source = new(1000);
        Task<long> held = client.TakeAsync("hold", source, Cancel);
        Watchdog.Until(() => source.Produced >= 16 && _sink.Begun == 1, "the source to be as far ahead as it may");
        for (int i = 0; i < 20; i++)
            Assert.Equal(50 * 51 / 2, await client.TakeAsync("", new Source(50), Cancel).WaitAsync(Patience, Cancel)); // what it would send beside these
        Assert.InRange(source.Produced, 16, 16 + 32 + 8);
        Assert.False(held.IsCompleted);
        _sink.Gate.SetResult();
        Assert.Equal(1000 * 1001 / 2, await held.WaitAsync(Patience, Cancel));
    }

    [Fact]
    public async Task LargeItemsCountByTheirBytes()
    {
        await ServeAsync(SinkRpc.Service(_sink));
        ISink client = (await ConnectAsync()).For<ISink>();
        int produced = 0;
        Task<long> held = client.WeighAsync("hold", Blobs(300_000, 200, () => Interlocked.Increment(ref produced)), Cancel);
        Watchdog.Until(() => Volatile.Read(ref produced) >= 4 && _sink.Begun == 1, "the source to be as far ahead as it may");
        for (int i = 0; i < 20; i++)
            await client.TakeAsync("", new Source(50), Cancel).WaitAsync(Patience, Cancel);
        Assert.InRange(Volatile.Read(ref produced), 4, 12); // 1 MiB on the way, 64 KiB and an item within the server's process, and one in each hand
        _sink.Gate.SetResult();
        Assert.Equal(200 * 300_000, await held.WaitAsync(Patience, Cancel));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AnEarlyAnswerEndsTheSource(bool waits)
    {
        await ServeAsync(SinkRpc.Service(_sink));
        ISink client = (await ConnectAsync()).For<ISink>();
        Source source = new(-1, async (item, cancel) => await Task.Delay(waits && item > 3 ? Timeout.Infinite : 0, cancel));
        Assert.Equal(6, await client.TakeAsync("three", source, Cancel).WaitAsync(Patience, Cancel));
        Watchdog.Until(() => source.IsDisposed && (source.IsCancelled || !waits), "the source to be told and disposed");
        Assert.Equal(3, await client.TakeAsync("", new Source(2), Cancel).WaitAsync(Patience, Cancel));
        Assert.Equal(1, _sink.Whole);
    }

    [Theory]
    [InlineData("NotFound", RpcStatus.NotFound, null)]
    [InlineData("no luck", RpcStatus.Unknown, "System.InvalidOperationException")]
    public async Task AHandlersErrorEndsTheSource(string how, RpcStatus status, string? type)
    {
        await ServeAsync(SinkRpc.Service(_sink));
        RpcMetadata? told = null;
        ISink client = (await ConnectAsync()).Caller.WithAnswer(metadata => told = metadata).For<ISink>();
        Source source = new(-1);
        RpcCallException failure = await FailsAsync(status, () => client.TakeAsync(how, source, Cancel));
        Assert.Equal((type, "sink.v1", "Take"), (failure.RemoteType, failure.Service, failure.Method));
        Assert.False(failure.IsUnsent);
        Assert.Equal("at the end", told!.GetText("said"));
        Watchdog.Until(() => source.IsDisposed, "the source to be disposed");
    }

    /// <summary>Whatever it is, and whatever the policy says: there is no second attempt.</summary>
    [Theory]
    [InlineData(1, false)]
    [InlineData(3, false)]
    [InlineData(1000, false)]
    [InlineData(3, true)]
    public async Task WhatTheSourceThrowsFailsTheCallAndCancelsTheHandler(int at, bool isRefusal)
    {
        await ServeAsync(SinkRpc.Service(_sink));
        RabbitMqClientOptions options = ClientOptions;
        options.Retry = new RpcRetryPolicy { Attempts = 5 };
        ISink client = (await ConnectAsync(options)).For<ISink>();
        Exception thrown = isRefusal
            ? RpcCallException.OfTransport(RpcStatus.Unavailable, "another call", null, null, isUnsent: true)
            : new InvalidDataException("no item " + at);
        Source source = new(-1, async (item, _) =>
        {
            await Task.Yield();
            if (item != at)
                return;
            Watchdog.Until(() => _sink.Begun == 1, "the handler to begin");
            throw thrown;
        });
        Exception seen = await Assert.ThrowsAnyAsync<Exception>(() => client.TakeAsync("", source, Cancel).WaitAsync(Patience, Cancel));
        Assert.Same(thrown, seen);
        Watchdog.Until(() => _sink is { Cancelled: 1, Ended: 1 }, "the handler to be told");
        Assert.Equal((0, 1), (_sink.Whole, _sink.Begun));
        Assert.True(source.IsDisposed);
        Assert.Equal(3, await client.TakeAsync("", new Source(2), Cancel).WaitAsync(Patience, Cancel));
    }

    [Fact]
    public async Task AnItemThatCannotBeEncodedFailsTheCall()
    {
        Shapes shapes = new();
        await ServeAsync(shapes.Service());
        RabbitMqCaller caller = (await ConnectAsync()).Caller;
        RpcCallException failure = await FailsAsync(RpcStatus.InvalidArgument, async () => await caller.ClientStream(Shapes.Sum, 0, Bad(), Cancel));
        Assert.IsType<InvalidOperationException>(failure.InnerException);
        Watchdog.Until(() => shapes.Cancelled == 1, "the handler to be told");
        Assert.Equal(8, await caller.ClientStream(Shapes.Sum, 5, new Source(2), Cancel).AsTask().WaitAsync(Patience, Cancel));

        async IAsyncEnumerable<int> Bad()
        {
            yield return 1;
            await Task.Yield();
            Watchdog.Until(() => shapes.Begun == 1, "the handler to begin");
            yield return Shapes.Unspeakable;
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task AnItemThatIsTooLongFailsItsCallAlone(bool forTheClient)
    {
        RabbitMqServerOptions options = ServerOptions;
        options.MaxMessageBytes = 100_000;
        await ServeAsync(SinkRpc.Service(_sink), options);
        RabbitMqClientOptions ofClient = ClientOptions;
        if (forTheClient)
            ofClient.MaxMessageBytes = 100_000;
        ISink client = (await ConnectAsync(ofClient)).For<ISink>();
        Source other = new(-1, static async (item, cancel) => await Task.Delay(item > 3 ? Timeout.Infinite : 0, cancel));
        Task<long> beside = client.TakeAsync("", other, Cancel);
        RpcCallException failure = await FailsAsync(RpcStatus.ResourceExhausted, () => client.WeighAsync("", Blobs(200_000, 2, static () => { }), Cancel));
        Assert.Contains("100000", failure.Message, StringComparison.Ordinal);
        Watchdog.Until(() => _sink is { Seen: 3, Begun: 2, Ended: 1 } or { Seen: 3, Begun: 1, Ended: 0 }, "its handler to end, if it has begun");
        Assert.False(beside.IsCompleted);
        Assert.Equal(0, _sink.Whole);
    }

    [Fact]
    public async Task CancellationEndsTheCallTheSourceAndTheHandler()
    {
        await ServeAsync(SinkRpc.Service(_sink));
        RabbitMqClientOptions options = ClientOptions;
        options.StreamLease = TimeSpan.FromHours(1); // not by that
        ISink client = (await ConnectAsync(options)).For<ISink>();
        using CancellationTokenSource cancel = new();
        Source source = new(-1, static async (item, token) => await Task.Delay(item > 10 ? Timeout.Infinite : 0, token));
        Task<long> call = client.TakeAsync("", source, cancel.Token);
        Watchdog.Until(() => _sink.Seen == 10, "the items to arrive");
        cancel.Cancel();
        OperationCanceledException ended = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call.WaitAsync(Patience));
        Assert.Equal(cancel.Token, ended.CancellationToken);
        Watchdog.Until(() => _sink is { Cancelled: 1, Ended: 1, Whole: 0 } && source.IsDisposed && source.IsCancelled, "handler and source to be told");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task TheDeadlineEndsIt(bool byTimeout)
    {
        await ServeAsync(SinkRpc.Service(_sink));
        RabbitMqCaller caller = (await ConnectAsync()).Caller;
        TimeSpan time = TimeSpan.FromSeconds(1);
        ISink client = (byTimeout ? caller.WithTimeout(time) : caller.WithDeadline(Deadline.After(time))).For<ISink>();
        Source source = new(-1, static async (item, token) => await Task.Delay(item > 10 ? Timeout.Infinite : 0, token));
        RpcCallException failure = await FailsAsync(RpcStatus.DeadlineExceeded, () => client.TakeAsync("", source, Cancel));
        Assert.Equal("Take", failure.Method);
        Watchdog.Until(() => _sink.Ended == _sink.Begun && source.IsDisposed && source.IsCancelled, "handler and source to be told");
        Assert.Equal(0, _sink.Whole);
    }

    [Fact]
    public async Task AStreamTakesNoPlaceAmongTheRequestsInHand()
    {
        RabbitMqServerOptions options = ServerOptions;
        options.Prefetch = 1;
        options.MaxStreams = 2;
        await ServeAsync(SinkRpc.Service(_sink), options);
        ISink client = (await ConnectAsync()).For<ISink>();
        Task<long>[] held = [client.TakeAsync("hold", new Source(2), Cancel), client.TakeAsync("hold", new Source(2), Cancel)];
        Watchdog.Until(() => _sink.Begun == 2, "both to begin");
        Source source = new(2);
        RpcCallException failure = await FailsAsync(RpcStatus.ResourceExhausted, () => client.TakeAsync("", source, Cancel));
        Assert.Contains(nameof(RabbitMqServerOptions.MaxStreams), failure.Message, StringComparison.Ordinal);
        Assert.Equal(0, source.Produced);
        _sink.Gate.SetResult();
        long[] sums = await Task.WhenAll(held).WaitAsync(Patience, Cancel);
        Assert.Equal([3, 3], sums);
    }

    [Fact]
    public async Task WithoutAServerOrAMethodItFailsAsACallDoes()
    {
        RabbitMqClient connection = await ConnectAsync();
        ISink client = connection.For<ISink>();
        Source source = new(2);
        Assert.True((await FailsAsync(RpcStatus.Unavailable, () => client.TakeAsync("", source, Cancel))).IsUnsent);
        Assert.Equal(0, source.Produced);
        await ServeAsync(TapRpc.Service(new Tap()));
        await FailsAsync(RpcStatus.Unimplemented, () => client.TakeAsync("", source, Cancel));
        RpcStreamMethod<byte[], byte[], byte[]> asAnother = new("tap.v1", "Run", RpcMethodKind.ClientStream, Wire.Bytes, Wire.Bytes, Wire.Bytes);
        await FailsAsync(RpcStatus.Unimplemented, async () => await connection.Caller.ClientStream(asAnother, [], Blobs(1, 1, static () => { }), Cancel));
        await Assert.ThrowsAsync<ArgumentException>(async () => await connection.Caller.ClientStream(Shapes.Shift, 1, source, Cancel));
    }

    [Fact]
    public async Task WhatHasNotBegunWaitsForAServer()
    {
        RabbitMqClientOptions options = ClientOptions;
        options.WaitForReady = true;
        ISink client = (await ConnectAsync(options)).For<ISink>();
        await (await ServeAsync(SinkRpc.Service(_sink), ServerOptions)).DisposeAsync(); // there is a queue now
        Source source = new(100);
        Task<long> call = client.TakeAsync("", source, Cancel);
        await ServeAsync(SinkRpc.Service(_sink));
        Assert.Equal(5050, await call.WaitAsync(Patience, Cancel));
    }

    [Fact]
    public async Task NobodyAllowsNoItems() =>
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => RabbitMqServer.StartAsync(Address, new RabbitMqServerOptions { StreamWindow = 0 }));

    private static async IAsyncEnumerable<byte[]> Blobs(int size, int count, Action produced)
    {
        for (int i = 0; i < count; i++)
        {
            produced();
            yield return new byte[size];
            await Task.Yield();
        }
    }
}
