using System.Collections.Generic;
using System.Runtime.Serialization;

namespace OfficeAddin;

/// <summary>All functions of a daemon, in the order in which it wants to show them.</summary>
[DataContract]
public sealed class DaemonFunctions
{
    [DataMember(Order = 1)]
    public List<DaemonFunction> Functions { get; set; } = new();
}
