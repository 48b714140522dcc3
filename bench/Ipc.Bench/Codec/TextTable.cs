using System.Collections.Generic;
using System.Runtime.Serialization;

namespace Ipc.Bench.Codec;

[DataContract]
public sealed class TextTable
{
    [DataMember(Order = 1)]
    public List<string> Fields { get; set; } = [];

    [DataMember(Order = 2)]
    public List<TextRow> Rows { get; set; } = [];
}
