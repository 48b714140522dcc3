using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;

namespace Ipc.Matrix;

/// <summary>Runs figures, each in turns with its limit.</summary>
/// <remarks>
/// A virtual machine's cores come to lie closer together or farther apart while it runs, and every round trip changes with them. So the limit is measured
/// right before and right after each round of a figure, within the same second, and the ratio is taken per round:
/// <code>limit  figure  limit  figure  limit ...      ratio of a round = figure / mean of the two limits beside it</code>
/// The median of these ratios is the result. All other processes sleep while one pair measures.
/// </remarks>
internal sealed class Measurement(Programs programs, int rounds, bool twoCores) : IDisposable
{
    private const int WarmUpRounds = 8;

    // The runtime compiles again, in the background, what has run often: 100 ms after the last new method, and on the cores that spin here.
    private static readonly TimeSpan s_recompiling = TimeSpan.FromMilliseconds(150);

    private readonly Dictionary<string, Worker> _limits = [];
    private readonly Dictionary<string, Samples> _limitSamples = [];
    private readonly Dictionary<string, PlainRound[]> _plain = []; // by what their quantiles share

    /// <summary>Measures one figure. A figure that cannot be measured gives a result that says why; the others go on.</summary>
    public Result Run(Figure figure)
    {
        if ((figure.Spins || figure.TwoCores) && !twoCores)
            return new Result(figure, null, Problem: "needs two cores") { Skipped = true };
        if (figure.Optional && !programs.Has(figure))
            return new Result(figure, null, Problem: "what it measures is not installed") { Skipped = true };
        try
        {
            using BusyLoops loops = new(figure.BusyLoops);
            if (figure.IsPlain)
                return RunPlain(figure);
            return figure.Limit is null ? RunAlone(figure) : RunBesideLimit(figure, Figures.Named(figure.Limit));
        }
        catch (Exception problem) when (problem is IOException or TimeoutException or FormatException)
        {
            return new Result(figure, null, Problem: problem.Message);
        }
    }

    /// <summary>A limit's own row: all its rounds of this run, or some of its own if nothing needed it.</summary>
    public Result RunLimit(Figure figure)
    {
        if (!_limitSamples.TryGetValue(figure.Name, out Samples? samples) || samples.Count == 0)
            return Run(figure);
        return new Result(figure, samples.Median, Spread: samples.Spread) { Quantiles = Quantiles(_limits[figure.Name], figure) };
    }

    public void Dispose()
    {
        foreach (Worker limit in _limits.Values)
            limit.Dispose();
    }

    /// <summary>New processes for each round, the rival's between ours: what they learn they have to learn within the round. All quantiles of the same round trips have
    /// the same rounds.</summary>
    private Result RunPlain(Figure figure)
    {
        Figure? limitFigure = figure.Limit is null ? null : Figures.Named(figure.Limit);
        if (!_plain.TryGetValue(figure.RoundTrips, out PlainRound[]? all))
        {
            all = [.. Enumerable.Range(0, rounds).Select(_ => new PlainRound(
                limitFigure is null ? null : FreshRound(limitFigure), FreshRound(figure), limitFigure is null ? null : FreshRound(limitFigure)))];
            _plain.Add(figure.RoundTrips, all);
        }

        Samples values = new(), limits = new(), ratios = new();
        foreach (PlainRound round in all)
        {
            double value = round.Values[figure.Quantile];
            values.Add(value);
            if (round is not { Before: { } before, After: { } after })
                continue;
            double beside = (before[figure.Quantile] + after[figure.Quantile]) / 2;
            limits.Add(beside);
            ratios.Add(value / beside);
        }

        return limitFigure is null
            ? new Result(figure, values.Median, Spread: values.Spread)
            : Beside(figure, values, limits, ratios);
    }

    private double[] FreshRound(Figure figure)
    {
        using Worker worker = programs.Start(figure);
        return AskQuantiles(worker, figure);
    }

