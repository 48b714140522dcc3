using System.Collections.Generic;
using System.Runtime.Serialization;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Sysmon;

/// <summary>
/// This machine's live data as tables of ids x fields. An id is "cpu" or "cpu0", "mem", "disk:vda", "net:lo", "pid:123"; which
/// fields an id has depends on its kind (SystemData in both daemons lists them).
/// </summary>
/// <remarks>
/// sysmon.proto is written from this file (dotnet build -p:IpcUpdateContracts=true), and every build compares the two; the C++ daemon and client are built from it. A table has a row for each id that was
/// asked for, in that order; an id or field that does not exist (any more) has empty values: processes come and go.
/// </remarks>
[IpcService("sysmon.v1")]
public interface ISystemMonitor
{
    /// <summary>The ids of a kind that exist now.</summary>
    IReadOnlyList<string> List(Kind kind);

    Table Get(TableRequest request);

    /// <summary>The same method on the wire.</summary>
    Task<Table> GetAsync(TableRequest request, CancellationToken cancellationToken = default);

    /// <summary>A table every <see cref="WatchRequest.IntervalMs"/>, <see cref="WatchRequest.Count"/> times (0: until cancelled).</summary>
    IAsyncEnumerable<Sample> Watch(WatchRequest request, CancellationToken cancellationToken = default);
}

public enum Kind
{
    All = 0,
    Processor = 1,
    Memory = 2,
    Disk = 3,
    Network = 4,
    Process = 5,
}

[DataContract]
public sealed class TableRequest
{
    [DataMember(Order = 1)]
    public List<string> Ids { get; set; } = [];

    [DataMember(Order = 2)]
    public List<string> Fields { get; set; } = [];
}

[DataContract]
public sealed class Table
{
    [DataMember(Order = 1)]
    public List<Row> Rows { get; set; } = [];
}

[DataContract]
public sealed class Row
{
    [DataMember(Order = 1)]
    public string Id { get; set; } = "";

    /// <summary>One per field of the request, in its order.</summary>
    [DataMember(Order = 2)]
    public List<Cell> Cells { get; set; } = [];
}

/// <summary>A number, a text, or neither: there is no such value.</summary>
[DataContract]
public sealed class Cell
{
    [DataMember(Order = 1)]
    public double? Number { get; set; }

    [DataMember(Order = 2)]
    public string? Text { get; set; }
}

[DataContract]
public sealed class WatchRequest
{
    [DataMember(Order = 1)]
    public List<string> Ids { get; set; } = [];

    [DataMember(Order = 2)]
    public List<string> Fields { get; set; } = [];

    [DataMember(Order = 3)]
    public int IntervalMs { get; set; }

    [DataMember(Order = 4)]
    public int Count { get; set; }
}

[DataContract]
public sealed class Sample
{
    [DataMember(Order = 1)]
    public long Sequence { get; set; }

    /// <summary>Milliseconds since 1970, UTC.</summary>
    [DataMember(Order = 2)]
    public long TakenMs { get; set; }

    [DataMember(Order = 3)]
    public Table? Table { get; set; }
}
