using System.Collections.Generic;

namespace Ipc.Rpc.Generator;

/// <summary>What a .proto says, as far as the wire depends on it.</summary>
internal sealed class ProtoFile
{
    /// <summary>The C# interface that it was generated from; empty when a person wrote it.</summary>
    public string Origin { get; set; } = "";

    public string Package { get; set; } = "";

    /// <summary>The service that clients of this one offer; empty if they offer none.</summary>
    public string Callback { get; set; } = "";

    /// <summary>The names of its services, in their order; their methods are in one table.</summary>
    public List<string> Services { get; } = new();

    public Dictionary<string, ProtoBlock> Messages { get; } = new();

    public Dictionary<string, ProtoBlock> Enums { get; } = new();

    public Dictionary<string, ProtoRpc> Methods { get; } = new();
}
