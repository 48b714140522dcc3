using System.Collections.Generic;
using ProtoBuf;

namespace Ipc.Rpc.Codec.Tests.Contract;

/// <summary>protobuf-net's attributes, recognised by name, with its other integer formats.</summary>
[ProtoContract]
public sealed class Formats
{
    [ProtoMember(1, DataFormat = DataFormat.ZigZag)] public int SInt { get; init; }
    [ProtoMember(2, DataFormat = DataFormat.ZigZag)] public long SLong { get; init; }
    [ProtoMember(3, DataFormat = DataFormat.FixedSize)] public int SFixedInt { get; init; }
    [ProtoMember(4, DataFormat = DataFormat.FixedSize)] public long SFixedLong { get; init; }
    [ProtoMember(5, DataFormat = DataFormat.FixedSize)] public uint FixedInt { get; init; }
    [ProtoMember(6, DataFormat = DataFormat.FixedSize)] public ulong FixedLong { get; init; }
    [ProtoMember(7, DataFormat = DataFormat.ZigZag)] public List<int> SInts { get; init; } = new();
    [ProtoMember(8, DataFormat = DataFormat.FixedSize)] public int[] Fixeds { get; init; } = System.Array.Empty<int>();
    [ProtoMember(9, DataFormat = DataFormat.FixedSize)] public IList<ulong> FixedLongs { get; init; } = System.Array.Empty<ulong>();
    [ProtoMember(10, DataFormat = DataFormat.ZigZag)] public required int? MaybeSInt { get; init; }
}
