using System.Collections.Generic;
using System.Runtime.Serialization;

namespace OfficeAddin;

/// <summary>Cells that have changed.</summary>
[DataContract]
public sealed class Changes
{
    /// <summary>Which ones: positions in the answer that <see cref="ISheet.Grid"/> would give to the same request, row by row.</summary>
    [DataMember(Order = 1)]
    public List<int> Places { get; set; } = new();

    /// <summary>Their values, in one row.</summary>
    [DataMember(Order = 2)]
    public Cells? Values { get; set; }
}
