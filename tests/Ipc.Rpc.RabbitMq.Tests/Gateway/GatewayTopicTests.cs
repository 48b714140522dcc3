using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Tcp.Tests;
using Ipc.Testing.Drive;
using RabbitMQ.Client;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>A topic on several machines: here each machine has a name of its own for it.</summary>
public sealed class GatewayTopicTests(BrokerProcess broker) : GatewayTest(broker)
{
    private RabbitMqTopicOptions Options { get; } = new() { FirstPause = TimeSpan.FromMilliseconds(20), LongestPause = TimeSpan.FromMilliseconds(200), Topic = new TopicOptions { BlockSize = 64, BlockCount = 1024 } };

    [Fact]
    public async Task WhatOneMachinePublishesAllOthersGetInOrder()
    {
        Options.Policy = TopicPolicy.Reliable; // the writers are faster than the broker
        RabbitMqTopic[] machines = [.. Enumerable.Range(0, 4).Select(i => Carry("m" + i))];
        TopicReader[] readers = [.. machines.Select(machine => Own(TopicReader.Open(machine.Name, Options.Topic)))];
        TopicWriter[] writers = [.. machines.Take(2).Select(machine => Own(TopicWriter.Open(machine.Name, Options.Topic)))];
        const int Count = 20_000;
        Task[] writing = [.. writers.Select((writer, who) => Task.Run(() =>
        {
            for (int i = 0; i < Count; i++)
                Assert.Equal(IpcStatus.Ok, writer.Publish(BitConverter.GetBytes(i), (ushort)who, (ulong)i * 7, Hang));
        }))];
        Task[] reading = [.. readers.Select((reader, at) => Task.Run(() =>
        {
            int[] next = new int[2];
            for (int seen = 0; seen < 2 * Count; seen++)
            {
                Assert.Equal(IpcStatus.Ok, reader.Read(out TopicMessage message, Hang));
                int number = BitConverter.ToInt32(message.Payload);
                Assert.Equal((next[message.Type]++, (ulong)number * 7), (number, message.Key));
                reader.Release();
            }

            Assert.Equal(IpcStatus.Empty, reader.TryRead(out _));
        }))];
        await Task.WhenAll([.. writing, .. reading]).WaitAsync(Patience, Cancel);
        Assert.All(machines, static machine => Assert.Equal((0L, 0L), (machine.Lost, machine.Unfit)));
        Assert.Equal([Count, Count, 0, 0], machines.Select(static machine => (int)machine.Sent));
        Assert.Equal([Count, Count, 2 * Count, 2 * Count], machines.Select(static machine => (int)machine.Received));
    }

    /// <summary>Far more than the topic holds, past a reader that waits for the broker: it must not wait for what its own gateway publishes.</summary>
    [Fact]
    public async Task AReliableTopicCarriesMoreThanItHoldsInBothDirections()
    {
        Options.Policy = TopicPolicy.Reliable;
        Options.Topic.BlockCount = 16;
        RabbitMqTopic one = Carry("one"), two = Carry("two");
        using TopicWriter first = TopicWriter.Open(one.Name, Options.Topic), second = TopicWriter.Open(two.Name, Options.Topic);
        Task[] writing = [.. new[] { first, second }.Select(writer => Task.Run(() =>
        {
            for (int i = 0; i < 2000; i++)
                Assert.Equal(IpcStatus.Ok, writer.Publish(BitConverter.GetBytes(i), 0, 0, Hang));
        }))];
        await Task.WhenAll(writing).WaitAsync(Patience, Cancel);
        Watchdog.Until(() => one.Received == 2000 && two.Received == 2000, "all to come");
        Assert.Equal((0, 0), (one.Lost, two.Lost));
    }

    /// <summary>A lossy topic much smaller than what comes: the gateway's own reader passes over that, and one that it overtook would call it lost.</summary>
    [Fact]
    public void WhatComesFasterThanTheTopicHoldsItIsNotLostToItsOwnGateway()
    {
        const int Count = 20_000;
        Options.Policy = TopicPolicy.Reliable;
        RabbitMqTopic one = Carry("one");
        Options.Policy = TopicPolicy.Lossy;
        Options.Topic = new TopicOptions { BlockSize = 64, BlockCount = 16 };
        RabbitMqTopic two = Carry("two");
        using TopicWriter writer = TopicWriter.Open(one.Name);
        Publish(writer, 0, Count);
        Watchdog.Until(() => two.Received + two.Lost >= Count, "all to come");
        Assert.Equal((Count, 0L, 0L), ((int)two.Received, two.Lost, one.Lost));
    }

