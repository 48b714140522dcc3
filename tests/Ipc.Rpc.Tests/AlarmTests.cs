using System;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Alarms are used again, with the timer that an earlier deadline has left set. Alone: so that each is the one that was given back last.</summary>
[Collection(nameof(Alone))]
public sealed class AlarmTests
{
    private static readonly TimeSpan Soon = TimeSpan.FromMilliseconds(20);

    [Fact]
    public void ADeadlineAfterThatOfTheLastUseIsWaitedFor()
    {
        for (int i = 0; i < 20; i++)
        {
            Use(TimeSpan.FromMilliseconds(5));
            Fires(Deadline.After(Soon));
        }
    }

    [Fact]
    public void ADeadlineBeforeThatOfTheLastUseIsNotMissed()
    {
        Use(TimeSpan.FromSeconds(9)); // near enough that the timer stays as it is
        Stopwatch since = Stopwatch.StartNew();
        Fires(Deadline.After(Soon));
        Assert.True(since.Elapsed < TimeSpan.FromSeconds(5), $"after {since.Elapsed}");
    }

    [Fact]
    public void WhatWasGivenBackCancelsNothing()
    {
        using var first = new CancellationTokenSource();
        using var second = new CancellationTokenSource();
        Alarm given = Alarm.Set(first, Deadline.After(Soon))!;
        Alarm later = Alarm.Set(second, Deadline.After(2 * Soon))!;
        given.Release();
        Eventually.True(() => second.IsCancellationRequested, "the later one has fired");
        Thread.Sleep(Soon);
        Assert.False(first.IsCancellationRequested);
        later.Release();
    }

    [Fact]
    public void ASourceThatIsDisposedTwiceGivesItsBackOnce()
    {
        var source = new DeadlineSource(Deadline.After(TimeSpan.FromSeconds(9)));
        source.Dispose();
        source.Dispose();
        using var first = new CancellationTokenSource();
        using var second = new CancellationTokenSource();
        Alarm[] alarms = [Alarm.Set(first, Deadline.After(Soon))!, Alarm.Set(second, Deadline.After(Soon))!];
        Eventually.True(() => first.IsCancellationRequested && second.IsCancellationRequested, "both have fired");
        foreach (Alarm each in alarms)
            each.Release();
    }

    /// <summary>It would keep a plug-in from being unloaded that has the library in it.</summary>
    [Fact]
    public void WhatWasGivenBackLeavesNoTimerSetForLong()
    {
        using var source = new CancellationTokenSource();
        long before = Timer.ActiveCount;
        Alarm[] alarms = [.. Enumerable.Range(0, 200).Select(_ => Alarm.Set(source, Deadline.After(TimeSpan.FromHours(1)))!)];
        Assert.InRange(Timer.ActiveCount - before, 100, 300); // others have timers, too
        foreach (Alarm each in alarms)
            each.Release();
        Assert.InRange(Timer.ActiveCount - before, -100, 99);
    }

    [Fact]
    public void AStoppedTimerIsSetAgain()
    {
        Use(TimeSpan.FromHours(1));
        Fires(Deadline.After(Soon));
    }

    [Fact]
    public void ADeadlineThatHasPassedCancelsAtOnceAndNoDeadlineNever()
    {
        Fires(Deadline.Now);
        using var source = new CancellationTokenSource();
        Assert.Null(Alarm.Set(source, Deadline.Never));
    }

    /// <summary>Nobody could catch it: the process would end.</summary>
    [Fact]
    public void WhatARegistrationThrowsAtTheDeadlineIsNotHeardOf()
    {
        using var source = new CancellationTokenSource();
        using var told = new ManualResetEventSlim();
        using CancellationTokenRegistration first = source.Token.Register(told.Set);
        using CancellationTokenRegistration second = source.Token.Register(static () => throw new InvalidOperationException("thrown on purpose"));
        Alarm alarm = Alarm.Set(source, Deadline.After(TimeSpan.FromMilliseconds(2)))!;
        Assert.True(told.Wait(Eventually.Watchdog, TestContext.Current.CancellationToken));
        alarm.Release();
    }

