using System.Collections.Generic;
using System.Runtime.Serialization;
using MemoryPack;

namespace Ipc.Matrix.Cells;

/// <summary>What is asked: the values of some fields of many ids. One class for every serializer that takes classes as they are.</summary>
[DataContract]
[MemoryPackable]
public sealed partial class Query
{
    [DataMember(Order = 1)]
    public long Number { get; set; }

    [DataMember(Order = 2)]
    public string Name { get; set; } = "";

    [DataMember(Order = 3)]
    public List<string> Ids { get; set; } = [];

    [DataMember(Order = 4)]
    public List<string> Fields { get; set; } = [];
}
