using System;
using System.Threading;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>What must cost nothing.</summary>
public sealed class CostTests : RegionTest
{
    [Fact]
    public void SteadyTrafficDoesNotAllocate()
    {
        using RingWriter writer = RingWriter.Open("ring", Small());
        using RingReader reader = RingReader.Open("ring");
        byte[] payload = new byte[100];
        Traffic(writer, reader, payload, 10_000); // everything has run once
        long before = GC.GetAllocatedBytesForCurrentThread();
        Traffic(writer, reader, payload, 100_000);
        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
    }

    [Fact]
    public void SleepingDoesNotAllocate()
    {
        const int Rounds = 2000;
        using RingWriter writer = RingWriter.Open("ring", Small(wait: WaitMode.Block));
        using RingReader reader = RingReader.Open("ring", Small(wait: WaitMode.Block));
        using RingWriter answers = RingWriter.Open("answers", Small(wait: WaitMode.Block));
        using RingReader answered = RingReader.Open("answers", Small(wait: WaitMode.Block));
        long allocated = -1;
        Background echo = Run(() =>
        {
            long before = 0;
            for (int i = 0; i < Rounds; i++)
            {
                if (i == Rounds / 2)
                    before = GC.GetAllocatedBytesForCurrentThread();
                if (reader.Read(out RingRecord record, Deadline.Never) == IpcStatus.Ok)
                    answers.Write(record.Payload, 0, Deadline.Never);
                reader.Release();
            }

            allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        });
        for (int i = 0; i < Rounds; i++)
        {
            Assert.Equal(IpcStatus.Ok, writer.Write("x"u8, 0, Deadline.Never));
            Assert.Equal(IpcStatus.Ok, answered.Read(out _, Deadline.Never));
            answered.Release();
        }

        echo.Join();
        Assert.Equal(0, allocated);
    }

    [Fact]
    public void ABlockedReaderUsesNoProcessor()
    {
        using RingWriter writer = RingWriter.Open("ring", Small());
        using RingReader reader = RingReader.Open("ring");
        Background waiting = Run(() => Assert.Equal(IpcStatus.Stopped, reader.Read(out _, Deadline.Never)));
        waiting.UntilAsleep();
        TimeSpan before = waiting.ProcessorTime();
        Thread.Sleep(500); // what is measured: half a second of nothing
        TimeSpan used = waiting.ProcessorTime() - before;
        reader.Stop();
        waiting.Join();
        Assert.InRange(used.TotalMilliseconds, 0, 2);
    }

    [Fact]
    public void AnIdleListenerWithConnectionsUsesNoProcessor()
    {
        using EchoServer server = new("idle");
        using Connection connection = Connection.Connect("idle");
        Assert.Equal("hello", EchoServer.Call(connection, "hello"));
        server.Thread.UntilAsleep();
        TimeSpan before = server.Thread.ProcessorTime();
        Thread.Sleep(500); // what is measured: half a second of nothing
        Assert.InRange((server.Thread.ProcessorTime() - before).TotalMilliseconds, 0, 2);
        Assert.Equal("again", EchoServer.Call(connection, "again"));
    }

    private static void Traffic(RingWriter writer, RingReader reader, byte[] payload, int count)
    {
        for (int i = 0; i < count; i++)
        {
            if (!writer.TryWrite(payload) || !reader.TryRead(out _))
                throw new InvalidOperationException("the ring is stuck");
            reader.Release();
        }
    }
}
