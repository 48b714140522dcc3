using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>Who listens to traces is the user's code: whatever it throws, and wherever, requests go on as if nobody listened.</summary>
/// <remarks>Listeners are the whole process's: each test has methods whose names no other test has.</remarks>
public sealed class ListenerTests : RabbitMqTest
{
    private readonly RpcMethod<byte[], byte[]> _double, _count;
    private readonly RpcMethod<byte[], RpcEmpty> _note;
    private readonly RpcStreamMethod<byte[], byte[], byte[]> _sum;
    private int _noted;
    private int _left;
    private int _lost;

    public ListenerTests(BrokerProcess broker)
        : base(broker)
    {
        _double = new(Service, "Double", RpcMethodKind.Unary, Wire.Bytes, Wire.Bytes);
        _count = new(Service, "Count", RpcMethodKind.ServerStream, Wire.Bytes, Wire.Bytes);
        _note = new(Service, "Note", RpcMethodKind.Unary, Wire.Bytes, RpcEmpty.Codec, true);
        _sum = new(Service, "Sum", RpcMethodKind.ClientStream, Wire.Bytes, Wire.Bytes, Wire.Bytes);
    }

    /// <summary>Of which source (calls to the server within a <see cref="RabbitMqServer"/> have their own), when, and at which end.</summary>
    public static TheoryData<string, string, bool> Places
    {
        get
        {
            TheoryData<string, string, bool> places = [];
            foreach (string source in new[] { "Ipc.Rpc.RabbitMq", "Ipc.Rpc" })
            {
                foreach (string when in new[] { "sampled", "started", "stopped" })
                {
                    places.Add(source, when, false);
                    places.Add(source, when, true);
                }
            }

            return places;
        }
    }

    [Theory]
    [MemberData(nameof(Places))]
    public async Task WhatAListenerThrowsEndsNothing(string source, string when, bool isAtServer)
    {
        using Reports reports = new();
        RabbitMqCaller client = await StartAsync();
        Listen(source, when, kind => kind is ActivityKind.Server or ActivityKind.Consumer == isAtServer);
        using Activity mine = new Activity("mine").Start();
        for (byte i = 1; i < 4; i++)
        {
            byte[] request = [i];
            Assert.Equal([(byte)(2 * i)], await client.CallAsync(_double, request, Cancel).AsTask().WaitAsync(Patience, Cancel));
            Assert.Same(mine, Activity.Current);
            await client.NotifyAsync(_note, request, Cancel).AsTask().WaitAsync(Patience, Cancel);
            Assert.Equal([3], await client.ClientStream(_sum, request, Items(), Cancel).AsTask().WaitAsync(Patience, Cancel));
            int items = 0;
            await foreach (byte[] item in client.Stream(_count, request, Cancel))
                Assert.Equal(++items, item[0]);
            Assert.Equal(i, items);
            Assert.Same(mine, Activity.Current);
        }

        Watchdog.Until(() => Volatile.Read(ref _noted) == 3, "the one-way calls to be handled, each once");
        Assert.Equal(0, Volatile.Read(ref _lost));
        Watchdog.Until(() => reports.Find("A listener failed", Service, when), "the trace");
    }

    /// <summary>Its reader leaves it, or is elsewhere when its token fires: its server has to learn of it.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AStreamThatIsLeftEndsAtItsServerWhateverAListenerThrows(bool isCancelled)
    {
        RabbitMqCaller client = await StartAsync();
        Listen("Ipc.Rpc.RabbitMq", "stopped", static kind => kind == ActivityKind.Client);
        using CancellationTokenSource source = new();
        IAsyncEnumerator<byte[]> items = client.Stream(_count, [0], source.Token).GetAsyncEnumerator(Cancel);
        Assert.True(await items.MoveNextAsync());
        if (isCancelled)
            await source.CancelAsync();
        else
            await items.DisposeAsync();
        Watchdog.Until(() => Volatile.Read(ref _left) == 1, "the handler to be told");
        Assert.Equal([2], await client.CallAsync(_double, [1], Cancel).AsTask().WaitAsync(Patience, Cancel));
    }

    private async Task<RabbitMqCaller> StartAsync()
    {
        ServerOptions.ConnectionChanged = ClientOptions.ConnectionChanged = change =>
        {
            if (!change.IsConnected)
                Interlocked.Increment(ref _lost);
        };
        await ServeAsync(new RpcService(Service, [
            RpcHandler.Unary(_double, static request => new byte[] { (byte)(2 * request[0]) }),
            RpcHandler.OneWay(_note, _ => Interlocked.Increment(ref _noted)),
            RpcHandler.ServerStream(_count, CountAsync),
            RpcHandler.ClientStream(_sum, static async (_, items, cancel) =>
            {
                int sum = 0;
                await foreach (byte[] item in items.WithCancellation(cancel))
                    sum += item[0];
                return [(byte)sum];
            }),
        ]));
        return (await ConnectAsync()).Caller;
    }

    /// <summary>With 0 it has no end.</summary>
    private async IAsyncEnumerable<byte[]> CountAsync(byte[] request, [EnumeratorCancellation] CancellationToken cancel)
    {
        try
        {
            for (int i = 1; request[0] == 0 || i <= request[0]; i++)
            {
                yield return [(byte)i];
                await Task.Yield();
            }
        }
        finally
        {
            Interlocked.Increment(ref _left);
        }
    }

    private static async IAsyncEnumerable<byte[]> Items()
    {
        yield return [1];
        await Task.Yield();
        yield return [2];
    }

    /// <summary>What it throws is also what a broken connection to the broker throws.</summary>
    private void Listen(string source, string when, Func<ActivityKind, bool> at)
    {
        ActivityListener listener = Own(new ActivityListener
        {
            ShouldListenTo = one => one.Name == source,
            Sample = (ref ActivityCreationOptions<ActivityContext> one) =>
            {
                ThrowAt("sampled", one.Name, one.Kind);
                return ActivitySamplingResult.AllData;
            },
            ActivityStarted = one => ThrowAt("started", one.OperationName, one.Kind),
            ActivityStopped = one => ThrowAt("stopped", one.OperationName, one.Kind),
        });
        ActivitySource.AddActivityListener(listener);

        void ThrowAt(string place, string name, ActivityKind kind)
        {
            if (place == when && at(kind) && name.StartsWith(Service + "/", StringComparison.Ordinal))
                throw new IOException("thrown when it is " + when);
        }
    }
}
