using System;
using System.Collections.Generic;
using ProtoBuf;

namespace Ipc.Rpc.Serializers.Tests.Annotated;

/// <summary>As a user of protobuf-net has it, with what its attributes can say.</summary>
[ProtoContract(Name = "Packet")]
public sealed class Parcel
{
    [ProtoMember(3, Name = "weight_g", DataFormat = DataFormat.ZigZag)]
    public int Weight { get; set; }

    [ProtoMember(1, IsRequired = true)]
    public string Code { get; set; } = "";

    [ProtoMember(4, DataFormat = DataFormat.FixedSize)]
    public ulong Serial { get; set; }

    [ProtoMember(5)]
    public List<Stop> Stops { get; set; } = [];

    [ProtoMember(6, DataFormat = DataFormat.ZigZag, IsPacked = true)]
    public int[] Offsets { get; set; } = [];

    [ProtoMember(7)]
    public DateTime Sent { get; set; }

    [ProtoMember(8)]
    public ParcelKind Kind { get; set; }

    [ProtoMember(9)]
    public Dictionary<string, Stop> Named { get; set; } = [];

    [ProtoIgnore]
    public int Ignored { get; set; }
}

[ProtoContract]
public sealed record Stop([property: ProtoMember(1)] string Place, [property: ProtoMember(2)] double Minutes);

[ProtoContract]
public enum ParcelKind
{
    [ProtoEnum]
    Letter,
    Box,
}
