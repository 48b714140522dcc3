using System;
using System.Diagnostics;
using System.Threading;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>The calls that take a TimeSpan: reading the clock costs more than what most of them do, so they read it where a wait begins and not before.</summary>
public sealed class TimeoutTests : RegionTest
{
    private const string NotCounted = "how often the clock is read is counted on Linux alone";

    private static readonly TimeSpan s_short = TimeSpan.FromMilliseconds(30);

    public static bool IsCounted => OperatingSystem.IsLinux();

    private static TimeSpan Patience => Watchdog.Patience;

    [Fact(Skip = NotCounted, SkipUnless = nameof(IsCounted))]
    public void AWaitReadsTheClock()
    {
        using RingReader reader = RingReader.Open("ring");
        Assert.NotEqual(0, ClockReads(() => Assert.Equal(IpcStatus.Timeout, reader.Read(out _, TimeSpan.FromTicks(1)))));
        Assert.NotEqual(0, ClockReads(() => Deadline.After(Patience)));
    }

    [Fact(Skip = NotCounted, SkipUnless = nameof(IsCounted))]
    public void ARingThatIsReadyNeedsNoClock()
    {
        using RingWriter writer = RingWriter.Open("ring", Small());
        using RingReader reader = RingReader.Open("ring", Small());
        Assert.Equal(0, ClockReads(() =>
        {
            writer.Write("one"u8, 1, Patience);
            Assert.Equal(IpcStatus.Ok, writer.Claim(1, out _, Patience));
            writer.Commit(1);
            Assert.Equal(IpcStatus.Ok, writer.WaitForPeer(Patience));
            Assert.Equal(IpcStatus.Ok, reader.WaitForPeer(Patience));
            Assert.Equal(IpcStatus.Ok, reader.Wait(Patience));
            Assert.Equal(IpcStatus.Ok, reader.Read(out RingRecord record, Patience));
            Assert.Equal("one"u8, record.Payload);
            Assert.Equal(IpcStatus.Ok, reader.Read(out _, Patience));
            reader.Release();
            Assert.Equal(IpcStatus.Timeout, reader.Read(out _, TimeSpan.Zero));
            Assert.Equal(IpcStatus.Timeout, reader.Wait(TimeSpan.Zero));
        }));
    }

    [Fact(Skip = NotCounted, SkipUnless = nameof(IsCounted))]
    public void ATopicThatIsReadyNeedsNoClock()
    {
        using TopicWriter writer = TopicWriter.Open("topic");
        using TopicReader reader = TopicReader.Open("topic");
        Assert.Equal(0, ClockReads(() =>
        {
            Assert.Equal(IpcStatus.Ok, writer.WaitForReaders(1, Patience));
            writer.Publish("one"u8, 1, 7, Patience);
            Assert.Equal(IpcStatus.Ok, writer.Claim(1, out TopicClaim claim, Patience));
            claim.Commit();
            Assert.Equal(IpcStatus.Ok, reader.Wait(Patience));
            Assert.Equal(IpcStatus.Ok, reader.Read(out TopicMessage message, Patience));
            Assert.Equal("one"u8, message.Payload);
            Assert.Equal(7UL, message.Key);
            Assert.Equal(IpcStatus.Ok, reader.Read(out _, Patience));
            Assert.Equal(IpcStatus.Ok, reader.Release());
            Assert.Equal(IpcStatus.Timeout, reader.Read(out _, TimeSpan.Zero));
            Assert.Equal(IpcStatus.Timeout, reader.Wait(TimeSpan.Zero));
        }));
    }

    [Fact(Skip = NotCounted, SkipUnless = nameof(IsCounted))]
    public void AQueueThatIsReadyNeedsNoClock()
    {
        using SharedQueue queue = SharedQueue.Open("queue");
        Assert.Equal(0, ClockReads(() =>
        {
            queue.Send("one"u8, Patience);
            Assert.Equal(IpcStatus.Ok, queue.Claim(1, out QueueClaim claim, Patience));
            claim.Commit();
            Assert.Equal(IpcStatus.Ok, queue.Wait(Patience));
            queue.Send("typed"u8, 7, Patience);
            queue.Receive(Patience).Dispose();
            queue.Receive(Patience).Dispose();
            Assert.Equal(IpcStatus.Ok, queue.Receive(out QueueMessage message, Patience));
            Assert.Equal("typed"u8, message.Payload);
            Assert.Equal(7, message.Type);
            message.Release();
            Assert.Equal(IpcStatus.Timeout, queue.Receive(out _, TimeSpan.Zero));
            Assert.Equal(IpcStatus.Timeout, queue.Wait(TimeSpan.Zero));
        }));
    }

