using System;
using System.Threading;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>An event between objects that could be in different processes.</summary>
public sealed class SharedEventTests : SyncTest
{
    private SharedEvent Open(bool manual = false, bool set = false, WaitMode mode = WaitMode.Adaptive) =>
        Own(SharedEvent.Open("event", new EventOptions { ManualReset = manual, InitiallySet = set, WaitMode = mode }));

    [Fact]
    public void EachSetLetsOnePass()
    {
        SharedEvent one = Open();
        SharedEvent two = Open(manual: true); // what it is was said by who created it
        Assert.False(two.IsManualReset);
        Assert.Equal(IpcStatus.Timeout, one.Wait(Deadline.FromMilliseconds(10)));
        two.Set();
        two.Set(); // one
        Assert.Equal(IpcStatus.Ok, one.Wait(Deadline.Now));
        Assert.Equal(IpcStatus.Timeout, one.Wait(Deadline.Now));
        one.Set();
        two.Reset();
        Assert.Equal(IpcStatus.Timeout, one.Wait(Deadline.Now));
    }

    [Fact]
    public void OneWithAManualResetLetsEverybodyPassUntilItIsReset()
    {
        SharedEvent one = Open(manual: true, set: true);
        SharedEvent two = Open();
        Assert.True(two.IsManualReset);
        for (int i = 0; i < 3; i++)
            Assert.Equal(IpcStatus.Ok, two.Wait(Deadline.Now));
        one.Reset();
        Background[] waiting = [Waiting(one), Waiting(two), Waiting(two)];
        two.Set();
        foreach (Background thread in waiting)
            thread.Join();

        Background Waiting(SharedEvent @event) => Run(() => Assert.Equal(IpcStatus.Ok, @event.Wait(Hang)));
    }

    [Theory]
    [InlineData(WaitMode.Adaptive)]
    [InlineData(WaitMode.Block)]
    [InlineData(WaitMode.Spin)]
    public void TwoThatSetForEachOtherNeverMissOne(WaitMode mode)
    {
        const int Rounds = 2000;
        SharedEvent ping = Own(SharedEvent.Open("ping", new EventOptions { WaitMode = mode }));
        SharedEvent pong = Own(SharedEvent.Open("pong", new EventOptions { WaitMode = mode }));
        Background other = Run(() =>
        {
            for (int round = 0; round < Rounds; round++)
            {
                Assert.Equal(IpcStatus.Ok, ping.Wait(Hang));
                pong.Set();
            }
        });
        for (int round = 0; round < Rounds; round++)
        {
            ping.Set();
            Assert.Equal(IpcStatus.Ok, pong.Wait(Hang));
        }

        other.Join();
    }

    [Fact]
    public void OfManyWaitersASetLetsExactlyOnePass()
    {
        SharedEvent[] events = [Open(mode: WaitMode.Block), Open(), Open()];
        int passed = 0;
        Background[] waiting = Array.ConvertAll(events, @event => Run(() =>
        {
            while (@event.Wait(Hang) == IpcStatus.Ok)
                Interlocked.Increment(ref passed);
        }));
        SharedEvent setter = Open();
        for (int set = 1; set <= 100; set++)
        {
            setter.Set();
            SpinWait.SpinUntil(() => Volatile.Read(ref passed) == set, Ipc.Testing.Drive.Watchdog.Patience);
            Assert.Equal(set, Volatile.Read(ref passed));
        }

        foreach (SharedEvent @event in events)
            @event.Stop();
        foreach (Background thread in waiting)
            thread.Join();
        Assert.Equal(100, passed);
    }

    [Fact]
    public void StopCancelAndDisposeEndWaits()
    {
        SharedEvent @event = Open(mode: WaitMode.Block);
        using CancellationTokenSource cancel = new();
        Background waiting = Run(() => Assert.Equal(IpcStatus.Stopped, @event.Wait(Hang)));
        waiting.UntilAsleep();
        @event.Stop();
        waiting.Join();
        @event.Resume();
        waiting = Run(() => Assert.Equal(IpcStatus.Cancelled, @event.Wait(Hang, cancel.Token)));
        waiting.UntilAsleep();
        cancel.Cancel();
        waiting.Join();
        waiting = Run(() => Assert.Equal(IpcStatus.Closed, @event.Wait(Hang)));
        waiting.UntilAsleep();
        @event.Dispose();
        waiting.Join();
        @event.Set();
        @event.Reset();
        Assert.Equal(IpcStatus.Closed, @event.Wait(Deadline.Never));
    }

    [Fact]
    public void NonsenseIsCorruptNotAWaitWithoutEnd()
    {
        SharedEvent @event = Open();
        using LiveRegion bytes = Look("event");
        bytes[bytes.Body + At.Word] = 2;
        Assert.Throws<CorruptRegionException>(() => @event.Wait(Deadline.Never));
        @event.Set();
        Assert.Equal(IpcStatus.Ok, @event.Wait(Deadline.Now));
        bytes[bytes.Body + At.Manual] = 2;
        Fails(IpcStatus.Corrupt, () => SharedEvent.Open("event"));
    }

    [Fact]
    public void WaitingAndSettingAllocateNothing()
    {
        SharedEvent @event = Open();
        Cycle();
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 1000; i++)
            Cycle();
        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());

        void Cycle()
        {
            @event.Set();
            @event.Wait(Deadline.Never);
            @event.Wait(Deadline.Now);
        }
    }
}
