using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace Ipc.Matrix;

/// <summary>What stands in the cells of the tables, on the terminal and in the documents alike.</summary>
internal static class ResultText
{
    public static string Number(double value) => Math.Abs(value) switch
    {
        double.NaN => "",
        0 => "0",
        < 10 => value.ToString("F2", CultureInfo.InvariantCulture),
        < 100 => value.ToString("F1", CultureInfo.InvariantCulture),
        _ => value.ToString("F0", CultureInfo.InvariantCulture),
    };

    /// <summary>As it was promised: 1.15 is neither 1.1 nor 1.2.</summary>
    public static string Target(Figure figure) => figure switch
    {
        { Most: { } most } => $"<= {Exact(most)} {figure.Unit.Symbol()}",
        { Least: { } least } => $">= {Exact(least)} {figure.Unit.Symbol()}",
        { Target: { } goal } => (figure.IsRate ? ">= " : "<= ") + Exact(goal),
        _ => "",
    };

    public static string Ratio(Result result) => result.Ratio?.ToString("F2", CultureInfo.InvariantCulture) ?? "";

    public static string Spread(Result result) => result.Spread?.ToString("P0", CultureInfo.InvariantCulture) ?? "";

    /// <summary>The limit, and that it was no limit to speak of.</summary>
    public static string Limit(Result result) => result.LimitValue is { } limit ? Number(limit) + Doubt(result.LimitIsUnstable) : "";

    /// <summary>The rival, how many times better than it the row is, and that it was none to speak of.</summary>
    public static string Rival(Result result, Func<string, string> write) => result is { Gain: { } gain, RivalValue: { } theirs }
        ? $"{write(result.Figure.Rival!)} {Number(theirs)}, {gain.ToString(gain < 10 ? "F1" : "F0", CultureInfo.InvariantCulture)}x{Doubt(result.RivalIsUnstable)}"
        : "";

    public static string Doubt(bool isUnstable) => isUnstable ? ", unstable" : "";

    private static string Exact(double goal) => goal.ToString(goal < 100 ? "0.0####" : "0.####", CultureInfo.InvariantCulture);

    /// <summary>A line for each sort of options that are not the defaults: which, and the rows that have them.</summary>
    public static IEnumerable<string> Marks(IEnumerable<Result> results, Func<string, string> write) => results
        .Where(static result => result.Figure.Tuned is not null)
        .GroupBy(static result => result.Figure.Tuned!.ToString(), result => write(result.Figure.Name))
        .Select(static rows => $"* {rows.Key}: {string.Join(", ", rows)}");
}