    [Fact(Skip = NotCounted, SkipUnless = nameof(IsCounted))]
    public void ALockThatIsFreeNeedsNoClock()
    {
        using SharedMutex mutex = SharedMutex.Open("mutex");
        using SharedSemaphore semaphore = SharedSemaphore.Open("semaphore");
        using SharedEvent signal = SharedEvent.Open("event");
        signal.Set();
        Assert.Equal(0, ClockReads(() =>
        {
            mutex.Acquire(Patience).Dispose();
            semaphore.Acquire(Patience).Dispose();
            signal.Wait(Patience);
        }));
    }

    [Fact(Skip = NotCounted, SkipUnless = nameof(IsCounted))]
    public void AListenerThatHasAnEventNeedsNoClockForATimeout()
    {
        using Listener listener = Listener.Open("server");
        using SemaphoreSlim written = new(0);
        Background client = Run(() =>
        {
            using Connection connection = Connection.Connect("server");
            for (int i = 0; i < 2; i++)
            {
                connection.Writer.Write("hello"u8, 1, Patience);
                written.Release();
                Assert.Equal(IpcStatus.Ok, connection.Reader.Read(out _, Patience));
                connection.Reader.Release();
            }
        });
        Assert.Equal(IpcStatus.Ok, listener.Next(out ListenerEvent next, Patience));
        next.Connection.Accept();
        listener.Return(next.Connection);
        Assert.True(written.Wait(Patience));
        long ofItsOwn = ClockReads(() => Assert.Equal(IpcStatus.Ok, listener.Next(out next, Deadline.Never))); // when it was active
        Answer(listener, next);
        Assert.True(written.Wait(Patience));
        Assert.Equal(ofItsOwn, ClockReads(() => Assert.Equal(IpcStatus.Ok, listener.Next(out next, Patience))));
        Answer(listener, next);
        client.Join();
        Assert.Equal(IpcStatus.Ok, listener.Next(out next, Patience));
        Assert.Equal(ListenerEventKind.Closed, next.Kind);
        next.Connection.Dispose();
        Assert.Equal(0, ClockReads(() => Assert.Equal(IpcStatus.Timeout, listener.Next(out _, TimeSpan.Zero))));
    }

    [Fact(Skip = NotCounted, SkipUnless = nameof(IsCounted))]
    public void ANamedConnectionThatIsReadyNeedsNoClock()
    {
        LeavesFiles = true; // a conversation stays
        using NamedServer server = new("server");
        using NamedConnection client = NamedConnection.Open("server", "client");
        client.Connect(Patience);
        Assert.Equal(0, ClockReads(() =>
        {
            Assert.Equal(1, client.Send("one"u8, 1, Patience));
            Assert.Equal(2, client.Send("two"u8));
            Assert.Equal(IpcStatus.Ok, client.Claim(1, out _, Patience));
            Assert.Equal(3, client.Commit(1));
        }));
        Watchdog.Until(() => client.LastArrived == 3, "the answers");
        Assert.Equal(0, ClockReads(() =>
        {
            for (int i = 1; i <= 3; i++)
                Assert.Equal(IpcStatus.Ok, client.Receive(out _, Patience));
            client.Acknowledge();
            Assert.Equal(IpcStatus.Timeout, client.Receive(out _, TimeSpan.Zero));
        }));
    }

    [Theory]
    [InlineData(WaitMode.Adaptive)]
    [InlineData(WaitMode.Spin)]
    [InlineData(WaitMode.Block)]
    public void AWaitLastsAsLongAsSaid(WaitMode mode)
    {
        TopicOptions topic = new() { BlockCount = 8, BlockSize = 64, LoanBudget = 0, WaitMode = mode };
        QueueOptions few = new() { BlockCount = 4, BlockSize = 64, LoanBudget = 0, MaxExpansions = 0, WaitMode = mode };
        using RingWriter writer = RingWriter.Open("ring", Small(wait: mode));
        LastsAWhile(() => writer.WaitForPeer(s_short));
        using RingReader reader = RingReader.Open("ring", Small(wait: mode));
        LastsAWhile(() => reader.Read(out _, s_short));
        LastsAWhile(() => reader.Wait(s_short));
        Fill(() => writer.TryWrite(new byte[1000]));

        LastsAWhile(() => writer.Claim(1000, out _, s_short));
        LastsAWhile(() => StatusOf(() => writer.Write(new byte[1000], 0, s_short)));

        using TopicWriter publisher = TopicWriter.Open("topic", topic);
        LastsAWhile(() => publisher.WaitForReaders(1, s_short));
        using TopicReader subscriber = TopicReader.Open("topic", topic);
        LastsAWhile(() => subscriber.Read(out _, s_short));
        LastsAWhile(() => subscriber.Wait(s_short));
        Fill(() => publisher.TryPublish("x"u8));

        LastsAWhile(() => publisher.Claim(1, out _, s_short));
        LastsAWhile(() => StatusOf(() => publisher.Publish("x"u8, 0, 0, s_short)));

        using SharedQueue queue = SharedQueue.Open("queue", few);
        LastsAWhile(() => queue.Wait(s_short));
        LastsAWhile(() => queue.Receive(out _, s_short));
        LastsAWhile(() => StatusOf(() => queue.Receive(s_short)));
        Fill(() => queue.TrySend("x"u8));

        LastsAWhile(() => queue.Claim(1, out _, s_short));
        LastsAWhile(() => StatusOf(() => queue.Send("x"u8, s_short)));
        LastsAWhile(() => StatusOf(() => queue.Send("x"u8, 7, s_short)));
        while (queue.TryReceive(out QueueMessage message))
            message.Release();
    }

