using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Spectre.Console;

namespace Ipc.Matrix;

/// <summary>The table that a person reads.</summary>
internal static class ResultTable
{
    private const int Width = 130;

    public static void Print(string heading, IReadOnlyList<Result> results)
    {
        IAnsiConsole console = Open();
        console.WriteLine(heading);
        Table table = new() { Border = TableBorder.Simple };
        table.AddColumn(new TableColumn("figure") { NoWrap = true });
        foreach (string name in new[] { "value", "unit", "limit", "ratio", "target", "spread" })
            table.AddColumn(new TableColumn(name) { Alignment = name == "unit" ? Justify.Left : Justify.Right, NoWrap = true });
        table.AddColumn(new TableColumn("rival") { NoWrap = true });
        foreach (Result result in results)
            table.AddRow(Row(result));
        console.Write(table);
        if (results.Any(result => result.Quantiles is not null))
            console.Write(Latencies(results));

        foreach (string mark in Marks(results, static name => name))
            console.WriteLine(mark);
        foreach (Result failed in results.Where(result => result.Failed))
            console.WriteLine($"{failed.Figure.Name}: {failed.Problem}");
        int missed = results.Count(result => result.Reached == false);
        int judged = results.Count(result => result.Reached is not null);
        console.WriteLine($"{judged - missed} of {judged} targets reached, {results.Count(result => result.Figure.HasTarget && result.IsUnstable)} unstable, {results.Count(result => result.Failed)} figures failed, {results.Count(result => result.Skipped)} left out");
    }

    /// <summary>Single round trips: what a mean does not say.</summary>
    private static Table Latencies(IReadOnlyList<Result> results)
    {
        Table table = new() { Border = TableBorder.Simple };
        table.AddColumn(new TableColumn("round trip") { NoWrap = true });
        foreach (string name in new[] { "p50", "p99", "p99.9", "max", "unit" })
            table.AddColumn(new TableColumn(name) { Alignment = name == "unit" ? Justify.Left : Justify.Right, NoWrap = true });
        foreach (Result result in results)
        {
            if (result.Quantiles is { } all)
                table.AddRow(Cells([result.Figure.Name, .. all.Select(Number), result.Figure.Unit.Symbol()]));
        }

        return table;
    }

    /// <summary>Plain text where nobody watches, and never narrower than the table.</summary>
    private static IAnsiConsole Open()
    {
        IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Ansi = Console.IsOutputRedirected ? AnsiSupport.No : AnsiSupport.Detect,
            ColorSystem = Console.IsOutputRedirected ? ColorSystemSupport.NoColors : ColorSystemSupport.Detect,
        });
        console.Profile.Width = Math.Max(Width, console.Profile.Width);
        return console;
    }

    private static Markup[] Row(Result result)
    {
        Figure figure = result.Figure;
        if (result.Value is not { } value)
            return Cells(Marked(figure), result.Skipped ? "left out" : "[red]failed[/]", figure.Unit.Symbol(), "", "", "", "", result.Skipped ? result.Problem! : "");
        string ratio = result.Ratio is { } share ? share.ToString("F2", CultureInfo.InvariantCulture) : "";
        string colour = result.Reached switch { true => "green", false => "red", null => "default" };
        string target = figure.HasTarget && result.IsUnstable ? "unstable" : Target(figure);
        string rival = result is { Gain: { } gain, RivalValue: { } theirs } ? $"{figure.Rival} {Number(theirs)}, {gain.ToString(gain < 10 ? "F1" : "F0", CultureInfo.InvariantCulture)}x" : "";
        return Cells(Marked(figure), result.Ratio is null && result.Reached is not null ? $"[{colour}]{Number(value)}[/]" : Number(value), figure.Unit.Symbol(), result.LimitValue is { } limit ? Number(limit) : "", $"[{colour}]{ratio}[/]", target,
            result.Spread is { } spread ? spread.ToString("P0", CultureInfo.InvariantCulture) : "", rival);
    }

    /// <summary>A line for each sort of options that are not the defaults: which, and the rows that have them.</summary>
    public static IEnumerable<string> Marks(IEnumerable<Result> results, Func<string, string> write) => results
        .Where(static result => result.Figure.Tuned is not null)
        .GroupBy(static result => result.Figure.Tuned!.ToString(), result => write(result.Figure.Name))
        .Select(static rows => $"* {rows.Key}: {string.Join(", ", rows)}");

    /// <summary>With a star where its options are not the defaults.</summary>
    private static string Marked(Figure figure) => figure.Tuned is null ? figure.Name : figure.Name + " *";

    public static string Target(Figure figure) => figure switch
    {
        { Most: { } most } => $"<= {most:0.#} {figure.Unit.Symbol()}",
        { Least: { } least } => $">= {least:0} {figure.Unit.Symbol()}",
        { Target: { } goal } => (figure.IsRate ? ">= " : "<= ") + goal.ToString("0.0", CultureInfo.InvariantCulture),
        _ => "",
    };

    private static Markup[] Cells(params string[] texts) => texts.Select(text => new Markup(text)).ToArray();

    public static string Number(double value) => Math.Abs(value) switch
    {
        0 => "0",
        < 10 => value.ToString("F2", CultureInfo.InvariantCulture),
        < 100 => value.ToString("F1", CultureInfo.InvariantCulture),
        _ => value.ToString("F0", CultureInfo.InvariantCulture),
    };
}
