namespace Ipc.Rpc.Generator;

/// <summary>A field of a message, or a value of an enum, which has no type.</summary>
internal sealed record ProtoEntry(int Number, string Name, string Type);
