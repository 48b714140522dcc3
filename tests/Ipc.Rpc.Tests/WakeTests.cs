using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Linq;
using System.Threading;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Who sleeps is woken, and nobody else, by the meter that counts it.</summary>
public sealed class WakeTests
{
    /// <summary>Nothing has to be held back for this: a reader that is awake is not woken.</summary>
    [Fact]
    public void RequestsOfManyThreadsToAServerThatIsBehindShareOneWake()
    {
        const int Threads = 4, Each = 100;
        using var busy = new ManualResetEventSlim();
        using var go = new ManualResetEventSlim();
        int handled = 0;
        using RpcServer server = Hand.Serve(out string name, new RpcServerOptions { WaitMode = WaitMode.Block }, RpcHandler.OneWay(Hand.Tell, (_, cancel) =>
        {
            busy.Set();
            Assert.True(go.Wait(Eventually.Watchdog, cancel));
            Interlocked.Increment(ref handled);
        }).Inline());
        using RpcClient client = RpcClient.Connect(name, new RpcClientOptions { WaitMode = WaitMode.Block, AutoReconnect = false });
        client.Notify(Hand.Tell, 0); // its handler holds up the only reader
        Assert.True(busy.Wait(Eventually.Watchdog, TestContext.Current.CancellationToken));
        long before = Wakes(name);
        Assert.InRange(before, 0, 1);

        Thread[] threads = Enumerable.Range(0, Threads).Select(_ => new Thread(() =>
        {
            for (int i = 0; i < Each; i++)
                client.Notify(Hand.Tell, i);
        })).ToArray();
        foreach (Thread thread in threads)
            thread.Start();
        foreach (Thread thread in threads)
            thread.Join();
        Assert.Equal(before, Wakes(name)); // 0 wakes for 400 requests

        go.Set();
        Eventually.True(() => Volatile.Read(ref handled) == 1 + (Threads * Each), "all have arrived");
        Assert.Equal(before, Wakes(name));
    }

    /// <summary>And one that sleeps is woken, which is counted.</summary>
    [Fact]
    public void ASleepingServerIsWokenByTheFirstRequest()
    {
        using RpcServer server = Hand.Serve(out string name, new RpcServerOptions { WaitMode = WaitMode.Block }, RpcHandler.Unary(Hand.Ask, static (number, _) => number));
        using RpcClient client = RpcClient.Connect(name, new RpcClientOptions { WaitMode = WaitMode.Block });
        int calls = 0;
        Eventually.True(
            () =>
            {
                calls++;
                return client.Call(Hand.Ask, 1) == 1 && Wakes(name) > 0;
            },
            "some call finds the server asleep");
        Assert.InRange(Wakes(name), 1, calls + 1);
    }

    /// <summary>How often the clients of a server woke it.</summary>
    private static long Wakes(string server)
    {
        long wakes = -1;
        using var listener = new MeterListener();
        listener.InstrumentPublished = static (instrument, l) =>
        {
            if (instrument.Meter.Name == "Ipc.Rpc" && instrument.Name == "ipc.rpc.wakes")
                l.EnableMeasurementEvents(instrument);
        };
        listener.SetMeasurementEventCallback<long>((_, value, tags, _) =>
        {
            bool mine = false, clients = false;
            foreach (KeyValuePair<string, object?> tag in tags)
            {
                mine |= tag.Key == "ipc.name" && (string?)tag.Value == server;
                clients |= tag.Key == "ipc.rpc.side" && (string?)tag.Value == "client";
            }

            if (mine && clients)
                wakes = value;
        });
        listener.Start();
        listener.RecordObservableInstruments();
        Assert.NotEqual(-1, wakes);
        return wakes;
    }
}
