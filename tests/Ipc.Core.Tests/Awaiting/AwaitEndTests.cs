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

    private static async Task ReceiveOne(SharedQueue queue, int number, CancellationToken cancellationToken)
    {
        Task<QueueMessage> pending = queue.ReceiveAsync(cancellationToken).AsTask();
        Assert.False(pending.IsCompleted);
        SendNumber(queue, number);
        using QueueMessage message = await pending.WaitAsync(Watchdog.Patience, CancellationToken.None);
        Assert.Equal(number, BitConverter.ToInt32(message.Payload));
    }
}
