using System.Runtime.Serialization;

namespace Ipc.Rpc.Serializers.Tests.Contract;

/// <summary>Nested, in lists, and an item of streams; internal types have to do too.</summary>
[DataContract]
public sealed record Item([property: DataMember(Order = 1)] string Name, [property: DataMember(Order = 2)] uint Count);