    private Result RunAlone(Figure figure)
    {
        using Worker worker = programs.Start(figure);
        WarmUp(worker, figure);
        Samples samples = new();
        for (int round = 0; round < rounds; round++)
            samples.Add(Round(worker));
        return new Result(figure, samples.Median, Spread: samples.Spread) { Quantiles = Quantiles(worker, figure) };
    }

    private Result RunBesideLimit(Figure figure, Figure limitFigure)
    {
        Worker limit = Limit(limitFigure);
        using Worker worker = programs.Start(figure);
        WarmUp(worker, figure);

        Samples values = new(), limits = new(), ratios = new();
        double before = LimitRound(limit, limitFigure);
        for (int round = 0; round < rounds; round++)
        {
            double value = Round(worker);
            double after = LimitRound(limit, limitFigure);
            double beside = Units.Convert((before + after) / 2, limitFigure.Unit, figure.Unit);
            values.Add(value);
            limits.Add(beside);
            ratios.Add(value / beside);
            before = after;
        }

        return Beside(figure, values, limits, ratios) with { Quantiles = Quantiles(worker, figure) };
    }

    private static Result Beside(Figure figure, Samples values, Samples limits, Samples ratios) =>
        new(figure, values.Median, limits.Median, ratios.Median, ratios.Spread) { LimitSpread = limits.Spread, ValueSpread = values.Spread };

    private Worker Limit(Figure figure)
    {
        if (_limits.TryGetValue(figure.Name, out Worker? limit))
            return limit;
        limit = programs.Start(figure);
        _limits.Add(figure.Name, limit);
        _limitSamples.Add(figure.Name, new Samples());
        if (figure.Runner == Runner.NativeLimits)
            Round(limit); // touches its memory: not counted
        else
            WarmUp(limit, figure); // one of our own figures, for another to stand beside
        return limit;
    }

    private double LimitRound(Worker limit, Figure figure)
    {
        double value = Round(limit);
        _limitSamples[figure.Name].Add(value);
        return value;
    }

    /// <summary>What is compiled while it runs needs some rounds to become what it will be, and rests between them to be compiled in.</summary>
    private static void WarmUp(Worker worker, Figure figure)
    {
        for (int round = 0; round < WarmUpRounds; round++)
        {
            Round(worker);
            if (figure.Runner is Runner.Managed or Runner.ManagedCrew)
                Thread.Sleep(s_recompiling);
        }
    }

    /// <summary>Rounds of their own, in which each round trip is timed by itself: that costs some 40 ns for each.</summary>
    private double[]? Quantiles(Worker worker, Figure figure)
    {
        if (!figure.Latency)
            return null;
        Samples[] quantiles = [new(), new(), new(), new()];
        for (int round = 0; round < Math.Max(3, rounds / 3); round++)
        {
            double[] found = AskQuantiles(worker, figure);
            for (int i = 0; i < quantiles.Length; i++)
                quantiles[i].Add(found[i]);
        }

        return [.. quantiles.Select(samples => samples.Median)];
    }

    /// <summary>A round whose round trips are timed one by one: p50, p99, p99.9 and the maximum, in the figure's unit.</summary>
    private static double[] AskQuantiles(Worker worker, Figure figure)
    {
        double[] found = [.. worker.Ask(Worker.Quantiles).Split(' ').Select(static text => text == Worker.TooFew ? double.NaN : double.Parse(text, CultureInfo.InvariantCulture))];
        return found.Length == 4
            ? [.. found.Select(value => Units.Convert(value, Unit.Nanoseconds, figure.Unit))]
            : throw new FormatException($"{figure.Name}: {found.Length} numbers instead of p50, p99, p99.9 and the maximum.");
    }

    private static double Round(Worker worker) => double.Parse(worker.Ask("go"), CultureInfo.InvariantCulture);

    /// <summary>The quantiles of one round of a plain figure, and of its limit's rounds around it.</summary>
    private sealed record PlainRound(double[]? Before, double[] Values, double[]? After);
}
