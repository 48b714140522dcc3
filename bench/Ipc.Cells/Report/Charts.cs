using System;
using System.Collections.Generic;
using System.Linq;

namespace Ipc.Matrix.Cells;

/// <summary>The pictures of a run.</summary>
internal static class Charts
{
    public const int Least = 6;

    private static readonly (double, string)[] s_quantiles = [(0, "p50"), (1, "p99"), (2, "p99.9"), (3, "max")];

    /// <exception cref="FormatException">The run has no cell for one of them.</exception>
    public static IReadOnlyList<Chart> Of(RunFile run)
    {
        Figures figures = new(run);
        return [Latency(figures), Throughput(figures), Layers(figures), Batching(figures), Serializers(figures), Waiting(figures), Processor(figures), Sleeps(figures)];
    }

    private static Chart Latency(Figures figures)
    {
        List<Series> all = [];
        foreach (string transport in Transports.All)
        {
            if (figures.Find(transport, Figures.Own(transport)) is { } cell)
                all.Add(new Series(Transports.Label(transport), [(0, cell.P50), (1, cell.P99), (2, cell.P999), (3, cell.Max)]));
        }

        return Lines("matrix-latency", "How long a request takes: the usual, and the worst", "0.1 kB there, 1 kB back, one at a time, default waiting. Lower is better.",
            "quantile", "microseconds", s_quantiles, isLogX: false, all);
    }

    private static Chart Throughput(Figures figures)
    {
        List<Series> all = [];
        foreach (string transport in new[] { "ring", "connection", "queue", "topic", "named", "duplexpipe", "rpc", "tcp", "uds", "fifo", "tcp-loopback" })
        {
            List<(double, double)> points = [];
            foreach (Shape shape in Shape.All.OrderBy(static shape => shape.Response))
            {
                if (figures.Find(transport, shape: shape.Name, mode: "stream") is { } cell)
                    points.Add((shape.Response, cell.MegabytesPerSecond));
            }

            if (points.Count > 0)
                all.Add(new Series(Transports.Label(transport), points));
        }

        return Lines("matrix-throughput", "How much goes through, by the size of an item", "A stream of items, bytes as they are, each published by itself, default waiting. Higher is better.",
            "bytes of an item", "MB/s", [(100, "100"), (1_000, "1 k"), (3_000, "3 k"), (10_000, "10 k"), (100_000, "100 k"), (1_000_000, "1 M"), (2_000_000, "")], isLogX: true, all);
    }

    private static Chart Layers(Figures figures)
    {
        (string Label, Result? Cell)[] rows =
        [
            ("ring", figures.Find("ring", wait: "spin")), ("connection", figures.Find("connection", wait: "spin")), ("queue", figures.Find("queue", wait: "spin")),
            ("topic", figures.Find("topic", wait: "spin")), ("named connection", figures.Find("named", wait: "spin")), ("call, one field of bytes", figures.Find("rpc", wait: "spin")),
            ("call, generated protobuf", figures.Find("rpc", "generated", wait: "spin")), ("named pipe, polled", figures.Find("fifo", wait: "spin")),
            ("Unix socket, polled", figures.Find("uds", wait: "spin")), ("TCP loopback, polled", figures.Find("tcp-loopback", wait: "spin")), ("IDuplexPipe", figures.Find("duplexpipe")),
            ("HTTP/2, Ipc", figures.Find("http2-ipc")), ("gRPC, Ipc", figures.Find("grpc-ipc", "google")), ("HTTP/2, Unix socket", figures.Find("http2-uds")),
            ("gRPC, Unix socket", figures.Find("grpc-uds", "google")), ("StreamJsonRpc, Unix socket", figures.Find("jsonrpc-uds", "json")),
        ];
        return Bars("matrix-layers", "What each layer costs", "p50 of a request, 0.1 kB there, 1 kB back; both sides spin where they can. Shorter is better.",
            "microseconds", rows, static cell => cell.P50);
    }

    private static Chart Batching(Figures figures)
    {
        List<Series> all = [];
        foreach (string transport in new[] { "ring", "connection", "uds" })
        {
            List<(double, double)> points = [];
            foreach (int batch in Catalogue.Batches)
            {
                if (figures.Find(transport, shape: "oneway-0.1K", mode: "stream", batch: batch) is { } cell)
                    points.Add((batch, cell.MessagesPerSecond));
            }

            all.Add(new Series(Transports.Label(transport), points));
        }

        return Lines("matrix-batching", "What publishing together gains", "A stream of items of 0.1 kB, default waiting. Higher is better.",
            "items published together", "items a second", [(1, "1"), (5, "5"), (50, "50"), (500, "500"), (5000, "5000")], isLogX: true, all);
    }

