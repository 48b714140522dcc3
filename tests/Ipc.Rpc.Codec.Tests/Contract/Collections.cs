using System.Collections.Frozen;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Runtime.Serialization;

#pragma warning disable IPCRPC027 // what becomes of null and empty is what is tested

namespace Ipc.Rpc.Codec.Tests.Contract;

/// <summary>Sets, and what is immutable, frozen or sorted: lists and maps on the wire like others.</summary>
[DataContract]
public sealed class Collections
{
    [DataMember(Order = 1)] public HashSet<int> Ints { get; } = new(); // no setter: filled in place
    [DataMember(Order = 2)] public ISet<string> Texts { get; set; } = new HashSet<string>();
    [DataMember(Order = 3)] public IReadOnlySet<Color>? Colors { get; set; }
    [DataMember(Order = 4)] public SortedSet<long> Sorted { get; set; } = new();
    [DataMember(Order = 5)] public ImmutableArray<double> Doubles { get; set; } = ImmutableArray<double>.Empty;
    [DataMember(Order = 6)] public ImmutableArray<Point>? Points { get; set; }
    [DataMember(Order = 7)] public ImmutableList<string> Words { get; set; } = ImmutableList<string>.Empty;
    [DataMember(Order = 8)] public ImmutableHashSet<uint> Numbers { get; set; } = ImmutableHashSet<uint>.Empty;
    [DataMember(Order = 9)] public ImmutableSortedSet<int>? Order { get; set; }
    [DataMember(Order = 10)] public FrozenSet<string> Frozen { get; set; } = FrozenSet<string>.Empty;
    [DataMember(Order = 11)] public ICollection<float> Floats { get; set; } = new List<float>();
    [DataMember(Order = 12)] public IReadOnlyCollection<Node> Nodes { get; set; } = new List<Node>();
    [DataMember(Order = 13)] public ImmutableDictionary<string, int> Counts { get; set; } = ImmutableDictionary<string, int>.Empty;
    [DataMember(Order = 14)] public ImmutableSortedDictionary<int, Point> Places { get; set; } = ImmutableSortedDictionary<int, Point>.Empty;
    [DataMember(Order = 15)] public SortedDictionary<long, string> Names { get; } = new(); // no setter: filled in place
    [DataMember(Order = 16)] public FrozenDictionary<int, Node>? Known { get; set; }
    [DataMember(Order = 17)] public IImmutableList<bool> Flags { get; set; } = ImmutableList<bool>.Empty;
    [DataMember(Order = 18)] public IImmutableDictionary<uint, double>? Rates { get; set; }
}
