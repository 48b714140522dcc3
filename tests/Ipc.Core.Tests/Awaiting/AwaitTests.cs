using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Xunit;

#pragma warning disable CA2012 // what becomes of a ValueTask that is left pending, or awaited twice, is what is tested

namespace Ipc.Core.Tests;

/// <summary>Awaiting what a queue, a ring, a topic, a lock has; what ends it, what it costs, and where the rest of the caller runs.</summary>
public sealed class AwaitTests : QueueTest
{
    private static readonly TimeSpan s_short = TimeSpan.FromMilliseconds(20);

    /// <summary>Fails, instead of hanging, what does not come.</summary>
    private static async Task<T> Soon<T>(ValueTask<T> pending) => await pending.AsTask().WaitAsync(Watchdog.Patience).ConfigureAwait(false);

    private static async Task Soon(ValueTask pending) => await pending.AsTask().WaitAsync(Watchdog.Patience).ConfigureAwait(false);

    private static int NumberIn(QueueMessage message)
    {
        using (message)
            return BitConverter.ToInt32(message.Payload);
    }

    [Fact]
    public async Task WhatIsThereIsReceivedAtOnceAndWhatComesWhenItComes()
    {
        SharedQueue queue = Queue();
        SendNumber(queue, 1);
        ValueTask<QueueMessage> first = queue.ReceiveAsync();
        Assert.True(first.IsCompletedSuccessfully);
        Assert.Equal(1, NumberIn(await first));

        for (int round = 2; round < 200; round++)
        {
            ValueTask<QueueMessage> next = queue.ReceiveAsync();
            Assert.False(next.IsCompleted);
            SendNumber(queue, round);
            Assert.Equal(round, NumberIn(await Soon(next)));
        }
    }

    [Fact]
    public async Task EachOfManyWhoAwaitGetsAnotherMessageAndTheyHoldNoThreads()
    {
        const int Pending = 1000;
        SharedQueue queue = Queue(new QueueOptions { BlockSize = 64, BlockCount = 1024, LoanBudget = 0 });
        Task<int>[] pending = Enumerable.Range(0, Pending).Select(async _ => NumberIn(await queue.ReceiveAsync())).ToArray();
        Assert.InRange(AsyncWaitThread.Count, 1, Os.Current.MaxSleepWords == 1 ? Pending : 10);
        for (int i = 0; i < Pending; i++)
            SendNumber(queue, i);
        int[] received = await Task.WhenAll(pending).WaitAsync(Watchdog.Patience);
        Assert.Equal(Enumerable.Range(0, Pending), received.Order());
    }

    [Fact]
    public async Task SendersAwaitRoom()
    {
        SharedQueue queue = Queue(Few(2));
        SharedQueue other = Queue(Few(2));
        Task sending = Task.Run(async () =>
        {
            for (int i = 0; i < 2000; i++)
                await queue.SendAsync(Number(i));
        });
        for (int i = 0; i < 2000; i++)
            Assert.Equal(i, NumberIn(await Soon(other.ReceiveAsync())));
        await sending.WaitAsync(Watchdog.Patience);
    }

    [Fact]
    public async Task LongMessagesAwaitRoomAndLoans()
    {
        SharedQueue queue = Queue(new QueueOptions { BlockSize = 64, BlockCount = 4, LoanBudget = 1 << 20 });
        byte[] large = new byte[200_000];
        Task sending = Task.Run(async () =>
        {
            for (int i = 0; i < 100; i++)
            {
                large[0] = (byte)i;
                await queue.SendAsync(large);
            }
        });
        for (int i = 0; i < 100; i++)
        {
            using QueueMessage message = await Soon(queue.ReceiveAsync());
            Assert.Equal(large.Length, message.Payload.Length);
            Assert.Equal((byte)i, message.Payload[0]);
        }

        await sending.WaitAsync(Watchdog.Patience);
    }

    [Fact]
    public async Task AllMessagesAreEnumeratedUntilItIsStoppedOrDisposed()
    {
        SharedQueue queue = Queue();
        SharedQueue sender = Queue();
        List<int> received = new();
        Task reading = Task.Run(async () =>
        {
            await foreach (QueueMessage message in queue.ReceiveAllAsync())
            {
                lock (received)
                    received.Add(NumberIn(message));
            }
        });
        for (int i = 0; i < 100; i++)
            sender.Send(Number(i), Watchdog.Patience);
        Watchdog.Until(() => { lock (received) return received.Count == 100; }, "all messages");
        queue.Stop();
        await reading.WaitAsync(Watchdog.Patience);
        Assert.Equal(Enumerable.Range(0, 100), received);

        queue.Resume();
        reading = Task.Run(async () =>
        {
            await foreach (QueueMessage message in queue.ReceiveAllAsync())
                message.Release();
        });
        queue.Dispose();
        await reading.WaitAsync(Watchdog.Patience);
    }

