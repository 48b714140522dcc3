using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Threading.Tasks;
using Spectre.Console;
using View = Spectre.Console.Table;

namespace Sysmon;

/// <summary>Tables: drawn, and redrawn in place, on a terminal; plain lines elsewhere.</summary>
internal static class Screen
{
    private static readonly bool s_plain = Console.IsOutputRedirected;

    public static void Heading(string text)
    {
        if (s_plain)
            Console.WriteLine($"-- {text}");
        else
            AnsiConsole.MarkupLineInterpolated($"[bold yellow]{text}[/]");
    }

    public static void Show(IReadOnlyList<string> columns, IEnumerable<IReadOnlyList<string>> rows)
    {
        if (!s_plain)
        {
            AnsiConsole.Write(Draw(columns, rows));
            return;
        }
        foreach (IReadOnlyList<string> row in rows.Prepend(columns))
            Console.WriteLine("   " + string.Join(' ', row.Select((cell, i) => i == 0 ? cell.PadRight(24) : cell.PadLeft(16))));
    }

    /// <summary>A table of samples as they come.</summary>
    public static async Task Follow(IReadOnlyList<string> fields, IAsyncEnumerable<Sample> samples)
    {
        string[] columns = [.. fields.Prepend("id")];
        if (s_plain)
        {
            await foreach (Sample sample in samples)
            {
                string values = string.Join(", ", sample.Table!.Rows.Select(row =>
                    row.Id + " " + string.Join(' ', row.Cells.Zip(fields).Where(each => each.First is not { Number: null, Text: null })
                        .Select(each => $"{each.Second}={Text(each.First)}"))));
                Console.WriteLine($"   sample {sample.Sequence}: {values}");
            }
            return;
        }
        await AnsiConsole.Live(Draw(columns, [])).StartAsync(async live =>
        {
            await foreach (Sample sample in samples)
            {
                View drawn = Draw(columns, Rows(sample.Table!));
                drawn.Caption = new TableTitle($"sample {sample.Sequence}");
                live.UpdateTarget(drawn);
                live.Refresh();
            }
        });
    }

    public static void Show(IReadOnlyList<string> fields, Table table) => Show([.. fields.Prepend("id")], Rows(table));

    private static IEnumerable<IReadOnlyList<string>> Rows(Table table) =>
        table.Rows.Select(row => (IReadOnlyList<string>)[row.Id, .. row.Cells.Select(Text)]);

    public static string Text(Cell cell) => cell switch
    {
        { Text: { } text } => text,
        { Number: { } number } when Math.Abs(number) >= 1 << 20 => (number / (1 << 20)).ToString("N1", CultureInfo.InvariantCulture) + " Mi",
        { Number: { } number } => number.ToString("0.##", CultureInfo.InvariantCulture),
        _ => "",
    };

    private static View Draw(IReadOnlyList<string> columns, IEnumerable<IReadOnlyList<string>> rows)
    {
        View drawn = new View().Border(TableBorder.Rounded);
        foreach (string column in columns)
            drawn.AddColumn(new TableColumn(column.EscapeMarkup()) { Alignment = column == columns[0] ? Justify.Left : Justify.Right });
        foreach (IReadOnlyList<string> row in rows)
            drawn.AddRow([.. row.Select(cell => cell.EscapeMarkup())]);
        return drawn;
    }
}
