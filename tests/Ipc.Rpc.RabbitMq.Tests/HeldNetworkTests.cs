using System;
using System.Collections.Generic;
using System.Diagnostics;
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