    [Fact]
    public async Task WhatEndsAWaitIsTheFrameworksOwnException()
    {
        SharedQueue queue = Queue();
        using CancellationTokenSource cancel = new();
        await Assert.ThrowsAsync<TimeoutException>(() => Soon(queue.ReceiveAsync(s_short)));
        Assert.Throws<TimeoutException>(() => queue.Receive(s_short));
        Assert.Throws<ArgumentOutOfRangeException>(() => { _ = queue.ReceiveAsync(TimeSpan.FromSeconds(-1)); });
        Assert.Throws<ArgumentOutOfRangeException>(() => queue.Receive(TimeSpan.FromSeconds(-1)));

        ValueTask<QueueMessage> pending = queue.ReceiveAsync(cancel.Token);
        await cancel.CancelAsync();
        OperationCanceledException cancelled = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Soon(pending));
        Assert.Equal(cancel.Token, cancelled.CancellationToken);
        SendNumber(queue, 1);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Soon(queue.ReceiveAsync(cancel.Token))); // though there is one
        Assert.Equal(1, NumberIn(queue.Receive()));

        pending = queue.ReceiveAsync();
        queue.Stop();
        IpcException stopped = await Assert.ThrowsAsync<IpcException>(() => Soon(pending));
        Assert.Equal(IpcStatus.Stopped, stopped.Status);
        Assert.Contains("SharedQueue.ReceiveAsync", stopped.Message, StringComparison.Ordinal);
        queue.Resume();

        pending = queue.ReceiveAsync();
        ValueTask<bool> ready = queue.WaitToReceiveAsync();
        queue.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Soon(pending));
        Assert.False(await Soon(ready));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Soon(queue.ReceiveAsync()));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Soon(queue.SendAsync(Number(1))));
        Assert.Throws<ObjectDisposedException>(() => queue.Send(Number(1)));
    }

    [Fact]
    public async Task ASendThatCannotBeEverIsRefusedBeforeItWaits()
    {
        SharedQueue queue = Queue(Few(2));
        Fails(IpcStatus.TooLarge, () => { _ = queue.SendAsync(new byte[65]); });
        SendNumber(queue, 1);
        SendNumber(queue, 2);
        await Assert.ThrowsAsync<TimeoutException>(() => Soon(queue.SendAsync(Number(3), s_short)));
        ReceiveNumber(queue, 1);
        ReceiveNumber(queue, 2);
        NothingIn(queue);
    }

    /// <summary>A buffer whose getter throws: the slot that was taken for it is given back.</summary>
    [Fact]
    public async Task AGetterThatThrowsEndsItsSendAndNothingElse()
    {
        SharedQueue queue = Queue(Few(2));
        SendNumber(queue, 1);
        SendNumber(queue, 2);
        using Throwing buffer = new(throwsFrom: 2); // the first look is the caller's, the second on the pool
        ValueTask pending = queue.SendAsync(buffer.Memory);
        ReceiveNumber(queue, 1);
        await Assert.ThrowsAsync<NotSupportedException>(() => Soon(pending));
        ReceiveNumber(queue, 2);
        SendNumber(queue, 3);
        ReceiveNumber(queue, 3);
    }

    [Fact]
    public async Task OneTaskIsAwaitedOnce()
    {
        SharedQueue queue = Queue();
        ValueTask<QueueMessage> pending = queue.ReceiveAsync();
        SendNumber(queue, 1);
        Assert.Equal(1, NumberIn(await pending));
        await Assert.ThrowsAsync<InvalidOperationException>(async () => _ = await pending);
    }

    [Fact]
    public async Task TheRestRunsOnThePoolAndInTheContextOfWhoAwaited()
    {
        SharedQueue queue = Queue();
        using AsyncLocalScope scope = new("mine");
        Task<(string?, bool, string?)> waiting = Await();
        SendNumber(queue, 1);
        (string? seen, bool isPool, string? thread) = await waiting.WaitAsync(Watchdog.Patience);
        Assert.Equal("mine", seen);
        Assert.True(isPool);
        Assert.NotEqual("ipc-async", thread);

        async Task<(string?, bool, string?)> Await()
        {
            NumberIn(await queue.ReceiveAsync().ConfigureAwait(false));
            return (AsyncLocalScope.Value, Thread.CurrentThread.IsThreadPoolThread, Thread.CurrentThread.Name);
        }
    }

    /// <summary>The context that was captured is user code: it may throw, and others must not feel it.</summary>
    [Fact]
    public async Task AContextThatIsCapturedIsPostedTo()
    {
        SharedQueue queue = Queue();
        Collecting context = new();
        Task<int> waiting;
        SynchronizationContext? before = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(context);
        try
        {
            waiting = Await();
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(before);
        }

        SendNumber(queue, 7);
        Assert.True(context.Posted.TryTake(out (SendOrPostCallback Callback, object? State) posted, Watchdog.Patience));
        posted.Callback(posted.State);
        Assert.Equal(7, await waiting.WaitAsync(Watchdog.Patience));

        async Task<int> Await() => NumberIn(await queue.ReceiveAsync());
    }

    [Fact]
    public async Task AwaitingAllocatesNothingInSteadyState()
    {
        SharedQueue queue = Queue();
        SharedQueue other = Queue();
        await PingPong(2000);
        long least = long.MaxValue;
        for (int attempt = 0; attempt < 5 && least > 2000; attempt++)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            await PingPong(2000);
            least = Math.Min(least, GC.GetTotalAllocatedBytes(precise: true) - before);
        }

        Assert.InRange(least, 0, 20_000); // two state machines, the tasks and their boxes; 2000 waits of 100 bytes would be ten times that

        async Task PingPong(int rounds)
        {
            Task answering = Task.Run(async () =>
            {
                for (int i = 0; i < rounds; i++)
                    NumberIn(await other.ReceiveAsync());
            });
            byte[] payload = Number(1);
            for (int i = 0; i < rounds; i++)
                await queue.SendAsync(payload);
            await answering;
        }
    }

    [Fact]
    public async Task WhoAwaitsUsesNoProcessor()
    {
        SharedQueue queue = Queue();
        using CancellationTokenSource cancel = new();
        Task<int>[] pending = Enumerable.Range(0, 300).Select(async _ => NumberIn(await queue.ReceiveAsync(cancel.Token))).ToArray();
        await Task.Delay(200);
        TimeSpan used = TimeSpan.MaxValue;
        for (int attempt = 0; attempt < 5 && used >= TimeSpan.FromMilliseconds(200); attempt++) // the runtime may still be compiling what other tests have used
        {
            TimeSpan before = Process.GetCurrentProcess().TotalProcessorTime;
            await Task.Delay(1000);
            used = Process.GetCurrentProcess().TotalProcessorTime - before;
        }

        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Task.WhenAll(pending)).WaitAsync(Watchdog.Patience);
        Assert.True(used < TimeSpan.FromMilliseconds(200), $"{used} of a processor's time in a second, for nothing");
    }

    [Fact]
    public async Task ReadersOfRingsAwaitRecordsAndTheEndOfTheWriter()
    {
        RingWriter writer = Own(RingWriter.Open("ring", Small()));
        RingReader reader = Own(RingReader.Open("ring", Small()));
        int next = 0;
        Task reading = Task.Run(async () =>
        {
            while (await reader.WaitToReadAsync())
            {
                while (reader.TryRead(out RingRecord record))
                {
                    Assert.Equal(next++, BitConverter.ToInt32(record.Payload));
                    reader.Release();
                }
            }
        });
        for (int i = 0; i < 5000; i++)
            Assert.Equal(IpcStatus.Ok, writer.Write(BitConverter.GetBytes(i), 0, Hang));
        writer.Dispose();
        await reading.WaitAsync(Watchdog.Patience);
        Assert.Equal(5000, next);

        writer = Own(RingWriter.Open("ring", Small()));
        ValueTask<bool> pending = reader.WaitToReadAsync();
        reader.Dispose();
        Assert.False(await Soon(pending));
        Assert.False(await Soon(reader.WaitToReadAsync()));
    }

    [Fact]
    public async Task WhoAwaitsLearnsThatTheWriterHasDied()
    {
        RingReader reader = Own(RingReader.Open("ring", Small()));
        Driven writer = Own(Driven.StartVerb(Language.CSharp, Regions, "ring-hold", "ring", "writer"));
        Assert.Equal("ready", writer.NextLine());
        ValueTask<bool> pending = reader.WaitToReadAsync();
        writer.Kill();
        IpcException died = await Assert.ThrowsAsync<IpcException>(() => Soon(pending));
        Assert.Equal(IpcStatus.PeerDied, died.Status);
    }

    [Fact]
    public async Task AQueueOfOneThreadIsNotAwaited()
    {
        QueueOptions options = Few();
        options.SingleThreaded = true;
        SharedQueue queue = Queue(options);
        SendNumber(queue, 1);
        Assert.Equal(1, NumberIn(await queue.ReceiveAsync())); // nothing to wait for
        Assert.Throws<InvalidOperationException>(() => { _ = queue.ReceiveAsync(); });
    }

    [Fact]
    public async Task ReadersOfTopicsAwaitMessages()
    {
        TopicOptions options = new() { BlockSize = 64, BlockCount = 8, LoanBudget = 0 };
        TopicWriter writer = Own(TopicWriter.Open("topic", options));
        TopicReader reader = Own(TopicReader.Open("topic", options));
        int next = 0;
        Task reading = Task.Run(async () =>
        {
            while (await reader.WaitToReadAsync())
            {
                while (reader.TryRead(out TopicMessage message) == IpcStatus.Ok)
                {
                    Assert.Equal(next, BitConverter.ToInt32(message.Payload));
                    Assert.Equal(IpcStatus.Ok, reader.Release());
                    Volatile.Write(ref next, next + 1); // behind it: when the last one is counted the reader is disposed
                }
            }
        });
        for (int i = 0; i < 2000; i++)
            Assert.Equal(IpcStatus.Ok, writer.Publish(BitConverter.GetBytes(i), 0, 0, Hang));
        Watchdog.Until(() => Volatile.Read(ref next) == 2000, "all messages");
        reader.Dispose();
        await reading.WaitAsync(Watchdog.Patience);
    }

    [Fact]
    public async Task LocksAreAwaitedAndHeldUntilTheirLeaseIsDisposed()
    {
        using SharedMutex mutex = SharedMutex.Open("mutex");
        using SharedMutex other = SharedMutex.Open("mutex");
        ValueTask<SharedMutex.Lease> pending;
        using (SharedMutex.Lease held = mutex.Acquire())
        {
            Assert.False(held.Abandoned);
            Assert.False(other.TryAcquire(out _));
            Assert.Throws<TimeoutException>(() => other.Acquire(s_short));
            await Assert.ThrowsAsync<TimeoutException>(() => Soon(other.AcquireAsync(s_short)));
            pending = other.AcquireAsync();
            Assert.False(pending.IsCompleted);
        }

        (await Soon(pending)).Dispose();
        Assert.True(mutex.TryAcquire(out SharedMutex.Lease again));
        Fails(IpcStatus.InvalidState, () => { again.Dispose(); again.Dispose(); });

        _ = mutex.Acquire(); // and leaves with it
        pending = other.AcquireAsync();
        mutex.Dispose();
        using (SharedMutex.Lease left = await Soon(pending))
            Assert.True(left.Abandoned);
    }

    [Fact]
    public async Task NoMoreThanThePermitsAreInAtATime()
    {
        using SharedSemaphore semaphore = SharedSemaphore.Open("semaphore", new SemaphoreOptions { Permits = 3 });
        int inside = 0;
        await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => Task.Run(async () =>
        {
            for (int i = 0; i < 50; i++)
            {
                using SharedSemaphore.Lease lease = await semaphore.AcquireAsync();
                Assert.InRange(Interlocked.Increment(ref inside), 1, 3);
                await Task.Yield();
                Interlocked.Decrement(ref inside);
            }
        }))).WaitAsync(Watchdog.Patience);
        Assert.Equal(3, semaphore.Available);
    }

    [Fact]
    public async Task AnEventLetsOneThroughAndOneWithAManualResetAll()
    {
        using SharedEvent one = SharedEvent.Open("one");
        Task[] waiting = [one.WaitAsync().AsTask(), one.WaitAsync().AsTask()];
        one.Set();
        Task first = await Task.WhenAny(waiting).WaitAsync(Watchdog.Patience);
        await Task.Delay(20);
        Assert.Equal(1, waiting.Count(static task => task.IsCompleted));
        one.Set();
        await Task.WhenAll(waiting).WaitAsync(Watchdog.Patience);
        await Assert.ThrowsAsync<TimeoutException>(() => Soon(one.WaitAsync(s_short)));

        using SharedEvent gate = SharedEvent.Open("gate", new EventOptions { ManualReset = true });
        waiting = [gate.WaitAsync().AsTask(), gate.WaitAsync().AsTask()];
        gate.Set();
        await Task.WhenAll(waiting).WaitAsync(Watchdog.Patience);
        gate.Wait(s_short);
    }

    private sealed class Collecting : SynchronizationContext
    {
        public BlockingCollection<(SendOrPostCallback, object?)> Posted { get; } = new();

        public override void Post(SendOrPostCallback d, object? state) => Posted.Add((d, state));
    }

    private sealed class AsyncLocalScope : IDisposable
    {
        private static readonly AsyncLocal<string?> s_value = new();

        public AsyncLocalScope(string value) => s_value.Value = value;

        public static string? Value => s_value.Value;

        public void Dispose() => s_value.Value = null;
    }
}
