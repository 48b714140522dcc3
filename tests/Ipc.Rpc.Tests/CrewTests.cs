using System;
using System.Collections.Concurrent;
using System.Threading;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>The threads of a server by themselves, stopped where no server's can be.</summary>
public sealed class CrewTests
{
    /// <summary>It has decided to end, and stands just behind that. It was still counted: with as many threads as there may be, nobody was there to take over from the next
    /// handler that was stuck, until one came back.</summary>
    [Fact]
    public void AThreadThatEndsIsNotCountedWhenAStandbyIsLookedFor()
    {
        var end = new Led(); // not disposed of: its thread may be behind the test
        using var leaders = new BlockingCollection<Led>();
        bool exhausted = false;
        var crew = new Crew("test", maxThreads: 3, leader => Lead(leader, leaders), () => exhausted = true)
        {
            IdleThread = TimeSpan.FromMilliseconds(20),
            Ending = () =>
            {
                end.Enters.Set();
                end.Returns.Wait(Eventually.Watchdog);
            },
        };
        crew.Start();
        Led first = Next(leaders);
        first.Enters.Set();
        Led second = Next(leaders); // the standby has taken over, and a third thread is the standby
        first.Returns.Set();
        Assert.True(end.Enters.Wait(Eventually.Watchdog, TestContext.Current.CancellationToken), "of three, one is not needed");
        second.Enters.Set();
        Led third = Next(leaders); // has called a standby before it leads

        Assert.False(exhausted, "a thread was refused, although one of the three ends");
        Eventually.True(() => !crew.IsExhausted, "the thread that was called is the standby"); // it is on its way
        crew.Stop();
        end.Returns.Set();
        second.Returns.Set();
        third.Enters.Set();
        third.Returns.Set();
    }

    /// <summary>That the system has no thread to give ended the process, on the thread that had just taken over.</summary>
    [Fact]
    public void AStandbyThatCannotBeStartedIsDoneWithout()
    {
        using var leaders = new BlockingCollection<Led>();
        int started = 0, exhausted = 0;
        var crew = new Crew("test", maxThreads: 10, leader => Lead(leader, leaders), () => exhausted++)
        {
            Starting = () =>
            {
                if (++started > 2)
                    throw new InsufficientMemoryException("no thread");
            },
        };
        crew.Start();
        Led first = Next(leaders);
        first.Enters.Set();
        Led second = Next(leaders); // has asked for a standby
        Assert.Equal((3, 1), (started, exhausted));
        Assert.True(crew.IsExhausted);
        first.Returns.Set();
        Eventually.True(() => !crew.IsExhausted, "the thread that comes back is the standby");
        second.Enters.Set();
        Led third = Next(leaders);
        crew.Stop();
        foreach (Led each in new[] { second, third })
        {
            each.Enters.Set();
            each.Returns.Set();
        }
    }

    /// <summary>It enters a handler, and comes back from it, when it is told to.</summary>
    private static bool Lead(Leader leader, BlockingCollection<Led> leaders)
    {
        var led = new Led();
        leaders.Add(led);
        led.Enters.Wait(Eventually.Watchdog);
        leader.EnterHandler(null!); // the call is for who cancels it
        led.Returns.Wait(Eventually.Watchdog);
        return leader.LeaveHandler();
    }

    private static Led Next(BlockingCollection<Led> leaders)
    {
        Assert.True(leaders.TryTake(out Led? next, Eventually.Watchdog), "somebody leads");
        return next!;
    }

    private sealed class Led
    {
        public ManualResetEventSlim Enters { get; } = new();

        public ManualResetEventSlim Returns { get; } = new();
    }
}
