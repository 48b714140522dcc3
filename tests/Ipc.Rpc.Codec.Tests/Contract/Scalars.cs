using System;
using System.Runtime.Serialization;

namespace Ipc.Rpc.Codec.Tests.Contract;

/// <summary>Every scalar, implicit presence: a default is not written. A class with settable properties.</summary>
[DataContract]
public sealed class Scalars
{
    [DataMember(Order = 1)] public bool Flag { get; set; }
    [DataMember(Order = 2)] public int Int { get; set; }
    [DataMember(Order = 3)] public uint UInt { get; set; }
    [DataMember(Order = 4)] public long Long { get; set; }
    [DataMember(Order = 5)] public ulong ULong { get; set; }
    [DataMember(Order = 6)] public short Short { get; set; }
    [DataMember(Order = 7)] public ushort UShort { get; set; }
    [DataMember(Order = 8)] public byte Byte { get; set; }
    [DataMember(Order = 9)] public sbyte SByte { get; set; }
    [DataMember(Order = 10)] public float Float { get; set; }
    [DataMember(Order = 11)] public double Double { get; set; }
    [DataMember(Order = 12)] public string Text { get; set; } = "";
    [DataMember(Order = 13)] public byte[] Bytes { get; set; } = Array.Empty<byte>();
    [DataMember(Order = 14)] public ReadOnlyMemory<byte> Memory { get; set; }
    [DataMember(Order = 15)] public Color Color { get; set; }
    [DataMember(Order = 16)] public SmallEnum Small { get; set; }
    [DataMember(Order = 2047)] public int TwoByteTag { get; set; }
    [DataMember(Order = 2048)] public string ThreeByteTag { get; set; } = "";
    [DataMember(Order = 536870911)] public double FiveByteTag { get; set; }
}
