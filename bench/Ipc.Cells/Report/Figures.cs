using System;
using System.Collections.Generic;
using System.Linq;

namespace Ipc.Matrix.Cells;

/// <summary>Finds the cells of a run that charts and advice speak of.</summary>
internal sealed class Figures(RunFile run)
{
    private readonly Dictionary<string, Result> _cells = run.Cells.ToDictionary(static result => result.Cell.Name);

    public RunFile Run { get; } = run;

    /// <summary>The cell; null where this run has not measured it.</summary>
    public Result? Find(string transport, string serializer = "none", string shape = "0.1K-1K", string mode = "request", int batch = 1, string? wait = null) =>
        _cells.GetValueOrDefault(new Cell(transport, serializer, shape, mode, batch, "cs-cs", wait ?? Catalogue.DefaultWait(transport)).Name);

    /// <summary>The cell.</summary>
    /// <exception cref="FormatException">This run has not measured it.</exception>
    public Result Need(string transport, string serializer = "none", string shape = "0.1K-1K", string mode = "request", int batch = 1, string? wait = null) =>
        Find(transport, serializer, shape, mode, batch, wait)
        ?? throw new FormatException($"The run has no cell {new Cell(transport, serializer, shape, mode, batch, "cs-cs", wait ?? Catalogue.DefaultWait(transport)).Name}: "
            + "the documents need a whole run, bench/matrix.sh --quick --docs.");

    /// <summary>The serializer by which a transport is known, where it has one by its nature.</summary>
    public static string Own(string transport) =>
        transport == "rpc" ? "generated" : Transports.Is(transport, "grpc") ? "google" : Transports.Is(transport, "jsonrpc") ? "json" : "none";
}
