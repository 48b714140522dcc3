using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>A semaphore between objects that could be in different processes.</summary>
public sealed class SharedSemaphoreTests : SyncTest
{
    private SharedSemaphore Open(int permits = 3, WaitMode mode = WaitMode.Adaptive) =>
        Own(SharedSemaphore.Open("semaphore", new SemaphoreOptions { Permits = permits, WaitMode = mode }));

    /// <summary>Whoever releases looks for its own permit while those of other threads move.</summary>
    [Fact]
    public async Task WhoHasAPermitCanReleaseItWhileOthersMove()
    {
        SharedSemaphore semaphore = Open(permits: 5);
        Task[] all = [.. Enumerable.Range(0, 4).Select(_ => Task.Run(() =>
        {
            for (int i = 0; i < 30_000; i++)
            {
                Assert.Equal(IpcStatus.Ok, semaphore.Acquire(Deadline.Never));
                semaphore.Release();
            }
        }))];
        await Task.WhenAll(all).WaitAsync(Watchdog.Patience, TestContext.Current.CancellationToken);
        Assert.Equal(5, semaphore.Available);
        Assert.Equal(IpcStatus.InvalidState, Assert.Throws<IpcException>(semaphore.Release).Status);
    }

    [Fact]
    public void SoManyAreInAndNoMore()
    {
        SharedSemaphore one = Open();
        SharedSemaphore two = Open(permits: 17); // what it is was said by who created it
        using LiveRegion bytes = Look("semaphore");
        Assert.Equal((3, 3, 3), (one.Permits, two.Permits, two.Available));
        Assert.Equal(IpcStatus.Ok, one.Acquire(Deadline.Now));
        Assert.Equal(IpcStatus.Ok, one.Acquire(Deadline.Now));
        Assert.Equal(IpcStatus.Ok, two.Acquire(Deadline.Now));
        Assert.Equal(IpcStatus.Timeout, two.Acquire(Deadline.FromMilliseconds(20)));
        Assert.Equal((0, 1u, 1u, 2u), (one.Available, Word(0), Word(1), Word(2)));
        one.Release();
        Assert.Equal(1, two.Available);
        Assert.Equal(IpcStatus.Ok, two.Acquire(Deadline.Now));
        one.Release();
        Fails(IpcStatus.InvalidState, one.Release);
        two.Release();
        two.Release();
        Fails(IpcStatus.InvalidState, two.Release);
        Assert.Equal(3, one.Available);

        uint Word(int permit) => bytes[bytes.Body + At.Table + (4 * permit)];
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(4097)]
    public void SoManyPermitsAreNotPossible(int permits) => Fails(IpcStatus.InvalidArgument, () => Open(permits));

    [Fact]
    public void TheMostPermitsArePossible()
    {
        SharedSemaphore semaphore = Open(4096);
        for (int i = 0; i < 4096; i++)
            Assert.Equal(IpcStatus.Ok, semaphore.Acquire(Deadline.Now));
        Assert.Equal(IpcStatus.Timeout, semaphore.Acquire(Deadline.Now));
        for (int i = 0; i < 4096; i++)
            semaphore.Release();
        Assert.Equal(4096, semaphore.Available);
    }

    [Theory]
    [InlineData(WaitMode.Adaptive)]
    [InlineData(WaitMode.Block)]
    public void ManyThreadsNeverPassBeyondTheNumber(WaitMode mode)
    {
        const int Rounds = 500;
        SharedSemaphore[] semaphores = [Open(mode: mode), Open(mode: mode)];
        int inside = 0;
        Background[] threads = new Background[6];
        for (int i = 0; i < threads.Length; i++)
        {
            SharedSemaphore semaphore = semaphores[i % 2];
            threads[i] = Run(() =>
            {
                for (int round = 0; round < Rounds; round++)
                {
                    Assert.Equal(IpcStatus.Ok, semaphore.Acquire(Hang));
                    Assert.InRange(Interlocked.Increment(ref inside), 1, 3);
                    Interlocked.Decrement(ref inside);
                    semaphore.Release();
                }
            });
        }

        foreach (Background thread in threads)
            thread.Join();
        Assert.Equal(3, semaphores[0].Available);
    }