    private static Chart Serializers(Figures figures)
    {
        string[] rows = [.. Catalogue.Serializers];
        List<Series> all = [];
        foreach (string carrier in new[] { "ring", "rpc", "uds" })
        {
            foreach (string shape in new[] { "0.1K-1K", "1K-10K" })
            {
                List<(double, double)> points = [];
                for (int row = 0; row < rows.Length; row++)
                {
                    if (figures.Find(carrier, rows[row], shape) is { } cell)
                        points.Add((row, cell.P50));
                }

                all.Add(new Series($"{Transports.Label(carrier)}, {shape}", points));
            }
        }

        return Bars("matrix-serializers", "What serializers cost", "p50 of a request, written and read on both sides, default waiting. Shorter is better.", "microseconds", rows, all);
    }

    private static Chart Waiting(Figures figures) =>
        OverWaits(figures, "matrix-waiting", "What waiting costs the caller", "p50 of a request, 0.1 kB there, 1 kB back. Shorter is better.", "microseconds", static cell => cell.P50);

    private static Chart Processor(Figures figures) =>
        OverWaits(figures, "matrix-processor", "What waiting costs the machine", "Processor time of both processes for a request, 0.1 kB there, 1 kB back. Shorter is better.",
            "microseconds", static cell => cell.ProcessorPerMessage);

    private static Chart Sleeps(Figures figures)
    {
        (string Label, Result? Cell)[] rows = [.. Transports.All.Select(transport => (Transports.Label(transport), figures.Find(transport, Figures.Own(transport))))];
        return Bars("matrix-sleeps", "How often a thread goes to sleep, and is woken", "Voluntary switches of both processes for a request, default waiting: what a processor's rest is interrupted by.",
            "sleeps a request", rows, static cell => Math.Max(cell.SleepsPerMessage, 0.0001));
    }

    private static Chart OverWaits(Figures figures, string name, string title, string note, string x, Func<Result, double> value)
    {
        string[] transports = [.. Transports.All.Where(transport => Catalogue.Waits.Any(wait => figures.Find(transport, Figures.Own(transport), wait: wait) is not null))];
        List<Series> all = [];
        foreach (string wait in Catalogue.Waits)
        {
            List<(double, double)> points = [];
            for (int row = 0; row < transports.Length; row++)
            {
                if (figures.Find(transports[row], Figures.Own(transports[row]), wait: wait) is { } cell)
                    points.Add((row, Math.Max(value(cell), 0.0001)));
            }

            all.Add(new Series(wait, points));
        }

        return Bars(name, title, note, x, [.. transports.Select(Transports.Label)], all);
    }

    private static Chart Bars(string name, string title, string note, string x, (string Label, Result? Cell)[] rows, Func<Result, double> value)
    {
        (string Label, Result? Cell)[] present = [.. rows.Where(static row => row.Cell is not null)];
        return Bars(name, title, note, x, [.. present.Select(static row => row.Label)], [new Series(x, [.. present.Select((row, index) => ((double)index, value(row.Cell!)))])]);
    }

    private static Chart Bars(string name, string title, string note, string x, string[] rows, IReadOnlyList<Series> all)
    {
        Series[] drawn = Drawn(name, all);
        return new Chart(name, title, note, Drawing.Bars(x, rows, drawn), Drawing.Data("row", rows, drawn, static row => row));
    }

    private static Chart Lines(string name, string title, string note, string x, string y, IReadOnlyList<(double Place, string Label)> ticks, bool isLogX, IReadOnlyList<Series> all)
    {
        Series[] drawn = Drawn(name, all);
        double[] places = [.. drawn.SelectMany(static series => series.Points).Select(static point => point.X).Distinct().Order()];
        string[] rows = [.. places.Select(place => isLogX ? place.ToString("0", System.Globalization.CultureInfo.InvariantCulture) : ticks.First(tick => tick.Place == place).Label)];
        return new Chart(name, title, note, Drawing.Lines(x, y, ticks, isLogX, drawn), Drawing.Data(x, rows, drawn, row => places[row]));
    }

    private static Series[] Drawn(string name, IReadOnlyList<Series> all)
    {
        Series[] drawn = [.. all.Where(static series => series.Points.Count > 0)];
        return drawn.Length > 0 ? drawn : throw new FormatException($"The run has no cell for the chart {name}: the documents need a whole run, bench/matrix.sh --quick --docs.");
    }
}
