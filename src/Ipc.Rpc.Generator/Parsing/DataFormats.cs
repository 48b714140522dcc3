namespace Ipc.Rpc.Generator;

/// <summary>protobuf-net's DataFormat: other encodings of the same integer.</summary>
internal static class DataFormats
{
    private const int Default = 0;
    private const int ZigZag = 1;
    private const int TwosComplement = 2;
    private const int FixedSize = 3;
    private const int WellKnown = 5;

    /// <summary>The value in that format, or <see langword="null"/> when there is no such combination.</summary>
    public static ValueModel? Apply(ValueModel value, int format)
    {
        ProtoKind? kind = (format, value.Kind, value.Reader) switch
        {
            (Default or WellKnown, _, _) => value.Kind,
            (TwosComplement, ProtoKind.Int32 or ProtoKind.Int64 or ProtoKind.UInt32 or ProtoKind.UInt64, _) => value.Kind,
            (ZigZag, ProtoKind.Int32, "Int32") => ProtoKind.SInt32,
            (ZigZag, ProtoKind.Int64, _) => ProtoKind.SInt64,
            (FixedSize, ProtoKind.Int32, "Int32") => ProtoKind.SFixed32,
            (FixedSize, ProtoKind.Int64, _) => ProtoKind.SFixed64,
            (FixedSize, ProtoKind.UInt32, "UInt32") => ProtoKind.Fixed32,
            (FixedSize, ProtoKind.UInt64, _) => ProtoKind.Fixed64,
            (FixedSize, ProtoKind.Float or ProtoKind.Double, _) => value.Kind,
            _ => null,
        };

        if (kind is null || kind == value.Kind)
            return kind is null ? null : value;
        return value with { Kind = kind.Value, ProtoType = kind.Value.ToString().ToLowerInvariant(), Reader = kind.Value.ToString() };
    }
}
