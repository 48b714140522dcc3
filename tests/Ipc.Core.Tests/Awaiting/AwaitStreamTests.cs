using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Xunit;

#pragma warning disable CA2012 // what becomes of a ValueTask that is left pending is what is tested

namespace Ipc.Core.Tests;

/// <summary>Enumerating what rings and topics bring, and awaiting room in them.</summary>
public sealed class AwaitStreamTests : RegionTest
{
    private static readonly TimeSpan s_short = TimeSpan.FromMilliseconds(20);

    private static TopicOptions FewSlots => new() { BlockSize = 64, BlockCount = 8, LoanBudget = 0 };

    private static async Task Soon(ValueTask pending) => await pending.AsTask().WaitAsync(Watchdog.Patience).ConfigureAwait(false);

    private static async Task<T> Soon<T>(ValueTask<T> pending) => await pending.AsTask().WaitAsync(Watchdog.Patience).ConfigureAwait(false);

    private static byte[] Number(int number, int length = 1000)
    {
        byte[] bytes = new byte[length];
        BitConverter.TryWriteBytes(bytes, number);
        return bytes;
    }

    private static int NumberIn(ReadOnlyMemory<byte> payload) => BitConverter.ToInt32(payload.Span);

    [Theory]
    [InlineData(1000, 0)]
    [InlineData(100_000, 1 << 20)] // loans
    public async Task ARingIsWrittenAndEnumeratedUntilItsWriterLeaves(int length, int budget)
    {
        RingOptions options = new() { Capacity = 4096, LoanBudget = budget };
        RingWriter writer = Own(RingWriter.Open("ring", options));
        RingReader reader = Own(RingReader.Open("ring", options));
        Task writing = Task.Run(async () =>
        {
            for (int i = 0; i < 1000; i++)
                await writer.WriteAsync(Number(i, length), (ushort)(i % 7));
            writer.Dispose();
        });
        int next = 0;
        await foreach (RingItem item in reader.ReadAllAsync())
        {
            Assert.Equal((next, length, next % 7, false), (NumberIn(item.Payload), item.Payload.Length, item.Type, item.Redelivered));
            next++;
            if (next % 100 == 0)
                await Task.Delay(1);
        }

        Assert.Equal(1000, next);
        await writing.WaitAsync(Watchdog.Patience);
    }

    [Fact]
    public async Task TheItemThatALoopEndedAtComesAgainAndItsCopyStays()
    {
        RingWriter writer = Own(RingWriter.Open("ring", Small()));
        RingReader reader = RingReader.Open("ring", Small());
        for (int i = 0; i < 3; i++)
            Assert.True(writer.TryWrite(Number(i, 8)));
        RingItem last = default;
        await foreach (RingItem item in reader.ReadAllAsync())
        {
            last = item;
            if (NumberIn(item.Payload) == 1)
                break;
        }

        reader.Dispose();
        Assert.Equal(1, NumberIn(last.Payload));
        reader = Own(RingReader.Open("ring", Small()));
        List<(int, bool)> again = [];
        await foreach (RingItem item in reader.ReadAllAsync())
        {
            again.Add((NumberIn(item.Payload), item.Redelivered));
            if (again.Count == 2)
                reader.Dispose(); // ends it, with the item in hand
        }

        Assert.Equal([(1, true), (2, false)], again);
    }