    [Theory]
    [InlineData(WaitMode.Adaptive)]
    [InlineData(WaitMode.Block)]
    public void AWaitForAnEventLastsAsLongAsSaid(WaitMode mode)
    {
        LeavesFiles = true; // a conversation stays
        using Listener listener = Listener.Open("server", new ListenerOptions { WaitMode = mode });
        LastsAWhile(() => listener.Next(out _, s_short));
        LastsAWhile(() => listener.Accept(out _, s_short));
        using NamedListener named = NamedListener.Open("named", new NamedListenerOptions { WaitMode = mode });
        LastsAWhile(() => named.Next(out _, s_short));
        using NamedConnection client = NamedConnection.Open(
            "named", "client", new NamedConnectionOptions { ToServerCapacity = 4096, LoanBudget = 0, WaitMode = mode });
        LastsAWhile(() => client.Receive(out _, s_short));
        Fill(() => client.TrySend(new byte[1000]));

        LastsAWhile(() => client.Claim(1000, out _, s_short));
        LastsAWhile(() => StatusOf(() => client.Send(new byte[1000], 0, s_short)));
    }

    [Fact]
    public void WhatComesInTimeEndsTheWait()
    {
        using RingWriter writer = RingWriter.Open("ring", Small());
        using RingReader reader = RingReader.Open("ring", Small());
        Background reading = Run(() =>
        {
            Assert.Equal(IpcStatus.Ok, reader.Wait(Patience));
            Assert.Equal(IpcStatus.Ok, reader.Read(out _, Patience));
            reader.Release();
            Assert.Equal(IpcStatus.Ok, reader.Read(out _, Timeout.InfiniteTimeSpan));
            Assert.Equal(IpcStatus.Stopped, reader.Read(out _, Timeout.InfiniteTimeSpan));
        });
        reading.UntilAsleep();
        writer.Write("one"u8, 0, Patience);
        reading.UntilAsleep();
        writer.Write("two"u8, 0, Timeout.InfiniteTimeSpan);
        reading.UntilAsleep();
        reader.Stop();
        reading.Join();
    }

    [Fact]
    public void ANegativeTimeIsAMistake()
    {
        TimeSpan negative = TimeSpan.FromMilliseconds(-2);
        using RingWriter writer = RingWriter.Open("ring", Small());
        using RingReader reader = RingReader.Open("ring", Small());
        using TopicWriter publisher = TopicWriter.Open("topic");
        using TopicReader subscriber = TopicReader.Open("topic");
        using SharedQueue queue = SharedQueue.Open("queue");
        using Listener listener = Listener.Open("server");
        Assert.All<Action>(
            [
                () => writer.Write("x"u8, 0, negative),
                () => writer.Claim(1, out _, negative),
                () => writer.WaitForPeer(negative),
                () => reader.Read(out _, negative),
                () => reader.Wait(negative),
                () => publisher.Publish("x"u8, 0, 0, negative),
                () => publisher.Claim(1, out _, negative),
                () => publisher.WaitForReaders(0, negative),
                () => subscriber.Read(out _, negative),
                () => subscriber.Wait(negative),
                () => queue.Send("x"u8, 7, negative),
                () => queue.Receive(out _, negative),
                () => queue.Claim(1, out _, negative),
                () => queue.Wait(negative),
                () => listener.Next(out _, negative),
                () => listener.Accept(out _, negative),
            ],
            static call => Assert.Equal("timeout", Assert.Throws<ArgumentOutOfRangeException>(call).ParamName));
        Assert.False(reader.TryRead(out _));
        Assert.Equal(IpcStatus.Empty, subscriber.TryRead(out _));
        Assert.False(queue.TryReceive(out _));
    }

