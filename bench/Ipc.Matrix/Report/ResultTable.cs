using System;
using System.Collections.Generic;
using System.Linq;
using Spectre.Console;

namespace Ipc.Matrix;

/// <summary>The table that a person reads.</summary>
internal static class ResultTable
{
    private const int Width = 170;

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

        foreach (string mark in ResultText.Marks(results, static name => name))
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
                table.AddRow(Cells([result.Figure.Name, .. all.Select(ResultText.Number), result.Figure.Unit.Symbol()]));
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
        string colour = result.Reached switch { true => "green", false => "red", null => "default" };
        string shown = ResultText.Number(value);
        return Cells(Marked(figure), result.Ratio is null && result.Reached is not null ? $"[{colour}]{shown}[/]" : shown, figure.Unit.Symbol(), ResultText.Limit(result), $"[{colour}]{ResultText.Ratio(result)}[/]",
            result.IsUnstable ? "unstable" : ResultText.Target(figure), ResultText.Spread(result), ResultText.Rival(result, static name => name));
    }

    /// <summary>With a star where its options are not the defaults.</summary>
    private static string Marked(Figure figure) => figure.Tuned is null ? figure.Name : figure.Name + " *";

    private static Markup[] Cells(params string[] texts) => texts.Select(text => new Markup(text)).ToArray();
}
