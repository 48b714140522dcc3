namespace Ipc.Rpc.Generator;

/// <summary>A field of a message, or a value of an enum, which has no type.</summary>
/// <param name="Number">Its number.</param>
/// <param name="Name">Its name.</param>
/// <param name="Type">As it is written: <c>int32</c>, <c>repeated Part</c>, <c>map&lt;string, Part&gt;</c>.</param>
/// <param name="HasPresence">Absent is not the same as its default: optional, or in a oneof. Not on the wire, so contracts are not compared by it.</param>
internal sealed record ProtoEntry(int Number, string Name, string Type, bool HasPresence = false);
