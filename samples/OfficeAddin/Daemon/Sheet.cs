using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace OfficeAddin;

/// <summary>The contract over a <see cref="SheetTable"/>. Twin of ../cpp/daemon.cpp.</summary>
internal sealed class Sheet(SheetTable table) : ISheet
{
    public Cells Grid(GridRequest request) => CellPacking.Pack(table.Read(request));

    public Cells Calc(CalcRequest request, CancellationToken cancellationToken = default)
    {
        table.Count(1);
        return CellPacking.Pack(Calculations.Run(request.Name, request.Arguments.ConvertAll(CellPacking.Unpack), cancellationToken));
    }

    public async IAsyncEnumerable<Changes> Subscribe(SubscribeRequest request, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        if (request.IntervalMs is < 10 or > 60_000)
            throw new RpcCallException(RpcStatus.InvalidArgument, $"interval_ms is {request.IntervalMs}, it must be 10 to 60000");
        GridRequest cells = request.Cells ?? new GridRequest();
        CellGrid? before = null;
        while (true)
        {
            CellGrid now = table.Read(cells);
            if (Differences(before, now) is { Places.Count: > 0 } changes)
                yield return changes;
            before = now;
            await Task.Delay(request.IntervalMs, cancellationToken);
        }
    }

    public DaemonStatus Status() => table.Status;

    public DaemonFunctions Functions() => Calculations.List;

    private static Changes Differences(CellGrid? before, CellGrid now)
    {
        var changes = new Changes();
        List<CellValue> values = [];
        for (int i = 0; i < now.RowMajor.Length; i++)
        {
            if (before is not null && before.RowMajor[i] == now.RowMajor[i])
                continue;
            changes.Places.Add(i);
            values.Add(now.RowMajor[i]);
        }
        changes.Values = CellPacking.Pack(1, values.Count, values.ToArray());
        return changes;
    }
}
