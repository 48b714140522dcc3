using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;

namespace OfficeAddin.Bench;

/// <summary>The ways in which a sheet can ask for its cells, and how fast they are.</summary>
/// <remarks>
/// A recalculation asks for every cell once. Between two of them lies a pause in which answers go stale, as between two that a user starts: no value is
/// answered from the recalculation before. The pause is not measured.
/// </remarks>
internal sealed class Ways : IDisposable
{
    private const int Batch = 4096; // as SheetOptions.BatchCells
    private const int Turns = 7;
    private readonly string _name;
    private readonly string[] _ids, _fields;
    private readonly SheetFunctions _batched, _single;
    private readonly SocketClient _socket;

    public Ways(string name, string socket, int rows)
    {
        _name = name;
        _ids = Enumerable.Range(0, rows).Select(static row => "r" + row.ToString(CultureInfo.InvariantCulture)).ToArray();
        _fields = Enumerable.Range(0, 10).Select(static field => "f" + field.ToString(CultureInfo.InvariantCulture)).ToArray();
        var options = new SheetOptions { Deadline = TimeSpan.FromSeconds(10) };
        _batched = new SheetFunctions(options);
        _single = new SheetFunctions(new SheetOptions { Deadline = options.Deadline, Batching = false });
        _socket = new SocketClient(socket);
        Pause = options.Freshness + TimeSpan.FromMilliseconds(10);
    }

    private TimeSpan Pause { get; }

    private int Cells => _ids.Length * _fields.Length;

    public void Measure(TimeSpan eachWay)
    {
        (string Name, Action Recalculate)[] ways =
        [
            ("GET, batched", () => EachCell(_batched)),
            ("GET, batched, 4 threads", () => FourThreads(_batched)),
            ("GET, a request per cell", () => EachCell(_single)),
            ("GRID, one request", OneGrid),
            ($"Unix socket, {Batch} cells a request", SocketBatches),
            ("Unix socket, a request per cell", SocketCells),
            ("Unix socket, one request", SocketGrid),
        ];
        var speeds = ways.ToDictionary(static way => way.Name, static _ => new List<double>());
        foreach ((_, Action recalculate) in ways)
            Repeat(recalculate, TimeSpan.Zero); // everything compiled, every cell known
        for (int turn = 0; turn < Turns; turn++)
        {
            foreach ((string name, Action recalculate) in ways)
                speeds[name].Add(Repeat(recalculate, eachWay / Turns));
        }
        SheetCounters counters = _batched.Counters(_name);
        Console.WriteLine($"{Cells} cells; GET, batched, and GRID: {counters.Functions} functions in {counters.Requests} requests");
        Console.WriteLine($"{"cells per second",-36} {"median",12} {"slowest",12} {"fastest",12}");
        foreach ((string name, _) in ways)
        {
            double[] sorted = [.. speeds[name].Order()];
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{name,-36} {sorted[Turns / 2],12:N0} {sorted[0],12:N0} {sorted[^1],12:N0}"));
        }
    }

    public void Dispose()
    {
        _batched.Dispose();
        _single.Dispose();
        _socket.Dispose();
    }

    private double Repeat(Action recalculate, TimeSpan time)
    {
        TimeSpan spent = TimeSpan.Zero;
        long cells = 0, from = Stopwatch.GetTimestamp();
        do
        {
            Thread.Sleep(Pause); // until every answer has gone stale: a sheet whose values come from memory would measure nothing
            long began = Stopwatch.GetTimestamp();
            recalculate();
            spent += Stopwatch.GetElapsedTime(began);
            cells += Cells;
        }
        while (Stopwatch.GetElapsedTime(from) < time);
        return cells / spent.TotalSeconds;
    }

    private void EachCell(SheetFunctions sheet) => Rows(sheet, 0, _ids.Length);

    private void FourThreads(SheetFunctions sheet)
    {
        Exception? failure = null;
        Thread[] threads = [.. Enumerable.Range(0, 4).Select(part => new Thread(() =>
        {
            try
            {
                Rows(sheet, _ids.Length * part / 4, _ids.Length * (part + 1) / 4);
            }
            catch (InvalidDataException wrong)
            {
                failure = wrong;
            }
        }))];
        foreach (Thread thread in threads)
            thread.Start();
        foreach (Thread thread in threads)
            thread.Join();
        if (failure is not null)
            throw failure;
    }

    private void Rows(SheetFunctions sheet, int from, int to)
    {
        for (int row = from; row < to; row++)
        {
            for (int column = 0; column < _fields.Length; column++)
                Check(sheet.Get(_name, _ids[row], _fields[column]), row, column);
        }
    }

    private void OneGrid() => CheckAll(_batched.Grid(_name, _ids, _fields));

    private void SocketGrid() => CheckAll(_socket.Grid(new GridRequest { Ids = [.. _ids], Fields = [.. _fields] }));

    private void SocketCells()
    {
        for (int row = 0; row < _ids.Length; row++)
        {
            for (int column = 0; column < _fields.Length; column++)
                Check(_socket.Grid(new GridRequest { Ids = [_ids[row]], Fields = [_fields[column]], Picks = [0] })[0, 0], row, column);
        }
    }

    private void SocketBatches()
    {
        for (int from = 0; from < Cells; from += Batch)
        {
            int count = Math.Min(Batch, Cells - from), firstRow = from / _fields.Length, lastRow = (from + count - 1) / _fields.Length;
            var request = new GridRequest { Ids = [.. _ids[firstRow..(lastRow + 1)]], Fields = [.. _fields], Picks = new List<int>(count) };
            for (int i = 0; i < count; i++)
                request.Picks.Add(from + i - (firstRow * _fields.Length));
            CellGrid values = _socket.Grid(request);
            for (int i = 0; i < count; i++)
                Check(values[0, i], (from + i) / _fields.Length, (from + i) % _fields.Length);
        }
    }

    private void CheckAll(CellGrid grid)
    {
        for (int row = 0; row < _ids.Length; row++)
        {
            for (int column = 0; column < _fields.Length; column++)
                Check(grid[row, column], row, column);
        }
    }

    private void Check(CellValue value, int row, int column)
    {
        if (value.Number != (row * _fields.Length) + column + 0.5)
            throw new InvalidDataException($"cell {row}, {column} is '{value}': {_batched.Status(_name)}");
    }
}
