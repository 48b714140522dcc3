using System;
using System.Threading;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>A mutex between objects that could be in different processes.</summary>
public sealed class SharedMutexTests : SyncTest
{
    private SharedMutex Open(WaitMode mode = WaitMode.Adaptive) => Own(SharedMutex.Open("mutex", new SyncOptions { WaitMode = mode }));

    [Fact]
    public void OneHasItAndTheOtherGetsItAfterTheRelease()
    {
        SharedMutex one = Open();
        SharedMutex two = Open();
        using LiveRegion bytes = Look("mutex");
        Assert.Equal(IpcStatus.Ok, one.Acquire(Deadline.Now));
        Assert.Equal(1u, bytes[bytes.Body + At.Word]);
        Assert.Equal(IpcStatus.Timeout, two.Acquire(Deadline.Now));
        Assert.Equal(IpcStatus.Timeout, two.Acquire(Deadline.FromMilliseconds(20)));
        Assert.Equal(IpcStatus.Timeout, one.Acquire(Deadline.Now)); // not recursive
        one.Release();
        Assert.Equal(0u, bytes[bytes.Body + At.Word]);
        Assert.Equal(IpcStatus.Ok, two.Acquire(Deadline.Now));
        Assert.Equal(2u, bytes[bytes.Body + At.Word]);
        two.Release();
    }

    [Fact]
    public void OnlyTheObjectThatHasItReleasesIt()
    {
        SharedMutex one = Open();
        SharedMutex two = Open();
        Fails(IpcStatus.InvalidState, one.Release);
        Assert.Equal(IpcStatus.Ok, one.Acquire(Deadline.Now));
        Fails(IpcStatus.InvalidState, two.Release);
        one.Release();
        Fails(IpcStatus.InvalidState, one.Release);
    }

    [Theory]
    [InlineData(WaitMode.Adaptive)]
    [InlineData(WaitMode.Block)]
    [InlineData(WaitMode.Spin)]
    public void ManyThreadsOfManyObjectsAreInOneAtATime(WaitMode mode)
    {
        const int Rounds = 500;
        SharedMutex[] mutexes = [Open(mode), Open(mode), Open(WaitMode.Block)];
        int inside = 0;
        int total = 0;
        Background[] threads = new Background[6];
        for (int i = 0; i < threads.Length; i++)
        {
            SharedMutex mutex = mutexes[i % mutexes.Length]; // two threads for each
            threads[i] = Run(() =>
            {
                for (int round = 0; round < Rounds; round++)
                {
                    Assert.Equal(IpcStatus.Ok, mutex.Acquire(Hang));
                    Assert.Equal(1, Interlocked.Increment(ref inside));
                    total++; // plain: that is the point
                    Assert.Equal(0, Interlocked.Decrement(ref inside));
                    mutex.Release();
                }
            });
        }

        foreach (Background thread in threads)
            thread.Join();
        Assert.Equal(threads.Length * Rounds, total);
    }

    [Fact]
    public void ClosingWithItAbandonsItAndTheNextOwnerIsToldOnce()
    {
        SharedMutex one = Open();
        SharedMutex two = Open();
        Assert.Equal(IpcStatus.Ok, one.Acquire(Deadline.Now));
        Background waiting = Run(() => Assert.Equal(IpcStatus.Abandoned, two.Acquire(Hang)));
        one.Dispose();
        waiting.Join();
        two.Release();
        Assert.Equal(IpcStatus.Ok, two.Acquire(Deadline.Now));
        two.Release();
    }

    [Theory]
    [InlineData(WaitMode.Adaptive)]
    [InlineData(WaitMode.Block)]
    public void ADeadOwnersMutexIsAbandonedToOneOfThoseWhoWait(WaitMode mode)
    {
        SharedMutex[] mutexes = [Open(mode), Open(mode), Open(mode)];
        using LiveRegion bytes = Look("mutex");
        AddDead(bytes);
        bytes[bytes.Body + At.Word] = Dead;
        int told = 0;
        Background[] waiting = Array.ConvertAll(mutexes, mutex => Run(() =>
        {
            IpcStatus status = mutex.Acquire(Hang);
            if (status == IpcStatus.Abandoned)
                Interlocked.Increment(ref told);
            else
                Assert.Equal(IpcStatus.Ok, status);
            mutex.Release();
        }));
        foreach (Background thread in waiting)
            thread.Join();
        Assert.Equal(1, told);
        Assert.Equal(0u, bytes[bytes.Body + At.Word]);
    }

    [Fact]
    public void WhoOpensAMutexWhoseOwnerIsNobodyTakesItBack()
    {
        SharedMutex one = Open();
        using LiveRegion bytes = Look("mutex");
        bytes[bytes.Body + At.Word] = 77; // a number that no live entry has
        Assert.Equal(IpcStatus.Timeout, one.Acquire(Deadline.FromMilliseconds(10)));
        SharedMutex two = Open();
        Assert.Equal(IpcStatus.Abandoned, two.Acquire(Deadline.Now));
        two.Release();
    }

