using System;
using System.Threading;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>A thread that is to end (Thread.Interrupt) disposes what it has. Where that ended in the middle, the object stayed a participant of a process that lives: others
/// waited for what it held until the collector had found it.</summary>
public sealed class InterruptedTests : RegionTest
{
    /// <summary>On a thread that has been interrupted and has not noticed yet; it does notice afterwards.</summary>
    private static void Interrupted(Action dispose, Action<Background>? meanwhile = null)
    {
        bool kept = false;
        Background thread = Run(() =>
        {
            Thread.CurrentThread.Interrupt();
            dispose();
            try
            {
                Thread.Sleep(1); // any wait: an interruption that is kept ends it before it begins
            }
            catch (ThreadInterruptedException)
            {
                kept = true;
            }
        });
        meanwhile?.Invoke(thread);
        thread.Join();
        Assert.True(kept, "the interruption is lost");
    }

    private void NobodyIsIn(string name)
    {
        using LiveRegion bytes = Look(name);
        for (int index = 0; index < 4; index++)
            Assert.Equal(0u, bytes[Wire.Region.Participants + index * Wire.Participant.Size + Wire.Participant.State]);
    }

    [Fact]
    public void AQueueWithAnOpenClaim()
    {
        SharedQueue queue = SharedQueue.Open("q", new QueueOptions { BlockSize = 64, BlockCount = 4, LoanBudget = 0, Lifetime = Lifetime.Persistent });
        Assert.True(queue.TryClaim(8, out _)); // Dispose gives it a moment
        Interrupted(queue.Dispose);
        NobodyIsIn("q");
        SharedStorage.Clear("q");
    }

    /// <summary>The lock of the region is held until it is waited for: leaving waits for it.</summary>
    [Theory]
    [InlineData("queue")]
    [InlineData("topic")]
    [InlineData("ring")]
    [InlineData("mutex")]
    [InlineData("connection")]
    public void WhileSomebodyHasTheRegionLock(string kind)
    {
        const long RegionLock = 0x3FFFFFFFFFFFFFFF;
        Listener? listener = kind == "connection" ? Own(Listener.Open("x")) : null;
        Background? server = listener is null ? null : Run(() =>
        {
            Assert.Equal(IpcStatus.Ok, listener.Next(out ListenerEvent e, Hang));
            e.Connection.Accept();
        });
        IDisposable mine = kind switch
        {
            "queue" => SharedQueue.Open("x", new QueueOptions { BlockSize = 64, BlockCount = 4, LoanBudget = 0, Lifetime = Lifetime.Persistent }),
            "topic" => TopicReader.Open("x", new TopicOptions { BlockSize = 64, BlockCount = 4, LoanBudget = 0, Lifetime = Lifetime.Persistent }),
            "ring" => RingReader.Open("x", new RingOptions { Capacity = 4096, LoanBudget = 0, Lifetime = Lifetime.Persistent }),
            "mutex" => SharedMutex.Open("x", new SyncOptions { Lifetime = Lifetime.Persistent }),
            _ => Connection.Connect("x", new ConnectOptions { Deadline = Hang }),
        };
        server?.Join();
        using LiveRegion bytes = Look("x");
        Assert.True(bytes.TryLock(RegionLock));
        Interrupted(mine.Dispose, thread =>
        {
            thread.UntilAsleep(); // in front of the lock, where the interruption has met it, or has ended it
            bytes.Unlock(RegionLock);
        });
        Assert.Equal(0u, bytes[Wire.Region.Participants + (listener is null ? 0 : 1) * Wire.Participant.Size + Wire.Participant.State]);
        if (listener is null && kind != "connection")
            SharedStorage.Clear("x");
    }
}
