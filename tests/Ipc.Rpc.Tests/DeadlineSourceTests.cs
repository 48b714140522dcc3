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
            using (var source = new DeadlineSource(one.Token, other.Token))
            {
                source.CancelAt(Deadline.Never);
                Assert.False(source.IsCancellationRequested);
                (which == 0 ? one : other).Cancel();
                Assert.True(source.IsCancellationRequested);
            }

            Assert.Equal((0, 0), (Registrations.Count(one), Registrations.Count(other)));
            using var late = new DeadlineSource(one.Token, other.Token);
            Assert.True(late.IsCancellationRequested);
        }
    }

    /// <summary>Nobody could catch it: the process would end.</summary>
    [Fact]
    public void WhatARegistrationThrowsAtTheDeadlineIsNotHeardOf()
    {
        using var source = new DeadlineSource();
        using var told = new ManualResetEventSlim();
        using CancellationTokenRegistration first = source.Token.Register(told.Set);
        using CancellationTokenRegistration second = source.Token.Register(static () => throw new InvalidOperationException("thrown on purpose"));
        source.CancelAt(Deadline.After(TimeSpan.FromMilliseconds(2)));
        Assert.True(told.Wait(Eventually.Watchdog, TestContext.Current.CancellationToken));
    }
}
