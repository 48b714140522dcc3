using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Ipc.Rpc.Tests;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>The process of one end is killed in the middle of streams, and the other end learns it.</summary>
public sealed class KilledEndTests(BrokerProcess broker) : RabbitMqTest(broker)
{
    [Fact]
    public async Task AServersProcessIsKilledAndEachOfItsStreamsEnds()
    {
        using RegionDirectory its = new();
        using OtherProcess server = Start(nameof(OtherEndTests.Serve), its);
        RabbitMqClientOptions options = ClientOptions;
        options.StreamLease = TimeSpan.FromSeconds(3);
        options.StreamWindow = 16;
        ITap client = (await ConnectAsync(options)).For<ITap>();
        List<IAsyncEnumerator<int>> streams = [];
        foreach (int count in new[] { int.MaxValue, 1, int.MaxValue })
        {
            streams.Add(client.Run(count, "wait", Cancel).GetAsyncEnumerator(Cancel));
            Assert.True(await streams[^1].MoveNextAsync().AsTask().WaitAsync(Patience, Cancel));
        }

        int next = 1;
        Task read = Task.Run(
            async () =>
            {
                while (await streams[0].MoveNextAsync())
                    Assert.Equal(next++, streams[0].Current);
            },
            Cancel);
        Task waits = streams[1].MoveNextAsync().AsTask();
        Watchdog.Until(() => next > 1000 || read.IsCompleted, "items to come");
        server.Kill();
        foreach (Task each in new[] { read, waits })
        {
            RpcCallException failure = await FailsAsync(RpcStatus.Unavailable, () => each);
            Assert.False(failure.IsUnsent);
            Assert.Contains("How far", failure.Message, StringComparison.Ordinal);
        }

        next = 1;
        await FailsAsync(RpcStatus.Unavailable, async () =>
        {
            while (await streams[2].MoveNextAsync())
                Assert.Equal(next++, streams[2].Current);
        });
        Assert.InRange(next, 1, 16); // what had come, in order
        Tap tap = new();
        await ServeAsync(TapRpc.Service(tap));
        Assert.Equal(3, client.Add(1, 2));
        Assert.Equal(0, tap.Produced); // nothing begins them anew
    }

    [Fact]
    public async Task AClientsProcessIsKilledAndTheTokenOfEachHandlerFires()
    {
        Tap tap = new();
        RabbitMqServer server = await ServeAsync(TapRpc.Service(tap), ServerOptions);
        using RegionDirectory its = new();
        using OtherProcess client = Start(nameof(OtherEndTests.Consume), its);
        Watchdog.Until(() => tap.Produced > 2000, "items to go");
        Assert.Equal((3, 0), (server.RequestsInHand, tap.Cancelled));
        client.Kill();
        Watchdog.Until(() => tap is { Ended: 3, Cancelled: 3 } && server.RequestsInHand == 0, "the handlers to be told");
    }

    /// <summary>One that is sent as fast as it goes, one whose source has no more to give, one whose handler does not read, and one in both directions.</summary>
    [Fact]
    public async Task AServersProcessIsKilledAndWhatIsSentToItEnds()
    {
        using RegionDirectory its = new();
        using OtherProcess server = Start(nameof(OtherEndTests.ServeSink), its);
        RabbitMqClientOptions options = ClientOptions;
        options.StreamLease = TimeSpan.FromSeconds(3);
        ISink client = (await ConnectAsync(options)).For<ISink>();
        Source fast = new(-1), waits = OtherEndTests.Waiting(10), held = new(-1), echoed = new(-1);
        int next = 1;
        Task[] calls =
        [
            client.TakeAsync("", fast, Cancel), client.TakeAsync("", waits, Cancel), client.TakeAsync("hold", held, Cancel),
            Task.Run(
                async () =>
                {
                    await foreach (int item in client.Echo("", echoed, Cancel))
                        Assert.Equal(next++, item);
                },
                Cancel),
        ];
        Watchdog.Until(() => (fast.Produced > 2000 && waits.Produced == 10 && held.Produced > 500 && next > 1000) || Array.Exists(calls, static call => call.IsCompleted), "items to go");
        server.Kill();
        foreach (Task each in calls)
        {
            RpcCallException failure = await FailsAsync(RpcStatus.Unavailable, () => each);
            Assert.False(failure.IsUnsent);
            Assert.Contains("How far", failure.Message, StringComparison.Ordinal);
        }

        foreach (Source each in new[] { fast, waits, held, echoed })
            Watchdog.Until(() => each.IsDisposed, "each source to be disposed");
        Sink sink = new();
        await ServeAsync(SinkRpc.Service(sink));
        Assert.Equal(3, await client.TakeAsync("", new Source(2), Cancel).WaitAsync(Patience, Cancel));
        Assert.Equal((1, 1), (sink.Begun, sink.Whole)); // nothing begins them anew
    }

    [Fact]
    public async Task AClientsProcessIsKilledAndNoHandlerTakesAPartForTheWhole()
    {
        Sink sink = new();
        RabbitMqServer server = await ServeAsync(SinkRpc.Service(sink), ServerOptions);
        using RegionDirectory its = new();
        using OtherProcess client = Start(nameof(OtherEndTests.Send), its);
        Watchdog.Until(() => sink.Seen > 2000 && sink.Begun == 4, "items to come");
        Assert.Equal((4, 0), (server.RequestsInHand, sink.Ended));
        client.Kill();
        Watchdog.Until(() => sink is { Ended: 4, Cancelled: 4 } && server.RequestsInHand == 0, "the handlers to be told");
        Assert.Equal(0, sink.Whole);
    }

    /// <summary>With regions of its own: what is killed leaves files.</summary>
    private OtherProcess Start(string what, RegionDirectory regions) =>
        OtherEndTests.Start(what, new Dictionary<string, string> { [OtherEndTests.AddressVariable] = Address, ["IPC_DIR"] = regions.Path });
}
