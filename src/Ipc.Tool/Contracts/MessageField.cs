using Ipc.Rpc.Generator;

namespace Ipc.Tool;

/// <summary>A field of a message.</summary>
internal sealed class MessageField
{
    public required int Number { get; init; }

    public required string Name { get; init; }

    /// <summary>The name that JSON has for it by default: lowerCamelCase.</summary>
    public required string JsonName { get; init; }

    public required ProtoKind Kind { get; init; }

    public bool IsRepeated { get; init; }

    public bool HasPresence { get; init; }

    /// <summary>Of a message, and of a map, whose entries are messages of key and value.</summary>
    public MessageType? Message { get; init; }

    public ProtoBlock? Enum { get; init; }

    /// <summary>Several values can stand together behind one tag.</summary>
    public bool IsPackable => Kind is not (ProtoKind.String or ProtoKind.Bytes or ProtoKind.Message or ProtoKind.Map);

    /// <summary>0 varint, 1 eight bytes, 2 length, 5 four bytes.</summary>
    public uint WireType => Kind switch
    {
        ProtoKind.Double or ProtoKind.Fixed64 or ProtoKind.SFixed64 => 1,
        ProtoKind.Float or ProtoKind.Fixed32 or ProtoKind.SFixed32 => 5,
        ProtoKind.String or ProtoKind.Bytes or ProtoKind.Message or ProtoKind.Map => 2,
        _ => 0,
    };
}
