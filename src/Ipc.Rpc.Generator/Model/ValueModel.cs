namespace Ipc.Rpc.Generator;

/// <summary>A single value: a scalar, an enum, a message, never a list.</summary>
/// <param name="Kind">How it travels.</param>
/// <param name="ProtoType">Its type in the .proto.</param>
/// <param name="Type">Its C# type, fully qualified, never nullable.</param>
/// <param name="Reader">What follows <c>Read</c> in the name of the reader's method.</param>
/// <param name="IsReference">Whether it can be null.</param>
/// <param name="HasEmpty">A struct whose default is not what an absent message reads as; its codec has that: a tuple, an ImmutableArray.</param>
/// <param name="IsMemory">Bytes as ReadOnlyMemory or PooledBytes, which cannot be null, instead of an array.</param>
internal sealed record ValueModel(ProtoKind Kind, string ProtoType, string Type, string Reader, bool IsReference, bool IsMemory = false, bool HasEmpty = false);
