using System;
using Xunit;

namespace Ipc.Native.Tests;

/// <summary>Mutexes, semaphores and events through the binding.</summary>
public sealed class LockTests
{
    [Fact]
    public void AMutexIsHeldByOneAndTellsTheNextThatItWasAbandoned()
    {
        string name = RegionName.Of();
        using NativeSharedMutex one = NativeSharedMutex.Open(name);
        NativeSharedMutex other = NativeSharedMutex.Open(name);
        Assert.Equal(NativeStatus.Ok, one.Acquire());
        Assert.Equal(NativeStatus.Timeout, other.Acquire());
        one.Release();
        Assert.Equal(NativeStatus.InvalidState, Assert.Throws<NativeException>(one.Release).Status);
        Assert.Equal(NativeStatus.Ok, other.Acquire());
        other.Dispose();
        Assert.Equal(NativeStatus.Abandoned, one.Acquire());
        one.Release();
        one.Stop();
        using NativeSharedMutex holder = NativeSharedMutex.Open(name);
        Assert.Equal(NativeStatus.Ok, holder.Acquire());
        Assert.Equal(NativeStatus.Stopped, one.Acquire(NativeDeadline.Forever));
        one.Resume();
        holder.Release();
        Assert.Equal(NativeStatus.Ok, one.Acquire());
        one.Release();
    }

    [Fact]
    public void ASemaphoreHasAsManyPermitsAsItsCreatorChose()
    {
        string name = RegionName.Of();
        using NativeSharedSemaphore semaphore = NativeSharedSemaphore.Open(name, new NativeSyncOptions { Permits = 2, SpinLimit = TimeSpan.FromTicks(10) });
        using NativeSharedSemaphore other = NativeSharedSemaphore.Open(name);
        Assert.Equal((2, 2), (other.Permits, other.Available));
        Assert.Equal(NativeStatus.Ok, semaphore.Acquire());
        Assert.Equal(NativeStatus.Ok, other.Acquire());
        Assert.Equal(NativeStatus.Timeout, other.Acquire());
        semaphore.Release();
        other.Release();
        Assert.Equal(2, semaphore.Available);
    }

    [Fact]
    public void AnEventIsSetAndResetAndResetsItself()
    {
        string name = RegionName.Of();
        using NativeSharedEvent manual = NativeSharedEvent.Open(name, new NativeSyncOptions { ManualReset = true, InitiallySet = true });
        Assert.True(manual.IsManualReset);
        Assert.Equal(NativeStatus.Ok, manual.Wait());
        manual.Reset();
        Assert.Equal(NativeStatus.Timeout, manual.Wait());
        using NativeSharedEvent automatic = NativeSharedEvent.Open(name + ".2");
        automatic.Set();
        Assert.Equal(NativeStatus.Ok, automatic.Wait());
        Assert.Equal(NativeStatus.Timeout, automatic.Wait());
    }

    [Fact]
    public void ASpinLimitIsNotNegative() => Assert.Throws<ArgumentOutOfRangeException>(
        static () => NativeSharedMutex.Open(RegionName.Of(), new NativeSyncOptions { SpinLimit = TimeSpan.FromTicks(-1) }));
}
