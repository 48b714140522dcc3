using System.Collections.Generic;
using System.Runtime.Serialization;

namespace OfficeAddin;

/// <summary>A table of ids x fields, or some of its cells.</summary>
[DataContract]
public sealed class GridRequest
{
    [DataMember(Order = 1)]
    public List<string> Ids { get; set; } = new();

    [DataMember(Order = 2)]
    public List<string> Fields { get; set; } = new();

    /// <summary>
    /// The cells that are wanted, each as (number of the id) * (count of the fields) + (number of the field): the answer is one row, in this order.
    /// Empty: the whole table. So any thousand cells cost each of their ids and fields once.
    /// </summary>
    [DataMember(Order = 3)]
    public List<int> Picks { get; set; } = new();
}
