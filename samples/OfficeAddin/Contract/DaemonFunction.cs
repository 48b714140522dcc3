using System.Runtime.Serialization;

namespace OfficeAddin;

/// <summary>A function of the daemon's, for whoever wants to call it by <see cref="ISheet.Calc"/>.</summary>
[DataContract]
public sealed class DaemonFunction
{
    [DataMember(Order = 1)]
    public string Name { get; set; } = "";

    /// <summary>What stands behind the name in a formula: "prices, volumes".</summary>
    [DataMember(Order = 2)]
    public string Parameters { get; set; } = "";

    /// <summary>One sentence.</summary>
    [DataMember(Order = 3)]
    public string Help { get; set; } = "";
}
