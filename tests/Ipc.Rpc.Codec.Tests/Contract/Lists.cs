using System;
using System.Collections.Generic;
using System.Runtime.Serialization;

#pragma warning disable IPCRPC027 // what becomes of null and empty is what is tested

namespace Ipc.Rpc.Codec.Tests.Contract;

/// <summary>Lists in every container: packed numbers, blocks of fixed-width ones, text, messages.</summary>
[DataContract]
public sealed class Lists
{
    [DataMember(Order = 1)] public List<bool> Flags { get; set; } = new();
    [DataMember(Order = 2)] public int[] Ints { get; set; } = Array.Empty<int>();
    [DataMember(Order = 3)] public IReadOnlyList<uint> UInts { get; set; } = Array.Empty<uint>();
    [DataMember(Order = 4)] public IList<long> Longs { get; set; } = new List<long>();
    [DataMember(Order = 5)] public List<ulong> ULongs { get; set; } = new();
    [DataMember(Order = 6)] public short[] Shorts { get; set; } = Array.Empty<short>();
    [DataMember(Order = 7)] public List<Color> Colors { get; set; } = new();
    [DataMember(Order = 8)] public float[] Floats { get; set; } = Array.Empty<float>();
    [DataMember(Order = 9)] public List<double> Doubles { get; set; } = new();
    [DataMember(Order = 10)] public IReadOnlyList<double> MoreDoubles { get; set; } = Array.Empty<double>();
    [DataMember(Order = 11)] public List<string> Texts { get; } = new(); // no setter: filled in place
    [DataMember(Order = 12)] public byte[][] Blobs { get; set; } = Array.Empty<byte[]>();
    [DataMember(Order = 13)] public List<Node> Nodes { get; set; } = new();
    [DataMember(Order = 14)] public Point[] Points { get; set; } = Array.Empty<Point>();
    [DataMember(Order = 15)] public List<int>? MaybeInts { get; set; }
    [DataMember(Order = 16)] public SmallEnum[] Smalls { get; set; } = Array.Empty<SmallEnum>();
}
