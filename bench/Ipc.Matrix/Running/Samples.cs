using System;
using System.Collections.Generic;
using System.Linq;

namespace Ipc.Matrix;

/// <summary>One number per round.</summary>
internal sealed class Samples
{
    private readonly List<double> _values = [];

    public int Count => _values.Count;

    public double Median => Quantile(0.5);

    /// <summary>The middle half of the rounds, as a fraction of the median: 0.1 means that half of them lie within 10 % of each other.</summary>
    public double Spread => Median == 0 ? 0 : (Quantile(0.75) - Quantile(0.25)) / Median;

    public void Add(double value) => _values.Add(value);

    private double Quantile(double fraction)
    {
        double[] sorted = _values.Order().ToArray();
        double place = fraction * (sorted.Length - 1);
        int below = (int)place;
        int above = Math.Min(below + 1, sorted.Length - 1);
        return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
    }
}
