using System;
using System.Collections.Generic;
using System.Linq;
using Xunit;

namespace Ipc.Matrix.Tests;

/// <summary>The rows of bench/run.sh do not flatter: who stands beside whom, what comes first, and what is no verdict.</summary>
public sealed class FiguresTests
{
    private static readonly string[] _names = [.. Figures.All.Select(static figure => figure.Name)];

    [Fact]
    public void EveryNameIsThereOnceAndEveryRowBesideItExists()
    {
        Assert.Equal(_names.Length, _names.Distinct().Count());
        Assert.All(Figures.All, static figure =>
        {
            Assert.True(figure.Limit is null || _names.Contains(figure.Limit), $"{figure.Name}: {figure.Limit}");
            Assert.True(figure.Rival is null || _names.Contains(figure.Rival), $"{figure.Name}: {figure.Rival}");
        });
    }

    /// <summary>A round trip whose processes spin takes a tenth of one whose processes sleep, whatever the library does.</summary>
    [Fact]
    public void ASpinningRoundTripHasASpinningRivalAndASleepingOneASleepingRival()
    {
        Figure[] judged = [.. Figures.All.Where(static figure => figure.Latency && figure.Rival is not null)];
        Assert.True(judged.Length > 8);
        Assert.All(judged, static figure => Assert.True(figure.Spins == Figures.Named(figure.Rival!).Spins, $"{figure.Name} beside {figure.Rival}"));
    }

    /// <summary>And whose limit is a time of another kind would be judged by it.</summary>
    [Fact]
    public void ASpinningRoundTripWithATargetHasASpinningLimit() =>
        Assert.All(Figures.All.Where(static figure => figure is { Latency: true, Spins: true, Target: not null }),
            static figure => Assert.True(Figures.Named(figure.Limit!).Spins, $"{figure.Name} beside {figure.Limit}"));

    [Fact]
    public void WhatPublishesStandsBesideAPublisherAndWhatSendsBesideASender()
    {
        foreach (Figure figure in Figures.All.Where(static figure => figure.Rival?.StartsWith("rival.zeromq", StringComparison.Ordinal) == true))
            Assert.Equal(figure.Name.StartsWith("topic.", StringComparison.Ordinal), figure.Rival!.Contains(".pubsub.", StringComparison.Ordinal));
    }

    [Fact]
    public void DefaultOptionsComeBeforeTunedOnes()
    {
        Assert.True(At("rpc.stream.64.default.cs") < At("rpc.stream.64.cs"));
        string[] missing = [.. Demanded().Except(_names)];
        Assert.Empty(missing);

        static int At(string name) => Array.IndexOf(_names, name);
    }

    /// <summary>What has to be shown of a plain program, and of a busy machine, with the tail beside the median.</summary>
    private static IEnumerable<string> Demanded()
    {
        foreach (string quantile in new[] { "", ".p99", ".p999", ".max" })
        {
            foreach (string call in new[] { "rpc.sync.64.cs", "rpc.sync.64.cpp", "uds.64" })
            {
                yield return $"default.{call}{quantile}";
                for (int loops = 0; loops <= 2; loops++)
                    yield return $"busy.{loops}.{call}{quantile}";
            }

            yield return $"default.rpc.async.64.cs{quantile}";
        }

        foreach (string kind in new[] { "queue", "ring", "topic" })
        {
            yield return $"cliff.{kind}.c";
            yield return $"cliff.{kind}.cs";
        }
    }

    /// <summary>Nothing may be dearer than twice by one byte, and the targets of calls are the ones that were promised.</summary>
    [Theory]
    [InlineData("rpc.sync.64.spin.cs", "limit.pingpong64.2lines", 3)]
    [InlineData("rpc.sync.64.spin.cpp", "limit.pingpong64.2lines", 3)]
    [InlineData("ring.echo.64.spin.c", "limit.pingpong64.2lines", 1.0)]
    [InlineData("ring.echo.64.spin.cs", "limit.pingpong64.2lines", 1.15)]
    [InlineData("rpc.sync.4k.spin.cs", "rpc.sync.4k.spin.cpp", 1.5)]
    [InlineData("default.rpc.sync.64.cs", "default.uds.64", 0.2)]
    [InlineData("default.rpc.async.64.cs", "default.uds.64", 0.4)]
    [InlineData("default.rpc.async.64.cs.p99", "default.uds.64.p99", 0.6)]
    [InlineData("busy.1.rpc.sync.64.cs", "busy.1.uds.64", 0.8)]
    [InlineData("busy.1.rpc.sync.64.cs.p99", "busy.1.uds.64.p99", 1)]
    public void ATargetIsWhatWasPromised(string name, string limit, double target)
    {
        Figure figure = Figures.Named(name);
        Assert.Equal((limit, target), (figure.Limit, figure.Target));
    }

    [Theory]
    [InlineData(0.25, true, false)]
    [InlineData(0.26, null, true)]
    [InlineData(2.86, null, true)]
    public void ASpreadAboveAQuarterIsNoVerdict(double spread, bool? reached, bool unstable)
    {
        Result result = new(Figures.Named("rpc.sync.64.spin.cs"), 300, 200, 1.5, spread);
        Assert.Equal(unstable, result.IsUnstable);
        Assert.Equal(reached, result.Reached);
    }
}
