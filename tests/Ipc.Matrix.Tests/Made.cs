using System.Linq;
using Ipc.Matrix.Cells;

namespace Ipc.Matrix.Tests;

using Result = Ipc.Matrix.Cells.Result;

/// <summary>A run that nobody has measured: every cell of the catalogue, with figures that are made up.</summary>
internal static class Made
{
    public static RunFile Run(bool quick = true) => new()
    {
        Date = "2000-01-01",
        Machine = "made up for tests",
        Kernel = "none",
        Cells = [.. Catalogue.Choose(quick, "*").Select(static (cell, index) => Result(cell, index + 1))],
    };

    public static Result Result(Cell cell, double number) => new()
    {
        Transport = cell.Transport,
        Serializer = cell.Serializer,
        Shape = cell.Shape,
        Mode = cell.Mode,
        Batch = cell.Batch,
        Pair = cell.Pair,
        Wait = cell.Wait,
        P50 = number,
        P99 = 2 * number,
        P999 = 3 * number,
        Max = 4 * number,
        P99Corrected = 2 * number,
        MessagesPerSecond = 1e6 / number,
        MegabytesPerSecond = 1e3 / number,
        ProcessorPerMessage = number,
        SleepsPerMessage = 0.5,
        Rounds = 5,
        MessagesPerRound = 2000,
        Spread = 0.01,
    };
}
