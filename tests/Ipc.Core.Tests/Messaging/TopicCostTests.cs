using System;
using System.Threading;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>What must cost nothing at a topic.</summary>
public sealed class TopicCostTests : TopicTest
{
    [Theory]
    [InlineData(TopicPolicy.Reliable, 64)]
    [InlineData(TopicPolicy.Evict, 64)]
    [InlineData(TopicPolicy.Lossy, 64)]
    [InlineData(TopicPolicy.Latest, 64)]
    [InlineData(TopicPolicy.Reliable, 20_000)]
    [InlineData(TopicPolicy.Lossy, 20_000)]
    public void SteadyTrafficDoesNotAllocate(TopicPolicy policy, int length)
    {
        TopicWriter writer = Writer(Eight(budget: 1 << 20));
        TopicReader reader = Reader(policy);
        byte[] payload = new byte[length];
        Traffic(writer, reader, payload, 2000); // everything has run once
        long before = GC.GetAllocatedBytesForCurrentThread();
        Traffic(writer, reader, payload, 20_000);
        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
    }

    [Fact]
    public void LosingAndConflatingDoesNotAllocate()
    {
        TopicWriter writer = Writer();
        TopicReader lossy = Reader(TopicPolicy.Lossy), latest = Reader(TopicPolicy.Latest);
        long before = 0;
        for (int round = 0; round < 4000; round++)
        {
            if (round == 2000)
                before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < 12; i++)
                writer.TryPublish("payload"u8, 0, (ulong)(i * round % 7));
            if (lossy.TryRead(out _) != IpcStatus.Ok || latest.TryRead(out _) != IpcStatus.Ok || lossy.Release() != IpcStatus.Ok)
                throw new InvalidOperationException("there is something to read");
        }

        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
        Assert.True(lossy.Lost > 0 && latest.Conflated > 0);
    }

    [Fact]
    public void SleepingDoesNotAllocate()
    {
        const int Rounds = 1000;
        TopicWriter writer = Writer(Eight(WaitMode.Block));
        TopicReader reader = Reader(options: Eight(WaitMode.Block));
        using TopicWriter answers = TopicWriter.Open("answers", Eight(WaitMode.Block));
        using TopicReader answered = TopicReader.Open("answers", Eight(WaitMode.Block));
        long allocated = -1;
        Background echo = Run(() =>
        {
            long before = 0;
            for (int round = 0; round < Rounds; round++)
            {
                if (round == Rounds / 2)
                    before = GC.GetAllocatedBytesForCurrentThread();
                if (reader.Read(out TopicMessage message, Deadline.Never) == IpcStatus.Ok)
                    answers.Publish(message.Payload, 0, 0, Deadline.Never);
                reader.Release();
            }

            allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        });
        for (int round = 0; round < Rounds; round++)
        {
            Assert.Equal(IpcStatus.Ok, writer.Publish("x"u8, 0, 0, Deadline.Never));
            Assert.Equal(IpcStatus.Ok, answered.Read(out _, Hang));
            answered.Release();
        }

        echo.Join();
        Assert.Equal(0, allocated);
    }

    [Fact]
    public void ABlockedReaderUsesNoProcessor()
    {
        Writer();
        TopicReader reader = Reader();
        Background waiting = Run(() => Assert.Equal(IpcStatus.Stopped, reader.Read(out _, Deadline.Never)));
        waiting.UntilAsleep();
        TimeSpan before = waiting.ProcessorTime();
        Thread.Sleep(500); // what is measured: half a second of nothing
        TimeSpan used = waiting.ProcessorTime() - before;
        reader.Stop();
        waiting.Join();
        Assert.InRange(used.TotalMilliseconds, 0, 2);
    }

    private static void Traffic(TopicWriter writer, TopicReader reader, byte[] payload, int count)
    {
        for (int i = 0; i < count; i++)
        {
            if (!writer.TryPublish(payload, 1, (ulong)i) || reader.TryRead(out TopicMessage message) != IpcStatus.Ok || message.Payload.Length != payload.Length ||
                reader.Release() != IpcStatus.Ok)
            {
                throw new InvalidOperationException("the topic is stuck");
            }
        }
    }
}
