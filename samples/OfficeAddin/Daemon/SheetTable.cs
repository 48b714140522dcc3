using System.Collections.Generic;
using System.Threading;
using Ipc.Rpc;
using Sysmon;

namespace OfficeAddin;

/// <summary>The cells that the daemon has: the user's table, and this machine. Any thread. Twin of ../cpp/sheet_table.cpp.</summary>
internal sealed class SheetTable(CsvTable csv)
{
    private const int MostCells = 1 << 24;
    private readonly SystemData _machine = new();
    private long _requests, _cells;

    public DaemonStatus Status => new()
    {
        Language = "C#",
        ProcessId = System.Environment.ProcessId,
        Rows = csv.Rows,
        Columns = csv.Columns,
        Requests = Interlocked.Read(ref _requests),
        Cells = Interlocked.Read(ref _cells),
    };

    public void Count(int cells)
    {
        Interlocked.Increment(ref _requests);
        Interlocked.Add(ref _cells, cells);
    }

    /// <exception cref="RpcCallException">The request is too large, or picks what it does not name.</exception>
    public CellGrid Read(GridRequest request)
    {
        List<string> ids = request.Ids, fields = request.Fields;
        if ((long)ids.Count * fields.Count > MostCells && request.Picks.Count == 0)
            throw new RpcCallException(RpcStatus.InvalidArgument, $"{ids.Count} x {fields.Count} cells are too many for one request");
        int[] picks = request.Picks.Count == 0 ? All(ids.Count * fields.Count) : request.Picks.ToArray();
        var values = new CellValue[picks.Length];
        List<int> elsewhere = [];
        for (int i = 0; i < picks.Length; i++)
        {
            int pick = picks[i];
            if (pick < 0 || pick >= (long)ids.Count * fields.Count)
                throw new RpcCallException(RpcStatus.InvalidArgument, $"cell {pick} is not in a table of {ids.Count} x {fields.Count}");
            if (!csv.TryGet(ids[pick / fields.Count], fields[pick % fields.Count], out values[i]))
                elsewhere.Add(i);
        }
        ReadMachine(ids, fields, picks, elsewhere, values);
        Count(values.Length);
        return request.Picks.Count == 0 ? new CellGrid(ids.Count, fields.Count, values) : new CellGrid(1, values.Length, values);
    }

    private static int[] All(int count)
    {
        var all = new int[count];
        for (int i = 0; i < count; i++)
            all[i] = i;
        return all;
    }

    // What the table does not have. A run of cells of one id is one question.
    private void ReadMachine(List<string> ids, List<string> fields, int[] picks, List<int> places, CellValue[] values)
    {
        for (int from = 0, to; from < places.Count; from = to)
        {
            int id = picks[places[from]] / fields.Count;
            List<string> wanted = [];
            for (to = from; to < places.Count && picks[places[to]] / fields.Count == id; to++)
                wanted.Add(fields[picks[places[to]] % fields.Count]);
            List<Cell> cells = _machine.Fill([ids[id]], wanted).Rows[0].Cells;
            for (int i = from; i < to; i++)
            {
                Cell cell = cells[i - from];
                values[places[i]] = cell.Number is { } number ? CellValue.Of(number) : cell.Text is { } text ? CellValue.Of(text) : CellValue.NotAvailable;
            }
        }
    }
}
