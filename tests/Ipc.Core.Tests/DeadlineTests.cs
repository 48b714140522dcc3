using System;
using System.Threading;
using Xunit;

namespace Ipc.Core.Tests;

public sealed class DeadlineTests
{
    [Fact]
    public void TheDefaultIsNow()
    {
        Assert.Equal(Deadline.Now, default);
        Assert.True(Deadline.Now.HasPassed);
        Assert.Equal(TimeSpan.Zero, Deadline.Now.Remaining);
        Assert.Equal(0UL, Deadline.Now.Nanoseconds);
    }

    [Fact]
    public void NeverNeverPasses()
    {
        Assert.False(Deadline.Never.HasPassed);
        Assert.Equal(ulong.MaxValue, Deadline.Never.Nanoseconds);
        Assert.Equal(Deadline.Never, Deadline.After(Timeout.InfiniteTimeSpan));
        Assert.Equal(Deadline.Never, Deadline.After(TimeSpan.MaxValue));
        Assert.Equal(Deadline.Never, Deadline.FromMilliseconds(double.PositiveInfinity));
        Assert.Equal(Deadline.Never, Deadline.FromMilliseconds(Timeout.Infinite));
    }

    /// <summary>"until - now" of a moment that is just past was a wait for ever.</summary>
    [Fact]
    public void AMomentThatIsPastIsOver()
    {
        foreach (long ticks in new[] { -1, -9_999, -10_001, -TimeSpan.TicksPerSecond, -TimeSpan.TicksPerDay, long.MinValue })
        {
            Assert.Equal(Deadline.Now, Deadline.After(TimeSpan.FromTicks(ticks)));
            Assert.True(Deadline.After(TimeSpan.FromTicks(ticks)).HasPassed);
        }

        foreach (double milliseconds in new[] { -0.5, -0.0, -1.5, -2, -1e18, double.NegativeInfinity, double.NaN, 0 })
            Assert.Equal(Deadline.Now, Deadline.FromMilliseconds(milliseconds));
        Assert.Equal(Deadline.Now, Deadline.After(TimeSpan.Zero));
    }

    [Fact]
    public void ADurationIsCountedOnTheMonotonicClock()
    {
        ulong before = Os.Current.Now();
        Deadline deadline = Deadline.After(TimeSpan.FromSeconds(100));
        ulong after = Os.Current.Now();
        Assert.InRange(deadline.Nanoseconds, before + 100_000_000_000, after + 100_000_000_000);
        Assert.False(deadline.HasPassed);
        Assert.InRange(deadline.Remaining.TotalSeconds, 1, 100);
        Assert.Equal(deadline, Deadline.FromNanoseconds(deadline.Nanoseconds));
    }

    [Fact]
    public void TheEarlierOneIsFirst()
    {
        Deadline soon = Deadline.After(TimeSpan.FromSeconds(1));
        Assert.Equal(soon, Deadline.Earlier(Deadline.Never, soon));
        Assert.Equal(Deadline.Now, Deadline.Earlier(soon, Deadline.Now));
    }
}