    [Fact]
    public void StopEndsWaitsUntilResumedAndLeavesWhatNeedsNone()
    {
        SharedMutex one = Open();
        SharedMutex two = Open(WaitMode.Block);
        Assert.Equal(IpcStatus.Ok, one.Acquire(Deadline.Now));
        Background waiting = Run(() => Assert.Equal(IpcStatus.Stopped, two.Acquire(Hang)));
        waiting.UntilAsleep();
        two.Stop();
        waiting.Join();
        Assert.Equal(IpcStatus.Stopped, two.Acquire(Hang));
        one.Release();
        Assert.Equal(IpcStatus.Ok, two.Acquire(Hang));
        two.Resume();
        Assert.Equal(IpcStatus.Timeout, one.Acquire(Deadline.FromMilliseconds(10)));
        two.Release();
    }

    [Fact]
    public void ACancelledWaitTakesNothing()
    {
        SharedMutex one = Open();
        SharedMutex two = Open();
        Assert.Equal(IpcStatus.Ok, one.Acquire(Deadline.Now));
        using CancellationTokenSource cancel = new();
        Background waiting = Run(() => Assert.Equal(IpcStatus.Cancelled, two.Acquire(Deadline.Never, cancel.Token)));
        waiting.UntilAsleep();
        cancel.Cancel();
        waiting.Join();
        one.Release();
        Assert.Equal(IpcStatus.Ok, one.Acquire(Deadline.Now));
        one.Release();
    }

    [Fact]
    public void DisposingWhileOthersWaitOnTheSameObjectEndsTheirWaits()
    {
        SharedMutex holder = Open();
        Assert.Equal(IpcStatus.Ok, holder.Acquire(Deadline.Now));
        for (int round = 0; round < 50; round++)
        {
            SharedMutex mutex = Open(round % 2 == 0 ? WaitMode.Adaptive : WaitMode.Block);
            Background[] waiting = [Wait(mutex), Wait(mutex)];
            mutex.Dispose();
            foreach (Background thread in waiting)
                thread.Join();
            Assert.Equal(IpcStatus.Closed, mutex.Acquire(Deadline.Never));
            mutex.Release(); // nothing
        }

        holder.Release();
        Assert.Equal(IpcStatus.Ok, holder.Acquire(Deadline.Now)); // nobody took it in passing
        holder.Release();

        Background Wait(SharedMutex mutex) => Run(() => Assert.Equal(IpcStatus.Closed, mutex.Acquire(Deadline.Never)));
    }

    [Fact]
    public void DisposingWhileAThreadTakesAndReleasesLosesNothing()
    {
        SharedMutex other = Open();
        for (int round = 0; round < 200; round++)
        {
            SharedMutex mutex = Open();
            using ManualResetEventSlim going = new();
            Background taking = Run(() =>
            {
                IpcStatus status;
                while ((status = mutex.Acquire(Hang)) is IpcStatus.Ok or IpcStatus.Abandoned)
                {
                    going.Set();
                    mutex.Release();
                }

                Assert.Equal(IpcStatus.Closed, status);
            });
            going.Wait(None);
            mutex.Dispose();
            taking.Join();
            Assert.True(other.Acquire(Hang) is IpcStatus.Ok or IpcStatus.Abandoned);
            other.Release();
        }
    }

    [Theory]
    [InlineData(257u)]
    [InlineData(0x7FFF_FFFFu)]
    [InlineData(Abandoned | 1)]
    [InlineData(uint.MaxValue)]
    public void AnOwnerThatNobodyCanBeIsCorrupt(uint owner)
    {
        SharedMutex mutex = Open();
        using LiveRegion bytes = Look("mutex");
        bytes[bytes.Body + At.Word] = owner;
        Assert.Throws<CorruptRegionException>(() => mutex.Acquire(Deadline.Never));
        Fails(IpcStatus.InvalidState, mutex.Release);
    }

    [Fact]
    public void AnotherKindAndABadMagicAreRefused()
    {
        Open();
        Fails(IpcStatus.WrongKind, () => SharedEvent.Open("mutex"));
        Fails(IpcStatus.WrongKind, () => RingReader.Open("mutex"));
        using LiveRegion bytes = Look("mutex");
        bytes[bytes.Body + At.Magic] = 1;
        Fails(IpcStatus.Corrupt, () => SharedMutex.Open("mutex"));
        bytes[bytes.Body + At.Magic] = 0x5854554D;
    }

    [Fact]
    public void TheLastToCloseRemovesItUnlessItIsPersistent()
    {
        SharedMutex.Open("gone").Dispose();
        Fails(IpcStatus.NotFound, () => SharedMutex.Open("gone", new SyncOptions { OpenMode = OpenMode.OpenExisting }));
        SharedMutex first = SharedMutex.Open("kept", new SyncOptions { Lifetime = Lifetime.Persistent });
        Assert.Equal(IpcStatus.Ok, first.Acquire(Deadline.Now));
        first.Dispose();
        using (SharedMutex next = SharedMutex.Open("kept", new SyncOptions { OpenMode = OpenMode.OpenExisting }))
            Assert.Equal(IpcStatus.Abandoned, next.Acquire(Deadline.Now)); // the message outlives everybody
        Assert.True(SharedStorage.Clear("kept"));
    }

    [Fact]
    public void AcquiringAndReleasingAllocateNothing()
    {
        SharedMutex mutex = Open();
        Cycle();
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 1000; i++)
            Cycle();
        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());

        void Cycle()
        {
            mutex.Acquire(Deadline.Never);
            mutex.Acquire(Deadline.Now);
            mutex.Release();
        }
    }
}
