using System;
using System.Threading;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>What a queue must not cost.</summary>
public sealed class QueueCostTests : QueueTest
{
    [Theory]
    [InlineData(0, 64)]
    [InlineData(3, 64)]
    [InlineData(0, 5000)]
    public void SteadyTrafficDoesNotAllocate(int expansions, int length)
    {
        SharedQueue queue = Queue(new QueueOptions { BlockSize = 64, BlockCount = 4, MaxExpansions = expansions, LoanBudget = 1 << 20 });
        byte[] payload = new byte[length];
        Traffic(queue, payload, 10_000); // everything has run once
        long before = GC.GetAllocatedBytesForCurrentThread();
        Traffic(queue, payload, 50_000);
        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
    }

    [Fact]
    public void ABlockedReceiverUsesNoProcessor()
    {
        SharedQueue queue = Queue();
        Background waiting = Run(() => Assert.Equal(IpcStatus.Stopped, queue.Receive(out QueueMessage _, Deadline.Never)));
        waiting.UntilAsleep();
        TimeSpan before = waiting.ProcessorTime();
        Thread.Sleep(500); // what is measured: half a second of nothing
        TimeSpan used = waiting.ProcessorTime() - before;
        queue.Stop();
        waiting.Join();
        Assert.InRange(used.TotalMilliseconds, 0, 2);
    }

    [Fact]
    public void ClosedQueuesGiveTheirMemoryBack()
    {
        static void OpenAndClose(int count)
        {
            for (int i = 0; i < count; i++)
            {
                using SharedQueue queue = SharedQueue.Open("queue", new QueueOptions { BlockSize = 1024, LoanBudget = 4096 });
                queue.TrySend(new byte[100]);
            }
        }

        OpenAndClose(20);
        GC.Collect();
        GC.WaitForPendingFinalizers();
        long before = Environment.WorkingSet;
        OpenAndClose(300); // a megabyte each
        GC.Collect();
        GC.WaitForPendingFinalizers();
        Assert.InRange((Environment.WorkingSet - before) >> 20, long.MinValue, 60);
        Assert.InRange(Mappings(), 0, 40);
    }

    private static int Mappings()
    {
        int count = 0;
        foreach (string line in System.IO.File.ReadLines("/proc/self/maps"))
            count += line.Contains("ipc", StringComparison.Ordinal) && line.Contains("(deleted)", StringComparison.Ordinal) ? 1 : 0;
        return count;
    }

    private static void Traffic(SharedQueue queue, byte[] payload, int count)
    {
        for (int i = 0; i < count; i++)
        {
            if (!queue.TrySend(payload) || !queue.TryReceive(out QueueMessage message))
                throw new InvalidOperationException("the queue is stuck");
            message.Release();
            if (i % 4 != 0)
                continue;
            if (queue.Send(payload, 1, Deadline.Never) != IpcStatus.Ok || queue.Receive(out message, Deadline.Never) != IpcStatus.Ok)
                throw new InvalidOperationException("the queue is stuck");
            message.Release();
        }
    }
}
