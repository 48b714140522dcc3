using System.Collections.Generic;
using System.Runtime.Serialization;
using Ipc.Rpc;

namespace Ipc.Bench;

/// <summary>A table of ids x fields, the shape that daemons return. Twin of table.proto.</summary>
[IpcService("bench.tables.v1")]
public interface ITables
{
    Table Mirror(Table table);
}

[DataContract]
public sealed class Table
{
    [DataMember(Order = 1)]
    public List<string> Fields { get; set; } = [];

    [DataMember(Order = 2)]
    public List<Row> Rows { get; set; } = [];
}

[DataContract]
public sealed class Row
{
    [DataMember(Order = 1)]
    public string Id { get; set; } = "";

    [DataMember(Order = 2)]
    public List<double> Values { get; set; } = [];

    [DataMember(Order = 3)]
    public long Time { get; set; }
}
