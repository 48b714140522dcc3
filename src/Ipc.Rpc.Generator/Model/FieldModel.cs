namespace Ipc.Rpc.Generator;

/// <summary>A field of a message.</summary>
/// <param name="Number">Its number on the wire.</param>
/// <param name="ProtoName">Its name in the .proto.</param>
/// <param name="Member">The C# property, field or parameter.</param>
/// <param name="Type">The declared C# type, nullable if it is.</param>
/// <param name="Shape">One value, or what holds several.</param>
/// <param name="IsOptional">Declared nullable: absent reads as null instead of as the default.</param>
/// <param name="Value">The value, the element, or the map's value.</param>
/// <param name="Key">The map's key.</param>
internal sealed record FieldModel(int Number, string ProtoName, string Member, string Type, FieldShape Shape, bool IsOptional, ValueModel Value, ValueModel? Key)
{
    public bool IsMap => Shape.IsMap();

    public bool IsRepeated => Shape is not FieldShape.Single;

    public bool IsPacked => IsRepeated && !IsMap && Value.Kind.IsPackable();
}