    [Fact]
    public void ThePermitsOfTheDeadComeBackAndEachIsToldOnce()
    {
        SharedSemaphore semaphore = Open(mode: WaitMode.Block);
        using LiveRegion bytes = Look("semaphore");
        AddDead(bytes);
        for (int permit = 0; permit < 3; permit++)
            bytes[bytes.Body + At.Table + (4 * permit)] = Dead;
        Assert.Equal(IpcStatus.Abandoned, semaphore.Acquire(Hang));
        Assert.Equal(IpcStatus.Abandoned, semaphore.Acquire(Hang));
        Assert.Equal(IpcStatus.Abandoned, semaphore.Acquire(Hang));
        semaphore.Release();
        Assert.Equal(IpcStatus.Ok, semaphore.Acquire(Deadline.Now));
        Assert.Equal(0u, bytes[bytes.Body + At.Word]);
    }

    [Fact]
    public void ClosingReturnsThePermitsOfThatObjectAlone()
    {
        SharedSemaphore one = Open();
        SharedSemaphore two = Open();
        Assert.Equal(IpcStatus.Ok, one.Acquire(Deadline.Now));
        Assert.Equal(IpcStatus.Ok, two.Acquire(Deadline.Now));
        one.Dispose();
        Assert.Equal(2, two.Available);
        Assert.Equal(IpcStatus.Abandoned, two.Acquire(Deadline.Now));
        Assert.Equal(IpcStatus.Ok, two.Acquire(Deadline.Now));
        Assert.Equal(0, one.Available);
        Assert.Equal(IpcStatus.Closed, one.Acquire(Deadline.Never));
        one.Release();
        Assert.Equal(0, two.Available);
    }

    [Fact]
    public void StopCancelAndDisposeEndWaits()
    {
        SharedSemaphore holder = Open(1);
        Assert.Equal(IpcStatus.Ok, holder.Acquire(Deadline.Now));
        SharedSemaphore semaphore = Open(1, WaitMode.Block);
        using CancellationTokenSource cancel = new();
        Background waiting = Run(() => Assert.Equal(IpcStatus.Stopped, semaphore.Acquire(Hang)));
        waiting.UntilAsleep();
        semaphore.Stop();
        waiting.Join();
        semaphore.Resume();
        waiting = Run(() => Assert.Equal(IpcStatus.Cancelled, semaphore.Acquire(Hang, cancel.Token)));
        waiting.UntilAsleep();
        cancel.Cancel();
        waiting.Join();
        waiting = Run(() => Assert.Equal(IpcStatus.Closed, semaphore.Acquire(Hang)));
        waiting.UntilAsleep();
        semaphore.Dispose();
        waiting.Join();
        holder.Release();
        Assert.Equal(IpcStatus.Ok, holder.Acquire(Deadline.Now));
    }

    [Theory]
    [InlineData(0u)]
    [InlineData(4097u)]
    [InlineData(1200u)] // more than the body holds
    [InlineData(uint.MaxValue)]
    public void AnImpossibleNumberOfPermitsIsRefused(uint permits)
    {
        Open();
        using LiveRegion bytes = Look("semaphore");
        bytes[bytes.Body + At.Permits] = permits;
        Fails(IpcStatus.Corrupt, () => SharedSemaphore.Open("semaphore"));
    }

    [Fact]
    public void NonsenseInTheTableIsNobodysAndIsTakenBack()
    {
        SharedSemaphore semaphore = Open();
        using LiveRegion bytes = Look("semaphore");
        for (int permit = 0; permit < 3; permit++)
            bytes[bytes.Body + At.Table + (4 * permit)] = 0xFFFF_0000 + (uint)permit;
        Assert.Equal(IpcStatus.Timeout, semaphore.Acquire(Deadline.FromMilliseconds(10)));
        Fails(IpcStatus.InvalidState, semaphore.Release);
        SharedSemaphore next = Open();
        Assert.Equal(3, next.Available);
        Assert.Equal(IpcStatus.Abandoned, next.Acquire(Deadline.Now));
    }

    [Fact]
    public void AcquiringAndReleasingAllocateNothing()
    {
        SharedSemaphore semaphore = Open(1);
        Cycle();
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 1000; i++)
            Cycle();
        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());

        void Cycle()
        {
            semaphore.Acquire(Deadline.Never);
            semaphore.Acquire(Deadline.Now);
            semaphore.Release();
        }
    }
}
