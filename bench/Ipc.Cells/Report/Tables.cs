using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;

namespace Ipc.Matrix.Cells;

/// <summary>A run as text.</summary>
internal static class Tables
{
    private const string CsvHead = "transport,serializer,shape,mode,batch,pair,wait,p50_us,p99_us,p999_us,max_us,p99_corrected_us,messages_per_s,mb_per_s,"
        + "cpu_us_per_message,sleeps_per_message,rounds,messages_per_round,spread,unstable";

    public static string Csv(RunFile run)
    {
        StringBuilder text = new(CsvHead + "\n");
        foreach (Result cell in run.Cells)
        {
            text.AppendJoin(',', cell.Transport, cell.Serializer, cell.Shape, cell.Mode, Whole(cell.Batch), cell.Pair, cell.Wait, Plain(cell.P50), Plain(cell.P99),
                Plain(cell.P999), Plain(cell.Max), Plain(cell.P99Corrected), Plain(cell.MessagesPerSecond), Plain(cell.MegabytesPerSecond), Plain(cell.ProcessorPerMessage),
                Plain(cell.SleepsPerMessage), Whole(cell.Rounds), Whole(cell.MessagesPerRound), Plain(cell.Spread), cell.IsUnstable ? "yes" : "no").Append('\n');
        }

        return text.ToString();
    }

    /// <summary>Two lines a cell where the terminal is narrow.</summary>
    public static string Terminal(RunFile run, int width)
    {
        int name = run.Cells.Count == 0 ? 0 : run.Cells.Max(static cell => cell.Cell.Name.Length);
        bool narrow = name + 50 > width;
        StringBuilder text = new();
        text.Append("cell".PadRight(name)).Append(narrow ? "\n" : "").Append("    p50 us    p99 us   messages/s  cpu us/m\n");
        foreach (Result cell in run.Cells)
        {
            text.Append(cell.Cell.Name.PadRight(narrow ? 0 : name)).Append(narrow ? "\n" : "");
            text.Append(Short(cell.P50).PadLeft(10)).Append(Short(cell.P99).PadLeft(10)).Append(Short(cell.MessagesPerSecond).PadLeft(13));
            text.Append(Short(cell.ProcessorPerMessage).PadLeft(10)).Append(cell.IsUnstable ? " unstable" : "").Append('\n');
        }

        return text.ToString();
    }

    public static string Ending(RunFile run) => string.Create(CultureInfo.InvariantCulture,
        $"{run.Cells.Count} cells measured in {run.Seconds:0} s, {run.Cells.Count(static cell => cell.IsUnstable)} unstable, {run.Failed.Count} failed");

    public static string Markdown(IEnumerable<Result> cells)
    {
        StringBuilder text = new("| transport | serializer | shape | mode | batch | wait | p50 us | p99 us | p99.9 us | max us | messages/s | MB/s | processor us a message | spread |\n");
        text.Append("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
        foreach (Result cell in cells)
        {
            text.Append("| ").AppendJoin(" | ", Transports.Label(cell.Transport), cell.Serializer, cell.Shape, cell.Mode, Whole(cell.Batch), cell.Wait, Short(cell.P50), Short(cell.P99),
                Short(cell.P999), Short(cell.Max), Short(cell.MessagesPerSecond), Short(cell.MegabytesPerSecond), Short(cell.ProcessorPerMessage),
                cell.Spread.ToString("P0", CultureInfo.InvariantCulture) + (cell.IsUnstable ? ", **unstable**" : "")).Append(" |\n");
        }

        return text.ToString();
    }

    /// <summary>Three digits that count, with thousands apart.</summary>
    public static string Short(double value) => Math.Abs(value) switch
    {
        0 => "0",
        < 0.1 => value.ToString("0.000", CultureInfo.InvariantCulture),
        < 10 => value.ToString("0.00", CultureInfo.InvariantCulture),
        < 100 => value.ToString("0.0", CultureInfo.InvariantCulture),
        _ => value.ToString("#,0", CultureInfo.InvariantCulture),
    };

    private static string Plain(double value) => value.ToString("0.######", CultureInfo.InvariantCulture);

    private static string Whole(int value) => value.ToString(CultureInfo.InvariantCulture);
}
