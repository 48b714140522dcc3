using System.Collections.Generic;
using System.Runtime.Serialization;

namespace Ipc.Bench.Codec;

[DataContract]
public sealed class TextRow
{
    [DataMember(Order = 1)]
    public string Id { get; set; } = "";

    [DataMember(Order = 2)]
    public List<string> Values { get; set; } = [];
}
