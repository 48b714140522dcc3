using System;
using System.Diagnostics;

namespace Ipc.Matrix;

/// <summary>What a plain program gets: a new process, default options, no core of its own, its first calls included. The value is one quantile of all round trips.</summary>
internal abstract class PlainEcho(double quantile) : Subject(20_000)
{
    private readonly double _quantile = quantile;

    public override bool IsPinned => false;

    /// <summary>The quantile in a figure's name: <c>.p99</c> and so on; the median without one.</summary>
    public static double QuantileOf(string figure) => figure switch
    {
        _ when figure.EndsWith(".p999", StringComparison.Ordinal) => 0.999,
        _ when figure.EndsWith(".p99", StringComparison.Ordinal) => 0.99,
        _ when figure.EndsWith(".max", StringComparison.Ordinal) => 1,
        _ => 0.5,
    };

    public override double Measure(int count)
    {
        long[] ticks = new long[count];
        Run(ticks);
        Array.Sort(ticks);
        return Stopwatch.GetElapsedTime(0, ticks[Math.Min(count - 1, (int)(count * _quantile))]).TotalMicroseconds;
    }

    /// <summary>Fills in how long each round trip took.</summary>
    protected abstract void Run(long[] ticks);
}
