using Xunit;

namespace Ipc.Tests;

/// <summary>What an end learns about spinning. Twin: spin_test.c.</summary>
public sealed class SpinBudgetTests
{
    private const ulong Long = 50_000, Look = 1_000;

    public SpinBudgetTests() =>
        Assert.SkipWhen(Processors.IsSpinningUseless, "with one processor there is no spinning at all");

    [Fact]
    public void SpinsThatFindNothingEndSoon()
    {
        SpinBudget spin = new(0);
        Assert.Equal(Long / 2, spin.Nanoseconds);
        Assert.Equal([12_500, 6_250, 3_125, 1_562, 0, 0], MissesOf(ref spin, 6));
    }

    [Fact]
    public void AProbeComesMoreSeldomWhenItFindsNothing()
    {
        SpinBudget spin = new(0);
        int[] probes = new int[12];
        for (int miss = 1, found = 0; found < probes.Length; miss++)
        {
            spin.Missed();
            if (spin.Nanoseconds != Long)
                continue;
            probes[found++] = miss;
            spin.Missed(); // back to none at once, not by halves
            Assert.Equal(0ul, spin.Nanoseconds);
            miss++;
        }

        // each is the first miss after it, too
        Assert.Equal([8, 24, 56, 120, 248, 504, 1016, 2040, 4088, 8184, 12280, 16376], probes);
    }

    [Fact]
    public void WhatIsFoundBringsSpinningBack()
    {
        SpinBudget spin = new(0);
        _ = MissesOf(ref spin, 1000);
        Assert.Equal(0ul, spin.Nanoseconds);
        ulong[] found = new ulong[6];
        for (int i = 0; i < found.Length; i++)
        {
            spin.Found();
            found[i] = spin.Nanoseconds;
        }

        Assert.Equal([2_000, 4_000, 8_000, 16_000, 32_000, Long], found);
        Assert.Equal([25_000, 12_500, 6_250, 3_125, 1_562, 0, 0, Long], MissesOf(ref spin, 8)); // the probes begin anew
    }

    [Fact]
    public void AfterAPauseOneLookIsWorthIt()
    {
        SpinBudget spin = new(0);
        _ = MissesOf(ref spin, 7);
        spin.Slept(499_999);
        Assert.Equal(0ul, spin.Nanoseconds);
        spin.Slept(500_000);
        Assert.Equal(Look, spin.Nanoseconds);
        spin.Missed();
        Assert.Equal(Long, spin.Nanoseconds); // the eighth: a pause of that length is no reason to forget
    }

    [Fact]
    public void AfterALongPauseProbesBeginAnew()
    {
        SpinBudget spin = new(0);
        _ = MissesOf(ref spin, 600);
        spin.Slept(20_000_000);
        Assert.Equal(Look, spin.Nanoseconds);
        Assert.Equal([0, 0, 0, 0, 0, 0, 0, Long], MissesOf(ref spin, 8));
    }

    [Fact]
    public void NothingSpinsForLongerThanItsLimit()
    {
        SpinBudget spin = new(3_000);
        Assert.Equal(3_000ul, spin.Nanoseconds);
        Assert.Equal([1_500, 0, 0, 0, 0, 0, 0, 3_000], MissesOf(ref spin, 8));
        spin.Found();
        Assert.Equal(3_000ul, spin.Nanoseconds);
        SpinBudget shorter = new(500);
        _ = MissesOf(ref shorter, 3);
        shorter.Slept(1_000_000);
        Assert.Equal(500ul, shorter.Nanoseconds);
    }

    [Fact]
    public void TheNextProbeIsKnown()
    {
        SpinBudget spin = new(0);
        Assert.Equal(8u, spin.Interval);
        _ = MissesOf(ref spin, 8);
        Assert.Equal(16u, spin.Interval);
        spin.Found();
        Assert.Equal(8u, spin.Interval);
    }

    [Fact]
    public unsafe void WhatIsLearnedIsShown()
    {
        ulong shown = 0;
        WaiterWords waiter = default;
        WaitControl control = new(new WaitStyle(WaitMode.Adaptive), &waiter, null, shown: &shown);
        NothingComes condition = default;
        Assert.Equal(Shown(1, 8, Long / 2), shown);
        while (control.SpinNanoseconds != 0) // a wait whose time is over while it spins has learned nothing
        {
            Assert.Equal(IpcStatus.Timeout, control.Wait(ref condition, &waiter, Deadline.FromMilliseconds(2), default));
            Assert.Equal(Shown(1, 8, control.SpinNanoseconds), shown);
        }

        shown = ulong.MaxValue; // whoever does that has it for as long as nothing is learned
        Assert.Equal(0ul, control.SpinNanoseconds);
        while (control.SpinNanoseconds == 0)
            Assert.Equal(IpcStatus.Timeout, control.Wait(ref condition, &waiter, Deadline.FromMilliseconds(1), default));
        Assert.Equal(Shown(1, 16, control.SpinNanoseconds), shown); // the probe
    }

    [Theory]
    [InlineData(WaitMode.Spin, 2)]
    [InlineData(WaitMode.Block, 3)]
    public unsafe void AModeThatLearnsNothingIsShownAlone(WaitMode mode, uint number)
    {
        ulong shown = 0;
        WaiterWords waiter = default;
        WaitControl control = new(new WaitStyle(mode), &waiter, null, shown: &shown);
        NothingComes condition = default;
        for (int i = 0; i < 3; i++)
            Assert.Equal(IpcStatus.Timeout, control.Wait(ref condition, &waiter, Deadline.FromMilliseconds(1), default));
        Assert.Equal(Shown(number, 0, 0), shown);
    }

    private static ulong Shown(uint mode, uint interval, ulong nanoseconds) => (ulong)mode << 48 | (ulong)interval << 32 | nanoseconds;

    private readonly struct NothingComes : IWaitCondition
    {
        public ulong LongestSleep => ulong.MaxValue;

        public bool IsTrue() => false;

        public IpcStatus PeerStatus() => IpcStatus.Ok;

        public bool BeforeSleep() => true;
    }

    private static ulong[] MissesOf(ref SpinBudget spin, int count)
    {
        ulong[] left = new ulong[count];
        for (int i = 0; i < count; i++)
        {
            spin.Missed();
            left[i] = spin.Nanoseconds;
        }

        return left;
    }
}