    [Fact]
    public async Task WhatTheBrokersAbsenceLeavesOutIsCounted()
    {
        await HaveBrokerAloneAsync();
        RabbitMqTopic one = Carry("one"), two = Carry("two");
        using TopicWriter writer = TopicWriter.Open(one.Name, Options.Topic);
        using TopicReader reader = TopicReader.Open(two.Name, Options.Topic, new TopicReaderOptions { Policy = TopicPolicy.Lossy });
        Publish(writer, 0, 10);
        Watchdog.Until(() => two.Received == 10, "the first");
        Broker.Kill();
        Watchdog.Until(() => !one.IsServing && !two.IsServing, "both to notice");
        Publish(writer, 10, 5000); // it holds 1024
        Broker.Restart();
        Broker.WaitUntilReady();
        Serves(one);
        Serves(two);
        Publish(writer, 5010, 10);
        Watchdog.Until(() => two.Received + two.Lost >= 5020, "the last");
        Watchdog.Until(() => one.Sent + one.Lost >= 5020, "the rest");
        Assert.InRange(one.Lost, 3000, 5000);
        Assert.Equal(5020, two.Received + two.Lost);
        int last = -1;
        long lost = 0;
        while (reader.TryRead(out TopicMessage message) == IpcStatus.Ok)
        {
            int number = BitConverter.ToInt32(message.Payload);
            Assert.True(number > last, $"{number} after {last}");
            last = number;
            lost += message.Lost;
        }

        Assert.Equal(5019, last);
    }

    [Fact]
    public async Task ASecondGatewayOfOneTopicOnOneMachineIsRefusedUntilTheFirstHasGone()
    {
        RabbitMqTopic first = RabbitMqTopic.Start(Here, Address, Options);
        Serves(first);
        RabbitMqTopic second = Mine(RabbitMqTopic.Start(Here, Address, Options));
        Says(() => second.Trouble?.Contains("405", StringComparison.Ordinal) == true, () => second.Trouble);
        await first.DisposeAsync();
        Serves(second);
    }

    [Fact]
    public async Task WhatIsNoMessageOfATopicIsLeftOut()
    {
        RabbitMqTopic one = Carry("one"), two = Carry("two");
        using TopicReader reader = TopicReader.Open(one.Name, Options.Topic);
        await using IConnection connection = await OpenAsync();
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        byte[] well = [10, 5, 34, 3, 1, 2, 3];
        async Task Send(byte[] body, string? type = "ipc-topic/1", string? source = "s", object? first = null, bool hasFirst = true) => await channel.BasicPublishAsync(
            "ipc.topic." + Service, "", false,
            new BasicProperties { Type = type, MessageId = source, Headers = hasFirst ? new Dictionary<string, object?> { ["ipc-first"] = first ?? 1L } : null }, body, Cancel);
        await Send(well, type: null);
        await Send(well, type: "ipc-rpc/1");
        await Send(well, source: null);
        await Send(well, source: new string('x', 100));
        await Send(well, hasFirst: false);
        await Send(well, first: -1L);
        await Send(well, first: long.MaxValue);
        await Send(well, first: "1");
        await Send([10, 200, 200]);
        await Send([255, 255, 255, 255, 255]);
        await Send([.. Enumerable.Range(0, 140_000).Select(static i => (byte)(i % 2 == 0 ? 10 : 0))]); // 70,000 empty ones
        Watchdog.Until(() => one.Unfit == 11 && two.Unfit == 11, "all to be counted");
        await Send(well);
        await Send(well); // once more
        await Send(well, first: 5L);
        await Send([10, 10, 16, 255, 255, 255, 255, 255, 255, 255, 255, 127, .. well], first: 6L);
        Assert.Equal(IpcStatus.Ok, reader.Read(out TopicMessage message, Hang));
        Assert.Equal([1, 2, 3], message.Payload.ToArray());
        Watchdog.Until(() => one.Received >= 3, "what is well");
        Assert.Equal(3, one.Lost);
    }

