using Ipc.Testing;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>Lagging behind a stream: when it begins, when it ends, who never does it. Twin of lag_test.c.</summary>
public sealed class StreamLagTests
{
    private const int Stream = 8, Portion = 8, Penalty = 1000;
    private const ulong Longest = 1500; // ns

    private static StreamLag New(WaitMode mode = WaitMode.Adaptive, ulong longestSpin = 0, uint slots = 1024) => new(new WaitStyle(mode, longestSpin), slots);

    private static void Learn(StreamLag lag, bool atOnce, int times)
    {
        for (int i = 0; i < times; i++)
            lag.Learn(atOnce);
    }

    [Fact]
    public void WaitsThatAreOverAtOnceBecomeAStream()
    {
        StreamLag lag = New();
        Learn(lag, true, Stream - 1);
        Assert.False(lag.IsDue);
        Learn(lag, true, 1);
        Assert.True(lag.IsDue);
    }

    [Fact]
    public void ARealWaitTakesAStepBack()
    {
        StreamLag lag = New();
        Learn(lag, true, Stream - 1);
        Learn(lag, false, 1);
        Learn(lag, true, 1);
        Assert.False(lag.IsDue);
        Learn(lag, true, 1);
        Assert.True(lag.IsDue);
        Learn(lag, false, 1); // the stream has ended
        Learn(lag, true, Stream - 1);
        Assert.False(lag.IsDue);
    }

    [Fact]
    public void ALagLastsItsTimeAndGoesOnWhilePortionsCome()
    {
        StreamLag lag = New();
        Learn(lag, true, Stream);
        for (ulong i = 0; i < 100; i++)
        {
            ulong began = Os.Current.Now();
            lag.Behind(i * Portion, Deadline.Never);
            Assert.True(Os.Current.Now() - began >= Longest);
            Learn(lag, true, 1);
            Assert.True(lag.IsDue);
        }
    }

    [Fact]
    public void ALagInWhichNoPortionCameIsTheLastForALongTime()
    {
        StreamLag lag = New();
        Learn(lag, true, Stream);
        lag.Behind(1000, Deadline.Never);
        lag.Behind(1000 + Portion - 1, Deadline.Never);
        Assert.False(lag.IsDue);
        Learn(lag, true, Penalty + Stream - 1);
        Assert.False(lag.IsDue);
        Learn(lag, true, 1);
        Assert.True(lag.IsDue);
    }

    [Theory]
    [InlineData(WaitMode.Spin, 0, 1024)]
    [InlineData(WaitMode.Block, 0, 1024)]
    [InlineData(WaitMode.Adaptive, 1499, 1024)]
    [InlineData(WaitMode.Adaptive, 0, 32)]
    public void WhoMustNotLagNeverDoes(WaitMode mode, ulong longestSpin, uint slots)
    {
        StreamLag lag = New(mode, longestSpin, slots);
        Learn(lag, true, 10 * Stream);
        Assert.False(lag.IsDue);
    }
}