    [Fact]
    public void WhatIsNotWrittenIsAnException()
    {
        byte[] large = new byte[1000];
        RingWriter writer = RingWriter.Open("ring", Small());
        RingReader reader = RingReader.Open("ring", Small());
        Fill(() => writer.TryWrite(large));

        using CancellationTokenSource source = new();
        source.Cancel();
        Assert.Throws<TimeoutException>(() => writer.Write(large, 0, s_short));
        Assert.Equal(source.Token, Assert.Throws<OperationCanceledException>(() => writer.Write(large, 0, Patience, source.Token)).CancellationToken);
        Assert.Equal(IpcStatus.TooLarge, Assert.Throws<IpcException>(() => writer.Write(new byte[5000], 0, Patience)).Status);
        writer.Stop();
        Assert.Equal(IpcStatus.Stopped, Assert.Throws<IpcException>(() => writer.Write(large, 0, Patience)).Status);
        writer.Resume();
        reader.Dispose();
        IpcException left = Assert.Throws<IpcException>(() => writer.Write(large, 0, Patience));
        Assert.Equal(IpcStatus.PeerClosed, left.Status);
        Assert.Contains("RingWriter.Write: the ring is full, and its reader has left", left.Message, StringComparison.Ordinal);
        writer.Dispose();
        Assert.Throws<ObjectDisposedException>(() => writer.Write(large, 0, Patience));
    }

    [Fact]
    public void WhatIsNotPublishedIsAnException()
    {
        TopicOptions eight = new() { BlockCount = 8, BlockSize = 64, LoanBudget = 0 };
        TopicWriter writer = TopicWriter.Open("topic", eight);
        using TopicReader reader = TopicReader.Open("topic", eight);
        using CancellationTokenSource source = new();
        source.Cancel();
        writer.Publish("x"u8, 0, 0, Patience, source.Token); // there is room: nobody asks
        Fill(() => writer.TryPublish("x"u8));

        Assert.Throws<TimeoutException>(() => writer.Publish("x"u8, 0, 0, s_short));
        Assert.NotNull(writer.SlowReader);
        Assert.Throws<OperationCanceledException>(() => writer.Publish("x"u8, 0, 0, Patience, source.Token));
        writer.Stop();
        Assert.Equal(IpcStatus.Stopped, Assert.Throws<IpcException>(() => writer.Publish("x"u8, 0, 0, Patience)).Status);
        writer.Dispose();
        Assert.Throws<ObjectDisposedException>(() => writer.Publish("x"u8, 0, 0, Patience));
    }

    /// <summary>Only when the time is over, and not by the first look, which does not wait.</summary>
    [Fact]
    public void WhoHoldsWritersUpIsCutOffWhenTheTimeIsOver()
    {
        TopicOptions eight = new() { BlockCount = 8, BlockSize = 64, LoanBudget = 0 };
        using TopicWriter writer = TopicWriter.Open("topic", eight);
        using TopicReader reader = TopicReader.Open("topic", eight, new TopicReaderOptions { Policy = TopicPolicy.Evict });
        Fill(() => writer.TryPublish("x"u8));

        Background publishing = Run(() =>
        {
            writer.Publish("in time"u8, 0, 0, Patience);
            Fill(() => writer.TryPublish("x"u8));

            writer.Publish("late"u8, 0, 0, s_short);
        });
        publishing.UntilAsleep();
        for (int i = 0; i < 8; i++)
            Assert.Equal(IpcStatus.Ok, reader.Read(out _, Patience));
        Assert.Equal(IpcStatus.Ok, reader.Release()); // it has not been cut off
        publishing.Join();
        Assert.Equal(IpcStatus.Evicted, reader.Read(out _, Patience));
    }

    private static void Answer(Listener listener, ListenerEvent asked)
    {
        Assert.Equal(ListenerEventKind.Readable, asked.Kind);
        Assert.True(asked.Connection.Reader.TryRead(out _));
        asked.Connection.Reader.Release();
        asked.Connection.Writer.Write("answer"u8, 1, Patience);
        listener.Return(asked.Connection);
    }

    private static void Fill(Func<bool> sends)
    {
        while (sends())
        {
        }
    }

    private static void LastsAWhile(Func<IpcStatus> call)
    {
        long began = Stopwatch.GetTimestamp();
        Assert.Equal(IpcStatus.Timeout, call());
        Assert.InRange(Stopwatch.GetElapsedTime(began), s_short, Patience);
    }

    private static IpcStatus StatusOf(Action call)
    {
        Assert.Throws<TimeoutException>(call);
        return IpcStatus.Timeout;
    }

    private static long ClockReads(Action action)
    {
        LinuxOs system = (LinuxOs)Os.Current;
        long before = LinuxOs.ClockReads;
        system.CountClockReads(true);
        try
        {
            action();
        }
        finally
        {
            system.CountClockReads(false);
        }

        return LinuxOs.ClockReads - before;
    }
}