    [Fact]
    public void WhatATopicDoesNotHoldIsLeftOut()
    {
        RabbitMqTopic one = Carry("one");
        Options.Topic = new TopicOptions { BlockSize = 64, BlockCount = 64, LoanBudget = 0 };
        RabbitMqTopic two = Carry("two");
        using TopicWriter writer = TopicWriter.Open(one.Name);
        using TopicReader reader = TopicReader.Open(two.Name, Options.Topic);
        Assert.Equal(IpcStatus.Ok, writer.Publish(new byte[1000], 0, 0, Hang));
        Assert.Equal(IpcStatus.Ok, writer.Publish(new byte[10], 0, 0, Hang));
        Assert.Equal(IpcStatus.Ok, reader.Read(out TopicMessage message, Hang));
        Assert.Equal((10, 1L), (message.Payload.Length, two.Unfit));
    }

    /// <summary>The broker ends the connection for a message that it does not take; all others go, and what does not is counted at both ends.</summary>
    [Fact]
    public async Task AMessageThatIsTooLargeForTheBrokerHoldsNothingUp()
    {
        await HaveBrokerAloneAsync();
        Options.Policy = TopicPolicy.Reliable;
        Broker.Evaluate("application:set_env(rabbit, max_message_size, 30000)."); // of channels that are opened from now on
        try
        {
            RabbitMqTopic one = Carry("one"), two = Carry("two");
            using TopicWriter writer = TopicWriter.Open(one.Name, Options.Topic);
            for (int i = 0; i < 100; i++)
                Assert.Equal(IpcStatus.Ok, writer.Publish(new byte[i == 50 ? 40_000 : 1000], 0, 0, Hang));
            Watchdog.Until(() => two.Received + two.Lost == 100, "all that go");
            Assert.Equal((99L, 99L, 1L, 1L), (one.Sent, two.Received, one.Unfit, two.Lost));
        }
        finally
        {
            Broker.Evaluate("application:set_env(rabbit, max_message_size, 134217728).");
        }
    }

    [Fact]
    public void BatchesAreNoLargerThanTheMessagesThatAreAllowed()
    {
        Options.Policy = TopicPolicy.Reliable;
        Options.MaxMessageBytes = 4096;
        RabbitMqTopic one = Carry("one"), two = Carry("two");
        using TopicWriter writer = TopicWriter.Open(one.Name, Options.Topic);
        for (int i = 0; i < 500; i++)
            Assert.Equal(IpcStatus.Ok, writer.Publish(new byte[i % 100 == 50 ? 5000 : 300], 0, 0, Hang));
        Watchdog.Until(() => two.Received + two.Lost == 500 || one.Unfit == 5, "all that go");
        Publish(writer, 0, 1); // behind the last that does not
        Watchdog.Until(() => two.Received + two.Lost == 501, "the last");
        Assert.Equal((5L, 496L, 0L), (one.Unfit, two.Received, two.Unfit));
    }

    [Fact]
    public void WhatANewerMessageReplacesIsNotLost()
    {
        Options.Policy = TopicPolicy.Latest;
        RabbitMqTopic one = Carry("one"), two = Carry("two");
        using TopicWriter writer = TopicWriter.Open(one.Name, Options.Topic);
        using TopicReader reader = TopicReader.Open(two.Name, Options.Topic);
        Publish(writer, 0, 500);
        int last = -1;
        while (last != 499)
        {
            Assert.Equal(IpcStatus.Ok, reader.Read(out TopicMessage message, Hang));
            last = BitConverter.ToInt32(message.Payload);
            reader.Release();
        }

        Assert.Equal((0, 0), (one.Lost, two.Lost));
    }

    [Fact]
    public void WhoOnlySendsLeavesTheWritersPlaceToTheProgram()
    {
        Options.Topic.SingleWriter = true;
        Options.Receives = false;
        RabbitMqTopic one = Carry("one");
        using TopicWriter writer = TopicWriter.Open(one.Name, Options.Topic);
        (Options.Receives, Options.Sends) = (true, false);
        RabbitMqTopic two = Carry("two");
        using TopicReader reader = TopicReader.Open(two.Name, Options.Topic);
        Publish(writer, 7, 1);
        Assert.Equal(IpcStatus.Ok, reader.Read(out TopicMessage message, Hang));
        Assert.Equal(7, BitConverter.ToInt32(message.Payload));
        Options.Sends = true;
        Assert.Throws<ArgumentException>(() => RabbitMqTopic.Start(Here, Address, Options));
    }