    [Fact]
    public async Task WhatEndsAWaitForRoomWritesNothing()
    {
        RingWriter writer = Own(RingWriter.Open("ring", Small()));
        RingReader reader = Own(RingReader.Open("ring", Small()));
        using CancellationTokenSource cancel = new();
        int written = 0;
        while (writer.TryWrite(Number(written)))
            written++;

        Fails(IpcStatus.TooLarge, () => { _ = writer.WriteAsync(new byte[100_000]); });
        Assert.Throws<ArgumentOutOfRangeException>(() => { _ = writer.WriteAsync(Number(-1), 0, TimeSpan.FromSeconds(-1)); });
        await Assert.ThrowsAsync<TimeoutException>(() => Soon(writer.WriteAsync(Number(-1), 0, s_short)));
        ValueTask pending = writer.WriteAsync(Number(-1), 0, cancel.Token);
        Assert.False(pending.IsCompleted);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Soon(pending));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Soon(writer.WriteAsync(Number(-1), 0, cancel.Token)));
        pending = writer.WriteAsync(Number(-1));
        writer.Stop();
        Assert.Equal(IpcStatus.Stopped, (await Assert.ThrowsAsync<IpcException>(() => Soon(pending))).Status);
        writer.Resume();

        pending = writer.WriteAsync(Number(written++));
        Assert.Equal(IpcStatus.Ok, reader.Read(out _, Hang));
        reader.Release();
        await Soon(pending);
        for (int i = 1; i < written; i++)
        {
            Assert.True(reader.TryRead(out RingRecord record));
            Assert.Equal(i, BitConverter.ToInt32(record.Payload));
        }

        Assert.False(reader.TryRead(out _));
        while (writer.TryWrite(Number(-2)))
        {
        }

        pending = writer.WriteAsync(Number(-1));
        reader.Dispose();
        Assert.Equal(IpcStatus.PeerClosed, (await Assert.ThrowsAsync<IpcException>(() => Soon(pending))).Status);
        reader = Own(RingReader.Open("ring", Small()));
        pending = writer.WriteAsync(Number(-1));
        writer.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Soon(pending));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Soon(writer.WriteAsync(Number(-1))));
    }

    /// <summary>The room that was claimed for it is given back.</summary>
    [Fact]
    public async Task AGetterThatThrowsWritesNothing()
    {
        RingWriter writer = Own(RingWriter.Open("ring", Small()));
        RingReader reader = Own(RingReader.Open("ring", Small()));
        TopicWriter publisher = Own(TopicWriter.Open("topic", FewSlots));
        TopicReader subscriber = Own(TopicReader.Open("topic", FewSlots));
        while (writer.TryWrite(Number(1, 8)))
        {
        }

        while (publisher.TryPublish(Number(1, 64)))
        {
        }

        using Throwing buffer = new(throwsFrom: 2); // the first look is the caller's, the second on the pool
        using Throwing another = new(throwsFrom: 2);
        ValueTask writing = writer.WriteAsync(buffer.Memory);
        ValueTask publishing = publisher.PublishAsync(another.Memory);
        while (reader.TryRead(out _))
            reader.Release();
        while (subscriber.TryRead(out _) == IpcStatus.Ok)
            Assert.Equal(IpcStatus.Ok, subscriber.Release());
        await Assert.ThrowsAsync<NotSupportedException>(() => Soon(writing));
        await Assert.ThrowsAsync<NotSupportedException>(() => Soon(publishing));
        Assert.True(writer.TryWrite(Number(2)));
        Assert.True(Own(TopicWriter.Open("topic", FewSlots)).TryPublish(Number(2, 64))); // another one: who reads does not wait for that slot
        Assert.Equal((2, 2), (await First(reader), await First(subscriber)));
    }

    private static async Task<int> First(RingReader reader)
    {
        await foreach (RingItem item in reader.ReadAllAsync())
            return NumberIn(item.Payload);
        return -1;
    }

    private static async Task<int> First(TopicReader reader)
    {
        await foreach (TopicItem item in reader.ReadAllAsync())
            return NumberIn(item.Payload);
        return -1;
    }

    /// <summary>What became of the peer is read from memory that goes with the connection: no look may be under way then.</summary>
    [Fact]
    public async Task AConnectionIsDisposedWhileItsEndsAreAwaited()
    {
        using EchoServer server = new("echo");
        for (int round = 0; round < 100; round++)
        {
            Connection connection = await Connection.ConnectAsync("echo", new ConnectOptions { Deadline = Hang, LoanBudget = 0, ToServerCapacity = 4096 });
            ValueTask<bool> reading = connection.Reader.WaitToReadAsync();
            await Task.Yield();
            connection.Dispose();
            Assert.False(await Soon(reading));
        }
    }

    [Fact]
    public async Task ATopicIsPublishedAndEnumerated()
    {
        TopicWriter writer = Own(TopicWriter.Open("topic", FewSlots));
        TopicReader reader = Own(TopicReader.Open("topic", FewSlots));
        Task writing = Task.Run(async () =>
        {
            for (int i = 0; i < 2000; i++)
                await writer.PublishAsync(Number(i, 64), (ushort)(i % 7), (ulong)i);
        });
        int next = 0;
        await foreach (TopicItem item in reader.ReadAllAsync())
        {
            Assert.Equal((next, next % 7, (ulong)next, 0L), (NumberIn(item.Payload), item.Type, item.Key, item.Lost));
            if (++next == 2000)
                reader.Stop();
            if (next % 100 == 0)
                await Task.Delay(1);
        }

        await writing.WaitAsync(Watchdog.Patience);
        Assert.Equal(2000, next);
    }

    [Fact]
    public async Task AReaderThatIsInTheWayIsCutOffWhenTheTimeIsOver()
    {
        TopicWriter writer = Own(TopicWriter.Open("topic", FewSlots));
        TopicReader slow = Own(TopicReader.Open("topic", FewSlots, new TopicReaderOptions { Policy = TopicPolicy.Evict }));
        int published = 0;
        while (writer.TryPublish(Number(published, 64)))
            published++;
        await Soon(writer.PublishAsync(Number(published, 64), 0, 0, s_short));
        IpcException evicted = await Assert.ThrowsAsync<IpcException>(async () =>
        {
            await foreach (TopicItem item in slow.ReadAllAsync())
                Assert.Fail("it read " + NumberIn(item.Payload));
        });
        Assert.Equal(IpcStatus.Evicted, evicted.Status);
        Assert.Equal(IpcStatus.Ok, slow.Rejoin());
        Assert.True(writer.TryPublish(Number(-1, 64)));
        await foreach (TopicItem item in slow.ReadAllAsync())
        {
            Assert.Equal(-1, NumberIn(item.Payload));
            break;
        }
    }

    [Fact]
    public async Task WhatEndsAWaitForRoomPublishesNothing()
    {
        TopicWriter writer = Own(TopicWriter.Open("topic", FewSlots));
        TopicReader reader = Own(TopicReader.Open("topic", FewSlots));
        using CancellationTokenSource cancel = new();
        int published = 0;
        while (writer.TryPublish(Number(published, 64)))
            published++;
        Fails(IpcStatus.TooLarge, () => { _ = writer.PublishAsync(new byte[65]); });
        await Assert.ThrowsAsync<TimeoutException>(() => Soon(writer.PublishAsync(Number(-1, 64), 0, 0, s_short)));
        Assert.NotNull(writer.SlowReader);
        ValueTask pending = writer.PublishAsync(Number(-1, 64), 0, 0, cancel.Token);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Soon(pending));

        pending = writer.PublishAsync(Number(published++, 64));
        Assert.False(pending.IsCompleted);
        for (int i = 0; i < published; i++)
        {
            Assert.Equal(IpcStatus.Ok, reader.Read(out TopicMessage message, Hang));
            Assert.Equal(i, BitConverter.ToInt32(message.Payload));
            Assert.Equal(IpcStatus.Ok, reader.Release());
        }

        await Soon(pending);
        while (writer.TryPublish(Number(-2, 64)))
        {
        }

        pending = writer.PublishAsync(Number(-1, 64));
        writer.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Soon(pending));
    }

    /// <summary>Held up by another writer, a lap behind: who waits sleeps elsewhere then, and goes on when that one commits.</summary>
    [Fact]
    public async Task AWriterAwaitsTheOneALapBehind()
    {
        TopicWriter behind = Own(TopicWriter.Open("topic", FewSlots));
        TopicWriter writer = Own(TopicWriter.Open("topic", FewSlots));
        for (int round = 0; round < 50; round++)
        {
            while (!behind.TryClaim(8, out _))
            {
            }

            while (writer.TryPublish(Number(1, 64)))
            {
            }

            ValueTask pending = writer.PublishAsync(Number(1, 64));
            Assert.False(pending.IsCompleted);
            if (round % 2 != 0)
                await Task.Delay(1);
            behind.Dispose(); // its claim is given back
            behind = Own(TopicWriter.Open("topic", FewSlots));
            await Soon(pending);
        }
    }

    [Fact]
    public async Task AWriterAwaitsWhatTheOneALapBehindCommits()
    {
        TopicWriter behind = Own(TopicWriter.Open("topic", FewSlots));
        TopicWriter writer = Own(TopicWriter.Open("topic", FewSlots));
        for (int round = 0; round < 20; round++)
            await Soon(HeldUpUntilACommit(behind, writer, pause: round % 3));
    }

    private static ValueTask HeldUpUntilACommit(TopicWriter behind, TopicWriter writer, int pause)
    {
        TopicClaim claim;
        while (!behind.TryClaim(8, out claim))
        {
        }

        while (writer.TryPublish(Number(1, 64)))
        {
        }

        ValueTask pending = writer.PublishAsync(Number(1, 64));
        Assert.False(pending.IsCompleted);
        Thread.Sleep(pause); // the thread that waits for it sleeps by then, or does not
        claim.Commit();
        return pending;
    }

    [Fact]
    public async Task AwaitingRoomAllocatesNothingInSteadyState()
    {
        RingWriter writer = Own(RingWriter.Open("ring", Small()));
        RingReader reader = Own(RingReader.Open("ring", Small()));
        TopicWriter publisher = Own(TopicWriter.Open("topic", FewSlots));
        TopicReader subscriber = Own(TopicReader.Open("topic", FewSlots));
        await Round(2000);
        long least = long.MaxValue;
        for (int attempt = 0; attempt < 5 && least > 2000; attempt++)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            await Round(2000);
            least = Math.Min(least, GC.GetTotalAllocatedBytes(precise: true) - before);
        }

        Assert.InRange(least, 0, 30_000); // state machines, tasks and their boxes, four buffers; 2000 waits of 100 bytes would be much more

        async Task Round(int count)
        {
            byte[] payload = Number(1, 64);
            Task writing = Task.Run(async () =>
            {
                for (int i = 0; i < count; i++)
                {
                    await writer.WriteAsync(payload);
                    await publisher.PublishAsync(payload);
                }
            });
            Task subscribing = Task.Run(async () =>
            {
                int received = 0;
                await foreach (TopicItem item in subscriber.ReadAllAsync())
                {
                    if (++received == count)
                        break;
                }
            });
            int read = 0;
            await foreach (RingItem item in reader.ReadAllAsync())
            {
                if (++read == count)
                    break;
            }

            reader.Release();
            await subscribing;
            await writing;
        }
    }
}
