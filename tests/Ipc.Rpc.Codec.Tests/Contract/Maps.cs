using System.Collections.Generic;
using System.Runtime.Serialization;

namespace Ipc.Rpc.Codec.Tests.Contract;

/// <summary>Maps with every sort of key, and values of scalars, text, enums and messages.</summary>
[DataContract]
public sealed class Maps
{
    [DataMember(Order = 1)] public Dictionary<int, string> Names { get; set; } = new();
    [DataMember(Order = 2)] public IReadOnlyDictionary<string, int> Numbers { get; set; } = new Dictionary<string, int>();
    [DataMember(Order = 3)] public IDictionary<bool, double> Rates { get; set; } = new Dictionary<bool, double>();
    [DataMember(Order = 4)] public Dictionary<ulong, Node> Nodes { get; set; } = new();
    [DataMember(Order = 5)] public Dictionary<long, Color> Colors { get; } = new(); // no setter: filled in place
    [DataMember(Order = 6)] public Dictionary<uint, byte[]> Blobs { get; set; } = new();
    [DataMember(Order = 7)] public Dictionary<short, Point> Points { get; set; } = new();
}
