using System.Runtime.Serialization;

namespace OfficeAddin;

/// <summary>Who serves, and what.</summary>
[DataContract]
public sealed class DaemonStatus
{
    /// <summary>"C#" or "C++".</summary>
    [DataMember(Order = 1)]
    public string Language { get; set; } = "";

    [DataMember(Order = 2)]
    public int ProcessId { get; set; }

    /// <summary>Ids of the user's table, which may be none.</summary>
    [DataMember(Order = 3)]
    public int Rows { get; set; }

    /// <summary>Fields of the user's table.</summary>
    [DataMember(Order = 4)]
    public int Columns { get; set; }

    /// <summary>Requests that were answered since the daemon began, of all clients.</summary>
    [DataMember(Order = 5)]
    public long Requests { get; set; }

    /// <summary>Cells in those answers.</summary>
    [DataMember(Order = 6)]
    public long Cells { get; set; }
}
