using System.Collections.Generic;
using System.Runtime.Serialization;

namespace Ipc.Rpc.Codec.Tests.Contract;

/// <summary>A message that contains itself. A positional record.</summary>
[DataContract]
public sealed record Node(
    [property: DataMember(Order = 1)] string Name,
    [property: DataMember(Order = 3)] Node? Left,
    [property: DataMember(Order = 2)] int Value,
    [property: DataMember(Order = 4)] IReadOnlyList<Node> Children);