    /// <summary>As by who cleans up too much: programs that come then have another topic of that name, and so has its gateway.</summary>
    [Fact]
    public void ATopicThatWasRemovedIsOpenedAnew()
    {
        RabbitMqTopic one = Carry("one"), two = Carry("two");
        using TopicWriter writer = TopicWriter.Open(one.Name, Options.Topic);
        Publish(writer, 0, 10);
        Watchdog.Until(() => two.Received == 10, "the first");
        System.IO.File.Delete(SharedRegions.FileOf(two.Name));
        using TopicReader reader = TopicReader.Open(two.Name, Options.Topic);
        int next = 10;
        Watchdog.Until(
            () =>
            {
                Publish(writer, next++, 1);
                return reader.TryRead(out _) == IpcStatus.Ok;
            },
            "what comes then");
    }

    /// <summary>Its connection breaks again and again under load: each message comes once or is counted, in order.</summary>
    [Fact]
    public async Task CutsLoseNothingUncountedAndRepeatNothing()
    {
        using BadNetwork network = new(Broker.EndPoint);
        RabbitMqTopic one = Mine(RabbitMqTopic.Start(Service + "-one", AddressAt(network.Port), Options)), two = Carry("two");
        Serves(one);
        using TopicWriter writer = TopicWriter.Open(one.Name, Options.Topic);
        using TopicReader reader = TopicReader.Open(two.Name, Options.Topic);
        using CancellationTokenSource over = new();
        int written = 0;
        Task writing = Task.Run(async () =>
        {
            while (!over.IsCancellationRequested)
            {
                Publish(writer, written, 50);
                written += 50;
                await Task.Delay(1);
            }

            while (one.Sent + one.Lost < written)
                await Task.Delay(10);
        });
        Task<(int Seen, int Last)> reading = Task.Run(() =>
        {
            int seen = 0, last = -1;
            while (!over.IsCancellationRequested || last < written - 1)
            {
                if (reader.Read(out TopicMessage message, Deadline.FromMilliseconds(500)) != IpcStatus.Ok)
                    continue;
                int number = BitConverter.ToInt32(message.Payload);
                Assert.True(number > last, $"{number} after {last}");
                (last, seen) = (number, seen + 1);
                reader.Release();
            }

            return (seen, last);
        });
        for (int i = 0; i < 10; i++)
        {
            long before = two.Received;
            Watchdog.Until(() => two.Received > before + 500 || reading.IsCompleted, "traffic");
            network.Cut();
        }

        over.Cancel();
        await writing.WaitAsync(Patience, Cancel);
        (int seen, int last) = await reading.WaitAsync(Patience, Cancel);
        Assert.Equal((written - 1, (long)written), (last, seen + two.Lost));
    }

    [Fact]
    public void OptionsThatCannotBeAreRefused()
    {
        Assert.Throws<ArgumentException>(() => RabbitMqTopic.Start(Here, Address, new RabbitMqTopicOptions { Sends = false, Receives = false }));
        Assert.Throws<ArgumentOutOfRangeException>(() => RabbitMqTopic.Start(Here, Address, new RabbitMqTopicOptions { Policy = TopicPolicy.Evict }));
        Assert.Throws<ArgumentOutOfRangeException>(() => RabbitMqTopic.Start(Here, Address, new RabbitMqTopicOptions { MaxWaitingBytes = 1 }));
        Assert.Throws<ArgumentException>(() => RabbitMqTopic.Start(Here, "amqp://broker/a/b/c"));
    }

    private static void Publish(TopicWriter writer, int first, int count)
    {
        for (int i = first; i < first + count; i++)
            Assert.Equal(IpcStatus.Ok, writer.Publish(BitConverter.GetBytes(i), 0, 0, Hang));
    }

    private static void Serves(RabbitMqTopic topic) => Says(() => topic.IsServing, () => topic.Trouble);

    private RabbitMqTopic Carry(string name)
    {
        RabbitMqTopic topic = Mine(RabbitMqTopic.Start(Service + "-" + name, Address, Options));
        Serves(topic);
        return topic;
    }
}
