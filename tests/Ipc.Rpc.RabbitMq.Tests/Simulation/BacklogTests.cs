using System;
using System.Linq;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests.Simulation;

/// <summary>How a work queue grows when there are too few servers, for ever or for a while, and how long that stays: the guide quotes it
/// (<see cref="SimulationTests.TheGuideQuotesIt"/>).</summary>
public sealed class BacklogTests
{
    internal const int Servers = 10;
    internal const double Work = 0.05, Capacity = Servers / Work;
    private const double Before = 60;

    /// <summary>A load that is too much grows the queue by what is too much, and nothing bounds it.</summary>
    [Theory]
    [InlineData(1.1)]
    [InlineData(1.5)]
    public void AQueueGrowsByWhatIsTooMuch(double load)
    {
        const double time = 300;
        int[] waiting = [.. Enumerable.Range(1, 5).Select(seed => new Backlog(seed, Servers, Work).Run(load * Capacity, 0, Before, 0, time).Waiting)];
        Assert.InRange(waiting.Average() / ((load - 1) * Capacity * time), 0.9, 1.1);
    }

    /// <summary>What came together while servers were away goes at the rate that is to spare: outage x (load - what was left) / (1 - load).</summary>
    [Theory]
    [InlineData(0.5, 10)]
    [InlineData(0.8, 5)]
    [InlineData(0.8, 10)]
    [InlineData(0.9, 5)]
    [InlineData(0.95, 5)]
    public void WhatHasGrownGoesAtTheRateThatIsToSpare(double load, int dying)
    {
        const double away = 60;
        Growth[] runs = [.. Enumerable.Range(1, 8).Select(seed => Dies(load, dying, away, seed))];
        double much = load - (1 - ((double)dying / Servers));
        Assert.InRange(runs.Average(static run => run.Longest) / (much * Capacity * away), 0.9, 1.15);
        Assert.InRange(runs.Average(static run => run.Drained) / (away * much / (1 - load)), 0.8, 1.2);
    }

    /// <summary>Every message is handled, or waits; those that the dead had begun are begun again.</summary>
    [Fact]
    public void NothingIsLostWithTheServersThatDie()
    {
        Growth run = Dies(0.9, 10, 30, seed: 3);
        Assert.Equal(run.Came, run.Handled + run.Waiting);
        Assert.InRange(run.Again, 1, 10);
    }

    [Fact]
    public void OneSeedGivesOneBacklog()
    {
        Growth[] runs = [.. new[] { 7, 7, 8 }.Select(static seed => Dies(0.8, 5, 60, seed))];
        Assert.Equal(runs[0], runs[1]);
        Assert.NotEqual(runs[0], runs[2]);
    }

    /// <summary>After a minute that many servers die, and come back later; until nobody waits.</summary>
    internal static Growth Dies(double load, int dying, double away, int seed = 1) =>
        new Backlog(seed, Servers, Work).Run(load * Capacity, dying, Before, away, Before + away + (3 * away / (1 - load)));
}
