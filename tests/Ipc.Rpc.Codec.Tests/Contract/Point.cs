using System.Runtime.Serialization;

namespace Ipc.Rpc.Codec.Tests.Contract;

/// <summary>A small message as a struct.</summary>
[DataContract]
public readonly record struct Point(
    [property: DataMember(Order = 1)] int X,
    [property: DataMember(Order = 2)] int Y);
