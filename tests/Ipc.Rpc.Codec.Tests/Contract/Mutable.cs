using System.Runtime.Serialization;

namespace Ipc.Rpc.Codec.Tests.Contract;

/// <summary>A struct of fields, with one name given and one derived from capitals.</summary>
[DataContract]
public struct Mutable
{
    [DataMember(Order = 1, Name = "other_name")] public int Given;
    [DataMember(Order = 2)] public long IOBytes;
    [DataMember(Order = 3)] public string @event;
}
