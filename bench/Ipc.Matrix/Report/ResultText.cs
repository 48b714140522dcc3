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
        0 => "0",
        < 10 => value.ToString("F2", CultureInfo.InvariantCulture),
        < 100 => value.ToString("F1", CultureInfo.InvariantCulture),
        _ => value.ToString("F0", CultureInfo.InvariantCulture),
    };

    public static string Target(Figure figure) => figure switch
    {
        { Most: { } most } => $"<= {most:0.#} {figure.Unit.Symbol()}",
        { Least: { } least } => $">= {least:0} {figure.Unit.Symbol()}",
        { Target: { } goal } => (figure.IsRate ? ">= " : "<= ") + goal.ToString("0.0", CultureInfo.InvariantCulture),
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

    /// <summary>A line for each sort of options that are not the defaults: which, and the rows that have them.</summary>
    public static IEnumerable<string> Marks(IEnumerable<Result> results, Func<string, string> write) => results
        .Where(static result => result.Figure.Tuned is not null)
        .GroupBy(static result => result.Figure.Tuned!.ToString(), result => write(result.Figure.Name))
        .Select(static rows => $"* {rows.Key}: {string.Join(", ", rows)}");
}
