using System.Runtime.Serialization;

namespace Ipc.Bench.Codec;

[DataContract]
public sealed class Scale
{
    [DataMember(Order = 1)]
    public double Factor { get; set; }

    [DataMember(Order = 2)]
    public string Unit { get; set; } = "";
}
