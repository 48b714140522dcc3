using System.Collections.Generic;
using System.Linq;

namespace Ipc.Rpc.Generator;

/// <summary>A message or an enum: its numbers.</summary>
internal sealed class ProtoBlock
{
    public List<ProtoEntry> Entries { get; } = new();

    /// <summary>Ranges, both ends included.</summary>
    public List<(int First, int Last)> Reserved { get; } = new();

    public bool IsReserved(int number) => Reserved.Any(r => r.First <= number && number <= r.Last);

    public ProtoEntry? Numbered(int number) => Entries.Find(e => e.Number == number);

    public ProtoEntry? Named(string name) => Entries.Find(e => e.Name == name);
}