    /// <summary>More at a time than are kept.</summary>
    [Fact]
    public void ManyAtATimeFireEach()
    {
        Deadline until = Deadline.After(Soon);
        CancellationTokenSource[] sources = [.. Enumerable.Range(0, 1000).Select(static _ => new CancellationTokenSource())];
        Alarm[] alarms = [.. sources.Select(each => Alarm.Set(each, until)!)];
        Eventually.True(() => sources.All(static each => each.IsCancellationRequested), "all have fired");
        foreach (Alarm each in alarms)
            each.Release();
        Fires(Deadline.After(Soon));
    }

    [Theory]
    [InlineData(5)] // its timer is left as it is
    [InlineData(60)]
    public void ItCostsNoMemory(int seconds)
    {
        using var source = new CancellationTokenSource();
        Assert.Equal(0, Cheapest(() => Alarm.Set(source, Deadline.After(TimeSpan.FromSeconds(seconds)))!.Release()));
    }

    /// <summary>What most calls with a token need: a source whose token is known, and nothing for a deadline.</summary>
    [Fact]
    public void ATokenCostsACallASourceAndNothingElse()
    {
        var call = new ServerCall(null!);
        FrameHeader header = Hand.Request(Hand.Ask, 1, deadline: Deadline.After(TimeSpan.FromMinutes(1)).Nanoseconds);
        CancellationToken last = default;
        long source = Cheapest(() => last = new CancellationTokenSource().Token);
        Assert.InRange(source, 1, 1000);
        Assert.Equal(source + IntPtr.Size, Cheapest(() =>
        {
            call.Begin(null!, in header, null, CallFormat.Generated);
            last = call.Token;
            Assert.True(call.TryReset());
        }));
        Assert.False(last.IsCancellationRequested);
    }

    /// <summary>Beyond what it costs to have none: for they give their alarms back.</summary>
    [Fact]
    public void ADeadlineCostsASourceAndACallNoMemory()
    {
        using var other = new CancellationTokenSource();
        Deadline until = Deadline.After(TimeSpan.FromMinutes(1));
        Alarm[] kept = [.. Enumerable.Range(0, 300).Select(_ => Alarm.Set(other, until)!)]; // all that are, so that one is kept only if it is given back
        Assert.Equal(
            Cheapest(static () => new DeadlineSource(Deadline.Never).Dispose()),
            Cheapest(() => new DeadlineSource(until).Dispose()));
        Assert.Equal(Cheapest(static () => Call(0)), Cheapest(() => Call(until.Nanoseconds)));
        foreach (Alarm each in kept)
            each.Release();

        static void Call(ulong deadline)
        {
            var call = new ServerCall(null!);
            FrameHeader header = Hand.Request(Hand.Ask, 1, deadline: deadline);
            call.Begin(null!, in header, null, CallFormat.Generated);
            Assert.False(call.Token.IsCancellationRequested);
            call.ArmDeadline();
            call.Dispose();
        }
    }

    private static void Use(TimeSpan time)
    {
        using var source = new CancellationTokenSource();
        Alarm.Set(source, Deadline.After(time))!.Release();
    }

    private static void Fires(Deadline until)
    {
        using var source = new CancellationTokenSource();
        using var fired = new ManualResetEventSlim();
        bool isEarly = false;
        using CancellationTokenRegistration registration = source.Token.Register(() =>
        {
            isEarly = !until.HasPassed;
            fired.Set();
        });
        Alarm alarm = Alarm.Set(source, until)!;
        Assert.True(fired.Wait(Eventually.Watchdog, TestContext.Current.CancellationToken));
        alarm.Release();
        Assert.False(isEarly);
    }

    /// <summary>Bytes, of the best of some times: the runtime allocates now and then, too.</summary>
    private static long Cheapest(Action what)
    {
        what();
        long least = long.MaxValue;
        for (int i = 0; i < 50; i++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            what();
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        return least;
    }
}
