using System.Collections.Generic;
using System.Runtime.Serialization;

namespace OfficeAddin;

/// <summary>A function and its arguments: a single value is a table of one cell, an argument that was left out one of none.</summary>
[DataContract]
public sealed class CalcRequest
{
    [DataMember(Order = 1)]
    public string Name { get; set; } = "";

    [DataMember(Order = 2)]
    public List<Cells> Arguments { get; set; } = new();
}
