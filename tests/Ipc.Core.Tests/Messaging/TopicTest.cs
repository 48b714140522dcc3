using System;
using System.Collections.Generic;
using System.Linq;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>A test with a topic of eight small slots, and the words to talk about it.</summary>
public abstract class TopicTest : RegionTest
{
    protected const int Slots = 8;
    protected const string Name = "topic";

    protected static TopicOptions Eight(WaitMode wait = WaitMode.Adaptive, int count = Slots, bool route = false, TopicPolicies policies = TopicPolicies.All,
        long budget = 0, int readers = 64, int writers = 64, OpenMode mode = OpenMode.OpenOrCreate) => new()
        {
            BlockSize = 64,
            BlockCount = count,
            WaitMode = wait,
            SingleWriter = route,
            AllowedPolicies = policies,
            LoanBudget = budget,
            MaxReaders = readers,
            MaxWriters = writers,
            OpenMode = mode,
        };

    protected TopicWriter Writer(TopicOptions? options = null) => Own(TopicWriter.Open(Name, options ?? Eight()));

    protected TopicReader Reader(TopicPolicy policy = TopicPolicy.Reliable, TopicJoin join = TopicJoin.Newest, TopicOptions? options = null, TopicWriter? ignore = null) =>
        Own(TopicReader.Open(Name, options ?? Eight(), new TopicReaderOptions { Policy = policy, Join = join, IgnoreWriter = ignore }));

    /// <summary>Publishes first, first + 1, ...; key and type follow from the number.</summary>
    protected static void Publish(TopicWriter writer, int first, int count, ulong key = 0)
    {
        for (int number = first; number < first + count; number++)
            Assert.True(writer.TryPublish(BitConverter.GetBytes(number), (ushort)number, key), $"no room for {number}");
    }

    /// <summary>Reads and releases one by one until there is nothing; what was read.</summary>
    protected static int[] Drain(TopicReader reader, IpcStatus end = IpcStatus.Empty)
    {
        List<int> read = new();
        IpcStatus status;
        while ((status = reader.TryRead(out TopicMessage message)) == IpcStatus.Ok)
        {
            read.Add(NumberOf(message));
            Assert.Equal(IpcStatus.Ok, reader.Release());
        }

        Assert.Equal(end, status);
        return read.ToArray();
    }

    protected static int NumberOf(in TopicMessage message)
    {
        int number = BitConverter.ToInt32(message.Payload);
        Assert.Equal((ushort)number, message.Type);
        return number;
    }

    protected static int Next(TopicReader reader)
    {
        Assert.Equal(IpcStatus.Ok, reader.TryRead(out TopicMessage message));
        return NumberOf(message);
    }

    protected static int[] Numbers(int first, int count) => Enumerable.Range(first, count).ToArray();

    protected static void IsEmpty(TopicReader reader) => Assert.Equal(IpcStatus.Empty, reader.TryRead(out _));
}
