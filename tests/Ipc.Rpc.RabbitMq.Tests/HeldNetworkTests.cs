using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Tests;
using Ipc.Tcp.Tests;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>An end that goes while the network takes nothing more.</summary>
public sealed class HeldNetworkTests(BrokerProcess broker) : RabbitMqTest(broker)
{
    private readonly Sink _sink = new();
    private int _made;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AClientWhoseNetworkIsFullIsDisposedInSeconds(bool cancels)
    {
        using BadNetwork network = new(Broker.EndPoint);
        ServerOptions.StreamWindow = 60000;
        await ServeAsync(SinkRpc.Service(_sink));
        ClientOptions.Heartbeat = TimeSpan.FromMinutes(10);
        RabbitMqClient client = await ConnectAsync(ClientOptions, AddressAt(network.Port));
        ISink sink = client.For<ISink>();
        using CancellationTokenSource stop = new();
        List<Task> calls = [];
        for (int i = 0; i < 8; i++)
            calls.Add(sink.WeighAsync("", Large(), stop.Token));
        Watchdog.Until(() => _sink.Seen > 50, "items to arrive");
        network.Hold();
        for (int i = 0; i < 50; i++)
            calls.Add(Task.Run(() => sink.WeighAsync("", Large(), stop.Token), Cancel));
        UntilStill(() => Volatile.Read(ref _made));
        long began = Stopwatch.GetTimestamp();
        if (cancels)
        {
            stop.Cancel();
            foreach (Task each in calls)
                await Assert.ThrowsAnyAsync<OperationCanceledException>(() => each.WaitAsync(Patience, Cancel));
        }

        await client.DisposeAsync().AsTask().WaitAsync(Patience, Cancel);
        Assert.True(Stopwatch.GetElapsedTime(began) < TimeSpan.FromSeconds(10), "took " + Stopwatch.GetElapsedTime(began));
        if (!cancels)
        {
            foreach (Task each in calls)
                await FailsAsync(RpcStatus.Unavailable, () => each);
        }

        network.LetGo();
    }

    [Fact]
    public async Task AServerWhoseNetworkIsFullIsDisposedInSeconds()
    {
        using BadNetwork network = new(Broker.EndPoint);
        ServerOptions.Heartbeat = TimeSpan.FromMinutes(10);
        RabbitMqServer server = await ServeAsync(SinkRpc.Service(_sink), ServerOptions, AddressAt(network.Port));
        ClientOptions.StreamWindow = 60000;
        ClientOptions.StreamLease = TimeSpan.FromMinutes(10);
        ISink sink = (await ConnectAsync()).For<ISink>();
        List<Task> calls = [];
        for (int i = 0; i < 50; i++)
        {
            calls.Add(Task.Run(
                async () =>
                {
                    await foreach (int item in sink.Echo("", new Source(-1), Cancel))
                    {
                    }
                },
                Cancel));
        }

        Watchdog.Until(() => _sink.Seen > 5000, "items to arrive");
        network.Hold();
        UntilStill(() => _sink.Seen);
        long began = Stopwatch.GetTimestamp();
        await server.StopAsync(TimeSpan.FromSeconds(1), Cancel).WaitAsync(Patience, Cancel);
        Assert.True(Stopwatch.GetElapsedTime(began) < TimeSpan.FromSeconds(10), "took " + Stopwatch.GetElapsedTime(began));
        Watchdog.Until(() => _sink.Ended == _sink.Begun, "handlers to end");
        network.LetGo();
        network.Cut();
    }

    /// <summary>A caller that gives up leaves its message where it was: as many as may be under way are kept, and no more.</summary>
    [Fact]
    public async Task OneWayCallsOfWhichTheBrokerSaysNothingAreBounded()
    {
        using BadNetwork network = new(Broker.EndPoint);
        await ServeAsync(FarmRpc.Service(new Farm("first")));
        (ClientOptions.Heartbeat, ClientOptions.MaxPendingCalls) = (TimeSpan.FromMinutes(10), 5);
        RabbitMqClient client = await ConnectAsync(ClientOptions, AddressAt(network.Port));
        IFarm farm = client.For<IFarm>();
        await farm.NoteAsync(0, Cancel);
        network.Hold();
        using CancellationTokenSource stop = new();
        Task[] calls = [.. Enumerable.Range(1, 5).Select(number => farm.NoteAsync(number, stop.Token))];
        await Task.Delay(100, Cancel); // they are sent
        stop.Cancel();
        foreach (Task each in calls)
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => each.WaitAsync(Patience, Cancel));
        RpcCallException failure = await FailsAsync(RpcStatus.ResourceExhausted, () => farm.NoteAsync(6, Cancel));
        Assert.True(failure.IsUnsent);
        network.LetGo();
        await Eventually(() => farm.NoteAsync(7, Cancel));
        await Task.WhenAll(Enumerable.Range(8, 5).Select(number => farm.NoteAsync(number, Cancel))).WaitAsync(Patience, Cancel);
    }

    private static async Task Eventually(Func<Task> call)
    {
        Deadline watchdog = Deadline.After(Patience);
        while (await Record.ExceptionAsync(call) is { } failure)
        {
            Assert.False(watchdog.HasPassed, "failed until the end with " + failure);
            await Task.Delay(5, Cancel);
        }
    }

    /// <summary>Nothing moves any more.</summary>
    private static void UntilStill(Func<int> count)
    {
        (int last, long since) = (-1, 0);
        Watchdog.Until(
            () =>
            {
                if (count() is int now && now != last)
                    (last, since) = (now, Stopwatch.GetTimestamp());
                return Stopwatch.GetElapsedTime(since) > TimeSpan.FromSeconds(1);
            },
            "everything to stand still");
    }

    private async IAsyncEnumerable<byte[]> Large([EnumeratorCancellation] CancellationToken cancel = default)
    {
        while (true)
        {
            cancel.ThrowIfCancellationRequested();
            await Task.Yield();
            Interlocked.Increment(ref _made);
            yield return new byte[100_000];
        }
    }
}
