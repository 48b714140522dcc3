using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>One-way calls that wait on this machine for a broker that is away.</summary>
public sealed class OutboxTests(BrokerProcess broker) : RabbitMqTest(broker)
{
    private readonly ConcurrentQueue<Farm.Handled> _all = new();
    private readonly RabbitMqOutboxOptions _options = new();

    private string Name => Service + "-outbox";

    [Fact]
    public async Task CallsAreMadeWithoutABrokerAndArriveWhenThereIsOne()
    {
        await HaveBrokerAloneAsync();
        RabbitMqOutbox outbox = Open();
        await ServeAsync(FarmRpc.Service(new Farm("one") { All = _all }));
        IFarm farm = outbox.With(new RpcMetadata { { "color", "blue" } }).For<IFarm>();
        await farm.NoteAsync(0, Cancel);
        Watchdog.Until(() => _all.Count == 1 && outbox.Waiting == 0, "the first");
        Broker.Kill();
        for (int i = 1; i < 300; i++)
            await farm.NoteAsync(i, Cancel);
        Watchdog.Until(() => outbox.Trouble is not null, "it to say why they wait");
        Assert.Equal(299, outbox.Waiting);
        Broker.Restart();
        Broker.WaitUntilReady();
        Watchdog.Until(() => outbox.Waiting == 0, "all to be sent");
        Watchdog.Until(() => _all.Select(static one => one.Number).Distinct().Count() == 300, "all to arrive");
        Assert.Equal((300L, null), (outbox.Sent, outbox.Trouble));
        await EndAsync(outbox);
    }

    /// <summary>It is killed again and again while it sends and others put calls in: all arrive, and what comes twice is marked, with the same id.</summary>
    [Fact]
    public async Task AProcessThatIsKilledWhileItSendsLosesNone()
    {
        await ServeAsync(FarmRpc.Service(new Farm("one") { All = _all }));
        _options.Sends = false;
        RabbitMqOutbox outbox = Open();
        IFarm farm = outbox.For<IFarm>();
        Dictionary<string, string> environment = new() { [OtherEndTests.AddressVariable] = Address, [OtherEndTests.ExportVariable] = Name };
        int number = 0;
        for (int kill = 0; kill < 4; kill++)
        {
            using OtherProcess sender = OtherEndTests.Start(nameof(OtherEndTests.Outbox), environment);
            int before = _all.Count;
            while (_all.Count < before + 300)
            {
                if (outbox.Waiting < 300)
                    await farm.NoteAsync(++number, Cancel);
            }

            sender.Kill();
        }

        await outbox.DisposeAsync();
        _options.Sends = true;
        outbox = Open();
        Watchdog.Until(() => outbox.Waiting == 0, "the rest to be sent");
        Watchdog.Until(() => _all.Select(static one => one.Number).Distinct().Count() == number, "all to arrive");
        Assert.All(_all.GroupBy(static one => one.Number), static group =>
        {
            Assert.InRange(group.Count(static one => !one.IsMarked), 0, 1);
            Assert.Single(group.Select(static one => one.Id).Distinct());
        });
        await EndAsync(outbox);
    }

    [Fact]
    public async Task ACallIsCountedOnceWhereverItIs()
    {
        _options.Window = 500; // each goes from the queue to those that are being sent while this one looks
        RabbitMqOutbox outbox = Mine(RabbitMqOutbox.Open(Name, "amqp://127.0.0.1:1/nobody", _options));
        IFarm farm = outbox.For<IFarm>();
        for (int i = 1; i <= 400; i++)
        {
            await farm.NoteAsync(i, Cancel);
            for (int look = 0; look < 50; look++)
                Assert.Equal(i, outbox.Waiting);
        }

        await EndAsync(outbox);
    }

    [Fact]
    public async Task CallsWaitForAServiceThatHasNeverRun()
    {
        RabbitMqOutbox outbox = Open();
        await outbox.For<IFarm>().NoteAsync(1, Cancel);
        Watchdog.Until(() => outbox.Trouble?.Contains(Service, StringComparison.Ordinal) == true, "it to say so");
        await ServeAsync(FarmRpc.Service(new Farm("one") { All = _all }));
        // Marked or not: a queue that has just been declared may have no leader yet and refuse it, and then nobody knows whether it is there.
        Watchdog.Until(() => _all.Count == 1, "it to arrive");
        await EndAsync(outbox);
    }

    /// <summary>Where the queue is there, and has a leader: somebody has been answered from it.</summary>
    [Fact]
    public async Task WhatComesForTheFirstTimeIsNotMarked()
    {
        await ServeAsync(FarmRpc.Service(new Farm("one") { All = _all }));
        Assert.Equal("one", await (await ConnectAsync()).For<IFarm>().DoAsync(0, Cancel).AsTask().WaitAsync(Patience, Cancel));
        RabbitMqOutbox outbox = Open();
        for (int i = 1; i <= 20; i++)
            await outbox.For<IFarm>().NoteAsync(i, Cancel);
        Watchdog.Until(() => _all.Count == 21, "all to arrive");
        Assert.All(_all, static one => Assert.False(one.IsMarked));
        await EndAsync(outbox);
    }

