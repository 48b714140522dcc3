using System.Collections.Generic;
using System.Runtime.Serialization;
using MemoryPack;

namespace Ipc.Matrix.Cells;

/// <summary>What comes back: ids x fields strings, each as it fits into a cell of a spreadsheet.</summary>
[DataContract]
[MemoryPackable]
public sealed partial class Answer
{
    [DataMember(Order = 1)]
    public long Number { get; set; }

    /// <summary>When it was sent, of a stream; the clock is the same in both processes.</summary>
    [DataMember(Order = 2)]
    public long Stamp { get; set; }

    [DataMember(Order = 3)]
    public List<string> Values { get; set; } = [];
}
