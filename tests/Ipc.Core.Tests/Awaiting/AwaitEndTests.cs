using System;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

#pragma warning disable CA2012 // what is pending when others are is what is tested

namespace Ipc.Core.Tests;

/// <summary>What a wait that is over leaves behind: nothing.</summary>
public sealed class AwaitEndTests : QueueTest
{
    /// <summary>A registration that is left behind signals at the place where its wait slept, when that may be somebody else's.</summary>
    [Fact]
    public async Task ATokenThatLivesOnIsLeft()
    {
        SharedQueue queue = Queue();
        using var cancel = new CancellationTokenSource();
        for (int i = 0; i < 50; i++)
            await ReceiveOne(queue, i, cancel.Token);
        using LiveRegion region = Look("queue");
        uint before = region[region.Body + At.Data];
        await cancel.CancelAsync();
        Assert.Equal(before, region[region.Body + At.Data]);
    }

    /// <summary>The thread sleeps until the first of all the times, not until that of the wait that it looked at last.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task EachWaitEndsAtItsOwnTime(bool isFirst)
    {
        SharedQueue queue = Queue();
        using var end = new CancellationTokenSource();
        Task endless = isFirst ? Task.CompletedTask : queue.ReceiveAsync(end.Token).AsTask();
        Task timed = queue.ReceiveAsync(TimeSpan.FromMilliseconds(50)).AsTask();
        if (isFirst)
            endless = queue.ReceiveAsync(end.Token).AsTask();
        await Assert.ThrowsAsync<TimeoutException>(() => timed.WaitAsync(Watchdog.Patience, end.Token));
        Assert.True(timed.IsFaulted); // it, and not the watchdog
        Assert.False(endless.IsCompleted);
        await end.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => endless);
    }

    /// <summary>What is added while the thread sleeps, and sleeps on.</summary>
    [Fact]
    public async Task WhatArrivesLaterIsServedBesideWhatStaysPending()
    {
        SharedQueue queue = Queue(), other = Own(SharedQueue.Open("other", new QueueOptions()));
        using var end = new CancellationTokenSource();
        Task endless = other.ReceiveAsync(end.Token).AsTask();
        for (int round = 0; round < 20; round++)
        {
            await Task.Delay(5, end.Token); // so that it sleeps
            Task<QueueMessage> next = queue.ReceiveAsync().AsTask();
            await Task.Delay(5, end.Token);
            SendNumber(queue, round);
            using QueueMessage message = await next.WaitAsync(Watchdog.Patience, end.Token);
            Assert.Equal(round, BitConverter.ToInt32(message.Payload));
        }

        await end.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => endless);
    }

    /// <summary>One thread serves those that are pending at a time, however many there have been.</summary>
    [Fact]
    public async Task WaitsThatAreOverLeaveTheirThreadToOthers()
    {
        if (Os.Current.MaxSleepWords == 1)
            return; // each has a thread while it is pending
        SharedQueue queue = Queue();
        await ReceiveOne(queue, 0, CancellationToken.None);
        int before = AsyncWaitThread.Count;
        for (int i = 0; i < 10 * Os.Current.MaxSleepWords; i++)
            await ReceiveOne(queue, i, CancellationToken.None);
        Assert.True(AsyncWaitThread.Count <= before + 2, $"{AsyncWaitThread.Count} threads, {before} before");
    }

    [Fact]
    public async Task ATokenThatHasFiredLetsNothingPass()
    {
        var fired = new CancellationToken(canceled: true);
        SharedQueue queue = Queue();
        RingReader reader = Own(RingReader.Open("ring", Small()));
        RingWriter writer = Own(RingWriter.Open("ring", Small()));
        TopicReader watcher = Own(TopicReader.Open("topic"));
        TopicWriter publisher = Own(TopicWriter.Open("topic"));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await queue.SendAsync(Number(1), fired));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await writer.WriteAsync(Number(1), cancellationToken: fired));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await publisher.PublishAsync(Number(1), cancellationToken: fired));
        Assert.False(queue.TryReceive(out _));
        Assert.False(reader.TryRead(out _));
        Assert.NotEqual(IpcStatus.Ok, watcher.TryRead(out _));

        SendNumber(queue, 2);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await queue.ReceiveAsync(fired));
        ReceiveNumber(queue, 2);
    }

    /// <summary>Nor do locks: nobody else has to wait for who does not want it any more.</summary>
    [Fact]
    public async Task ATokenThatHasFiredTakesNoLock()
    {
        var fired = new CancellationToken(canceled: true);
        using SharedEvent set = SharedEvent.Open("event");
        using SharedMutex mutex = SharedMutex.Open("mutex");
        using SharedSemaphore semaphore = SharedSemaphore.Open("semaphore", new SemaphoreOptions { Permits = 1 });
        set.Set();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await set.WaitAsync(fired));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await mutex.AcquireAsync(fired));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await semaphore.AcquireAsync(fired));
        Assert.Equal(IpcStatus.Ok, set.Wait(Deadline.Now));
        Assert.Equal(IpcStatus.Ok, mutex.Acquire(Deadline.Now));
        Assert.Equal(IpcStatus.Ok, semaphore.Acquire(Deadline.Now));
    }

    /// <summary>Nothing comes of it, and the wait goes on.</summary>
    [Fact]
    public async Task TheResultOfAPendingWaitIsNotToBeHad()
    {
        SharedQueue queue = Queue();
        ValueTask<QueueMessage> pending = queue.ReceiveAsync();
        InvalidOperationException e = Assert.Throws<InvalidOperationException>(() => pending.GetAwaiter().GetResult());
        Assert.Contains("pending", e.Message, StringComparison.Ordinal);
        SendNumber(queue, 1);
        using QueueMessage message = await pending.AsTask().WaitAsync(Watchdog.Patience);
        Assert.Equal(1, BitConverter.ToInt32(message.Payload));
    }

    [Fact]
    public async Task APermitThatWasLeftIsToldOf()
    {
        using SharedSemaphore semaphore = SharedSemaphore.Open("semaphore", new SemaphoreOptions { Permits = 1 });
        SharedSemaphore other = SharedSemaphore.Open("semaphore", new SemaphoreOptions { Permits = 1 });
        Assert.Equal(IpcStatus.Ok, other.Acquire(Deadline.Now));
        ValueTask<SharedSemaphore.Lease> pending = semaphore.AcquireAsync();
        Assert.False(pending.IsCompleted);
        other.Dispose(); // and leaves with it
        using SharedSemaphore.Lease left = await pending.AsTask().WaitAsync(Watchdog.Patience);
        Assert.True(left.Abandoned);
    }

    /// <summary>Its client signals where the server waits for all of them.</summary>
    [Fact]
    public async Task AServerAwaitsOneOfItsConnections()
    {
        Listener listener = Own(Listener.Open("one"));
        Task<Connection> connecting = Connection.ConnectAsync("one", new ConnectOptions { Deadline = Hang, LoanBudget = 0 });
        Assert.Equal(IpcStatus.Ok, listener.Next(out ListenerEvent next, Hang));
        using Connection server = next.Connection;
        server.Accept();
        using Connection client = await connecting.WaitAsync(Watchdog.Patience);
        for (int i = 0; i < 50; i++)
        {
            ValueTask<bool> pending = server.Reader.WaitToReadAsync();
            if (i % 2 != 0)
                await Task.Delay(1);
            Assert.Equal(IpcStatus.Ok, client.Writer.Write(Number(i), 0, Hang));
            Assert.True(await pending.AsTask().WaitAsync(Watchdog.Patience));
            Assert.True(server.Reader.TryRead(out _));
            server.Reader.Release();
        }
    }

    /// <summary>It ends, and what is awaited then has one of its own.</summary>
    [Fact]
    public async Task AThreadThatHadNothingToDoIsFollowedByAnother()
    {
        ulong before = AsyncWaitThread.IdleTime;
        AsyncWaitThread.IdleTime = 1_000_000;
        try
        {
            SharedQueue queue = Queue();
            for (int i = 0; i < 5; i++)
            {
                await ReceiveOne(queue, i, CancellationToken.None);
                await Task.Delay(20);
            }
        }
        finally
        {
            AsyncWaitThread.IdleTime = before;
        }
    }

    private static async Task ReceiveOne(SharedQueue queue, int number, CancellationToken cancellationToken)
    {
        Task<QueueMessage> pending = queue.ReceiveAsync(cancellationToken).AsTask();
        Assert.False(pending.IsCompleted);
        SendNumber(queue, number);
        using QueueMessage message = await pending.WaitAsync(Watchdog.Patience, CancellationToken.None);
        Assert.Equal(number, BitConverter.ToInt32(message.Payload));
    }
}
