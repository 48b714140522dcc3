using System.Collections.Generic;
using System.Runtime.Serialization;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Parts;

namespace Ipc.Rpc.Contracts.Tests;

/// <summary>Messages that protoc wrote: alone, null, in a list, inside one of ours, and as a stream in both directions.</summary>
[IpcService("parts.v1")]
public interface IParts
{
    Part Twice(Part part);

    Task<Part?> FindAsync(string name, IReadOnlyList<Part> among, CancellationToken cancel = default);

    Box Wrap(Part part);

    IAsyncEnumerable<Part> Renamed(string prefix, IAsyncEnumerable<Part> parts, CancellationToken cancel = default);
}

[DataContract]
public sealed class Box
{
    [DataMember(Order = 1)]
    public Part? Content { get; set; }

    [DataMember(Order = 2)]
    public Dictionary<string, Part> ByName { get; set; } = [];
}
