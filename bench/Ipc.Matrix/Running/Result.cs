namespace Ipc.Matrix;

/// <summary>What became of one figure.</summary>
/// <param name="Value">Median of the rounds, in the figure's unit; null when it could not be measured.</param>
/// <param name="LimitValue">Median of the limit's rounds beside it, in the same unit.</param>
/// <param name="Ratio">Median of the rounds' own ratios, each to the limit just before and after it.</param>
/// <param name="Spread">Of the ratios, or of the values where there is no limit.</param>
/// <param name="Problem">Why there is no value.</param>
internal sealed record Result(Figure Figure, double? Value, double? LimitValue = null, double? Ratio = null, double? Spread = null, string? Problem = null)
{
    private const double MostSpread = 0.25;

    /// <summary>Of the limit's rounds beside it.</summary>
    public double? LimitSpread { get; init; }

    /// <summary>Of the values, where <see cref="Spread"/> is that of the ratios.</summary>
    public double? ValueSpread { get; init; }

    /// <summary>The rival's value in this figure's unit; null when it was not measured in this run.</summary>
    public double? RivalValue { get; init; }

    /// <summary>The rival's row, or what was measured of it beside this one, is no figure to speak of.</summary>
    public bool RivalIsUnstable { get; init; }

    /// <summary>How many times better than the rival.</summary>
    public double? Gain => (Value, RivalValue) switch
    {
        ({ } mine, { } theirs) when mine > 0 && theirs > 0 => Figure.IsRate ? mine / theirs : theirs / mine,
        _ => null,
    };

    /// <summary>Cannot be measured on this machine, which is not a failure.</summary>
    public bool Skipped { get; init; }

    public bool Failed => Problem is not null && !Skipped;

    /// <summary>Half of the rounds lie further apart than a quarter of the median: whatever the value, it is no verdict. Nor is it beside a limit of which that is so: who beats a limit
    /// that sagged has beaten nothing. Where the value itself is judged, its own rounds count.</summary>
    public bool IsUnstable => Spread > MostSpread || LimitIsUnstable || Figure.Target is null && ValueSpread > MostSpread;

    public bool LimitIsUnstable => LimitSpread > MostSpread;

    /// <summary>Null: there is no target, or no verdict.</summary>
    public bool? Reached => Value is { } value && Figure.HasTarget && !IsUnstable && (Ratio is not null || Figure.Target is null) ? Figure.Reaches(value, Ratio ?? 0) : null;

    /// <summary>p50, p99, p99.9 and the maximum of single round trips in the figure's unit, each the median of the same quantile of some rounds: the last is the median of their maxima. NaN: too few. Null where nobody
    /// asked.</summary>
    public double[]? Quantiles { get; init; }
}
