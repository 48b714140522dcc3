using System.Runtime.Serialization;

namespace OfficeAddin;

/// <summary>Which cells to watch, and how closely.</summary>
[DataContract]
public sealed class SubscribeRequest
{
    [DataMember(Order = 1)]
    public GridRequest? Cells { get; set; }

    /// <summary>How often the daemon looks for changes, 10 to 60,000; what changed twice in between is told once.</summary>
    [DataMember(Order = 2)]
    public int IntervalMs { get; set; }
}
