using System;
using System.Collections.Generic;
using System.Linq;
using HdrHistogram;

namespace Ipc.Matrix.Cells;

/// <summary>Makes one result of the rounds of a cell.</summary>
internal static class Statistics
{
    public const double Unstable = 0.25;

    public static Result Of(Work work, IReadOnlyList<Round> rounds, Usage used, long messages)
    {
        LongHistogram times = new(60_000_000_000, 3);
        foreach (Round round in rounds)
            times.Add(round.Times);
        double[] rates = rounds.Select(static round => round.Messages / round.Seconds).Order().ToArray();
        double rate = Quantile(rates, 0.5), spread = (Quantile(rates, 0.75) - Quantile(rates, 0.25)) / rate;
        int bytes = work.IsStream ? work.Shape.Response : work.Shape.Request + work.Shape.Response;
        Cell cell = work.Cell;
        return new Result
        {
            Transport = cell.Transport,
            Serializer = cell.Serializer,
            Shape = cell.Shape,
            Mode = cell.Mode,
            Batch = cell.Batch,
            Pair = cell.Pair,
            Wait = cell.Wait,
            P50 = At(times, 50),
            P99 = At(times, 99),
            P999 = At(times, 99.9),
            Max = Microseconds(times.GetMaxValue()),
            P99Corrected = Corrected(work, times),
            MessagesPerSecond = Round(rate),
            MegabytesPerSecond = Round(rate * bytes / 1e6),
            ProcessorPerMessage = Round(used.Microseconds / messages),
            SleepsPerMessage = Round((double)used.Sleeps / messages),
            Rounds = rounds.Count,
            MessagesPerRound = (int)rounds[0].Messages,
            Spread = Round(spread),
            IsUnstable = spread > Unstable,
        };
    }

    /// <summary>Requests that a stall of n times the usual would have held up are added with the time that each had waited. In a stream and a batch
    /// the time counts from when a message was due already.</summary>
    private static double Corrected(Work work, LongHistogram times)
    {
        long usual = times.GetValueAtPercentile(50);
        if (work.IsStream || work.Batch > 1 || usual == 0)
            return At(times, 99);
        LongHistogram corrected = new(60_000_000_000, 3);
        foreach (HdrHistogram.Iteration.HistogramIterationValue step in times.RecordedValues())
        {
            for (long value = step.ValueIteratedTo; value > 0; value -= usual)
            {
                corrected.RecordValueWithCount(value, step.CountAddedInThisIterationStep);
                if (value < 2 * usual)
                    break;
            }
        }

        return At(corrected, 99);
    }

    private static double At(LongHistogram times, double percentile) => Microseconds(times.GetValueAtPercentile(percentile));

    private static double Microseconds(long nanoseconds) => Round(nanoseconds / 1e3);

    /// <summary>Four digits that count: more are noise, and make the file hard to read.</summary>
    private static double Round(double value)
    {
        if (value == 0 || !double.IsFinite(value))
            return 0;
        double unit = Math.Pow(10, Math.Floor(Math.Log10(Math.Abs(value))) - 3);
        return unit >= 1 ? Math.Round(value / unit) * unit : Math.Round(value, Math.Min(15, (int)Math.Round(-Math.Log10(unit))));
    }

    private static double Quantile(double[] sorted, double fraction)
    {
        double place = fraction * (sorted.Length - 1);
        int below = (int)place, above = Math.Min(below + 1, sorted.Length - 1);
        return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
    }
}
