using System.Runtime.Serialization;
using MemoryPack;

namespace Ipc.Matrix.Cells;

/// <summary>Asks for a stream of so many answers.</summary>
[DataContract]
[MemoryPackable]
public sealed partial class Watching
{
    [DataMember(Order = 1)]
    public Query Query { get; set; } = new();

    [DataMember(Order = 2)]
    public int Count { get; set; }
}
