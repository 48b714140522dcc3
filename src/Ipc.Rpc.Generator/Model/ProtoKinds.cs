namespace Ipc.Rpc.Generator;

/// <summary>The properties of the kinds that decide how they are written.</summary>
internal static class ProtoKinds
{
    public static uint WireType(this ProtoKind kind) => kind switch
    {
        ProtoKind.Fixed64 or ProtoKind.SFixed64 or ProtoKind.Double => 1,
        ProtoKind.Fixed32 or ProtoKind.SFixed32 or ProtoKind.Float => 5,
        _ when kind.IsPackable() => 0,
        _ => 2,
    };

    /// <summary>Numbers are: repeated ones share one tag and one length.</summary>
    public static bool IsPackable(this ProtoKind kind) => kind is < ProtoKind.String or ProtoKind.Enum;

    /// <summary>Whether .NET memory and wire have the same bytes, so that a list is one block.</summary>
    public static bool IsFixed(this ProtoKind kind) => kind is >= ProtoKind.Fixed32 and <= ProtoKind.Double;

    /// <summary>What protobuf allows as the key of a map.</summary>
    public static bool IsMapKey(this ProtoKind kind) => kind is <= ProtoKind.SFixed64 or ProtoKind.String or ProtoKind.Guid;

    /// <summary>Messages on the wire: present or not, never a default.</summary>
    public static bool IsMessage(this ProtoKind kind) => kind is ProtoKind.Message or ProtoKind.Timestamp or ProtoKind.Duration || kind.IsCalendar();

    /// <summary>Those whose message each contract's .proto declares for itself.</summary>
    public static bool IsCalendar(this ProtoKind kind) => kind is ProtoKind.DateTimeOffset or ProtoKind.DateOnly or ProtoKind.TimeOnly;
}
