using System.Collections.Generic;
using System.Runtime.Serialization;

namespace Ipc.Bench.Codec;

[DataContract]
public sealed class Recording
{
    [DataMember(Order = 1)]
    public long Begin { get; set; }

    [DataMember(Order = 2)]
    public List<Channel> Channels { get; set; } = [];
}
