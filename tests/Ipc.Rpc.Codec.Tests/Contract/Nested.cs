using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Runtime.Serialization;

namespace Ipc.Rpc.Codec.Tests.Contract;

/// <summary>Lists and maps within others, by messages that are made for them; and tuples, which are messages.</summary>
[DataContract]
public sealed class Nested
{
    [DataMember(Order = 1)] public List<List<int>> Rows { get; set; } = new();
    [DataMember(Order = 2)] public int[][] Grid { get; set; } = Array.Empty<int[]>();
    [DataMember(Order = 3)] public Dictionary<string, List<Point>> Groups { get; set; } = new();
    [DataMember(Order = 4)] public List<Dictionary<string, int>> Tables { get; set; } = new();
    [DataMember(Order = 5)] public List<List<List<string>>> Deep { get; set; } = new();
    [DataMember(Order = 6)] public Dictionary<int, ImmutableArray<double>> Series { get; set; } = new();
    [DataMember(Order = 7)] public (int Count, string Name) Pair { get; set; }
    [DataMember(Order = 8)] public (string, Point?, List<int>)? Maybe { get; set; }
    [DataMember(Order = 9)] public List<(int X, int Y)> Corners { get; set; } = new();
    [DataMember(Order = 10)] public Dictionary<int, (string Label, Node? Node)> Labels { get; set; } = new();
}
