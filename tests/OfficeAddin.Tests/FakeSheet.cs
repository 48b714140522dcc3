using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace OfficeAddin.Tests;

/// <summary>A daemon in this process, which remembers what it was asked. A cell's value is its id, its field and the number of the request.</summary>
internal sealed class FakeSheet : ISheet, IDisposable
{
    private readonly List<int> _requests = [];
    private readonly RpcServer _server;

    public FakeSheet(string name) => _server = RpcServer.Start(name, SheetRpc.Service(this));

    /// <summary>How many sheets are connected.</summary>
    public int Connections => _server.ConnectionCount;

    /// <summary>How many cells each request asked for.</summary>
    public int[] Requests
    {
        get
        {
            lock (_requests)
                return _requests.ToArray();
        }
    }

    /// <summary>What answers are made of; called before each.</summary>
    public Func<GridRequest, Cells>? Answer { get; set; }

    /// <summary>What a calculation does; without it there is none.</summary>
    public Func<CancellationToken, Cells>? Calculation { get; set; }

    public Cells Grid(GridRequest request)
    {
        int number;
        lock (_requests)
        {
            _requests.Add(request.Picks.Count == 0 ? request.Ids.Count * request.Fields.Count : request.Picks.Count);
            number = _requests.Count;
        }
        return Answer?.Invoke(request) ?? CellPacking.Pack(Row(request, number));
    }

    public static CellGrid Row(GridRequest request, int number) => new(1, request.Picks.Count, request.Picks.Select(pick => CellValue.Of(
        $"{request.Ids[pick / request.Fields.Count]}.{request.Fields[pick % request.Fields.Count]}#{number}")).ToArray());

    public Cells Calc(CalcRequest request, CancellationToken cancel = default) =>
        Calculation is { } calculate ? calculate(cancel) : throw new RpcCallException(RpcStatus.FailedPrecondition, "not today");

    public async IAsyncEnumerable<Changes> Subscribe(SubscribeRequest request, [EnumeratorCancellation] CancellationToken cancel = default)
    {
        yield return new Changes { Places = [0], Values = CellPacking.Pack(CellGrid.Of(CellValue.Of("first"))) };
        await Task.Delay(Timeout.Infinite, cancel);
    }

    public DaemonFunctions Functions() => new();

    public DaemonStatus Status() => new() { Language = "fake" };

    public void Dispose() => _server.Dispose();
}