    /// <summary>With a window of one.</summary>
    [Fact]
    public async Task CallsOfOneProcessArriveInOrder()
    {
        ServerOptions.Prefetch = 1;
        await ServeAsync(FarmRpc.Service(new Farm("one") { All = _all }), ServerOptions);
        _options.Window = 1;
        RabbitMqOutbox outbox = Open();
        for (int i = 0; i < 200; i++)
            await outbox.For<IFarm>().NoteAsync(i, Cancel);
        Watchdog.Until(() => _all.Count == 200, "all to arrive");
        Assert.Equal(Enumerable.Range(0, 200), _all.Select(static one => one.Number));
        await EndAsync(outbox);
    }

    [Fact]
    public async Task WhatItCannotTakeIsRefusedAtOnce()
    {
        _options.Sends = false;
        _options.Queue = new QueueOptions { BlockSize = 256, BlockCount = 16, LoanBudget = 0 };
        RabbitMqOutbox outbox = Open();
        IFarm farm = outbox.For<IFarm>();
        await FailsAsync(RpcStatus.Unimplemented, async () => await farm.DoAsync(1, Cancel));
        ITap tap = outbox.For<ITap>();
        Assert.Equal(RpcStatus.Unimplemented, Assert.Throws<RpcCallException>(() => tap.Add(1, 2)).Status);
        RpcCallException large = Assert.Throws<RpcCallException>(() => outbox.Notify(new RpcMethod<byte[], RpcEmpty>("farm.v1", "Note", RpcMethodKind.Unary, Wire.Bytes, RpcEmpty.Codec, isOneWay: true), new byte[1000]));
        Assert.Equal(RpcStatus.ResourceExhausted, large.Status);
        RpcCallException full = await FailsAsync(RpcStatus.ResourceExhausted, async () =>
        {
            for (int i = 0; i < 100; i++)
                await farm.NoteAsync(i, Cancel);
        });
        Assert.Contains("full", full.Message, StringComparison.Ordinal);
        Assert.True(full.IsUnsent);
        await EndAsync(outbox);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => farm.NoteAsync(1, Cancel));
        Assert.Throws<ArgumentOutOfRangeException>(() => RabbitMqOutbox.Open(Name, Address, new RabbitMqOutboxOptions { Window = 0 }));
    }

    /// <summary>What can never be sent does not hold up the rest; nor does what is none of ours.</summary>
    [Fact]
    public async Task WhatCanNeverBeSentIsDroppedAndTold()
    {
        ConcurrentQueue<RabbitMqDeadLetter> dropped = new();
        _options.Dropped = letter =>
        {
            dropped.Enqueue(letter);
            throw new InvalidOperationException("the user's own");
        };
        await HaveBrokerAloneAsync();
        Broker.Evaluate("application:set_env(rabbit, max_message_size, 5000)."); // of channels that are opened from now on
        RabbitMqOutbox outbox = Open();
        await ServeAsync(FarmRpc.Service(new Farm("one") { All = _all }));
        using (SharedQueue queue = SharedQueue.Open(Name))
        {
            queue.Send("no such record"u8);
            queue.Send([]);
        }

        RpcMethod<byte[], RpcEmpty> bytes = new("farm.v1", "Note", RpcMethodKind.Unary, Wire.Bytes, RpcEmpty.Codec, isOneWay: true);
        outbox.Notify(bytes, new byte[6000]);
        await outbox.For<IFarm>().NoteAsync(1, Cancel);
        Watchdog.Until(() => _all.Count == 1 && outbox.Waiting == 0, "the one that can be");
        Watchdog.Until(() => dropped.Count == 3, "all that never can be");
        Assert.Equal(["", "", "farm.v1/Note"], dropped.Select(static letter => letter.Method).Order());
        Assert.Equal(RpcStatus.ResourceExhausted, Assert.Throws<RpcCallException>(() => outbox.Notify(bytes, new byte[6000])).Status); // by now it is known
        Assert.Equal(RpcStatus.InvalidArgument, Assert.Throws<RpcCallException>(() => outbox.With(new RpcMetadata { { "large", new byte[20_000] } }).Notify(bytes, [])).Status);
        Assert.Equal(RpcStatus.InvalidArgument, Assert.Throws<RpcCallException>(() => outbox.With(new RpcMetadata { { new string('k', 300), "v" } }).Notify(bytes, [])).Status);
        Broker.Evaluate("application:set_env(rabbit, max_message_size, 134217728).");
        await EndAsync(outbox);
    }

    private RabbitMqOutbox Open()
    {
        _options.Broker = ClientOptions;
        return Mine(RabbitMqOutbox.Open(Name, Address, _options));
    }

    /// <summary>Its queue stays until somebody removes it.</summary>
    private async Task EndAsync(RabbitMqOutbox outbox)
    {
        await outbox.DisposeAsync();
        Assert.True(File.Exists(SharedRegions.FileOf(Name)));
        foreach (string file in Directory.GetFiles(Path.GetDirectoryName(SharedRegions.FileOf(Name))!, Name + "*"))
            File.Delete(file);
    }
}
