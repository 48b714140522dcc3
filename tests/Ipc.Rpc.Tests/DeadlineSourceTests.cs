using System;
using System.Threading;
using Xunit;

namespace Ipc.Rpc.Tests;

public sealed class DeadlineSourceTests
{
    [Fact]
    public void ItFiresWithEachOfTheOthersAndLeavesNothingOnThem()
    {
        for (int which = 0; which < 2; which++)
        {
            using var one = new CancellationTokenSource();
            using var other = new CancellationTokenSource();
            using (var source = new DeadlineSource(which == 0 ? Deadline.Never : Deadline.After(Eventually.Watchdog), one.Token, other.Token))
            {
                Assert.False(source.IsCancellationRequested);
                (which == 0 ? one : other).Cancel();
                Assert.True(source.IsCancellationRequested);
            }

            Assert.Equal((0, 0), (Registrations.Count(one), Registrations.Count(other)));
            using var late = new DeadlineSource(Deadline.Never, one.Token, other.Token);
            Assert.True(late.IsCancellationRequested);
        }
    }

    [Fact]
    public void ItFiresAtItsDeadlineAndNotBefore()
    {
        Deadline until = Deadline.After(TimeSpan.FromMilliseconds(5));
        using var source = new DeadlineSource(until);
        Assert.True(source.Token.WaitHandle.WaitOne(Eventually.Watchdog));
        Assert.True(until.HasPassed);
    }

    /// <summary>The tokens of others may live as long as the program: they kept what flowed with each call that was under way.</summary>
    [Fact]
    public void TheOthersKeepNothingOfWhatFlowsWithWhoMakesIt()
    {
        var ambient = new AsyncLocal<string?> { Value = "who makes it" };
        using var other = new CancellationTokenSource();
        using var source = new DeadlineSource(Deadline.Never, other.Token);
        string? seen = null;
        using CancellationTokenRegistration registration = source.Token.UnsafeRegister(_ => seen = ambient.Value, null);
        ambient.Value = "who cancels";
        other.Cancel();
        Assert.Equal("who cancels", seen);
    }
}
