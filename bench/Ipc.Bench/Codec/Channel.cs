using System.Collections.Generic;
using System.Runtime.Serialization;

namespace Ipc.Bench.Codec;

[DataContract]
public sealed class Channel
{
    [DataMember(Order = 1)]
    public string Name { get; set; } = "";

    [DataMember(Order = 2)]
    public Scale? Scale { get; set; }

    [DataMember(Order = 3)]
    public List<int> Counts { get; set; } = [];

    [DataMember(Order = 4)]
    public List<double> Values { get; set; } = [];
}
