using System.Runtime.Serialization;

namespace Ipc.Rpc.Codec.Tests.Contract;

/// <summary>One of each message.</summary>
[DataContract]
public sealed class Everything
{
    [DataMember(Order = 1)] public Scalars? Scalars { get; set; }
    [DataMember(Order = 2)] public Optionals? Optionals { get; set; }
    [DataMember(Order = 3)] public WellKnown? WellKnown { get; set; }
    [DataMember(Order = 4)] public Lists? Lists { get; set; }
    [DataMember(Order = 5)] public Maps? Maps { get; set; }
    [DataMember(Order = 6)] public Node? Node { get; set; }
    [DataMember(Order = 7)] public Point Point { get; set; }
    [DataMember(Order = 8)] public Point? MaybePoint { get; set; }
    [DataMember(Order = 9)] public Mutable Mutable { get; set; }
    [DataMember(Order = 10)] public Formats? Formats { get; set; }
    [DataMember(Order = 11)] public Nothing? Nothing { get; set; }
    [DataMember(Order = 12)] public Calendar? Calendar { get; set; }
    [DataMember(Order = 13)] public Collections? Collections { get; set; }
    [DataMember(Order = 14)] public Nested? Nested { get; set; }
}
