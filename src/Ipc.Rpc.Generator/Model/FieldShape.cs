namespace Ipc.Rpc.Generator;

/// <summary>How many values a field has, and what holds them in C#.</summary>
internal enum FieldShape
{
    Single,
    Array,
    List,
    ListInterface,
    Map,
    MapInterface,
}
