namespace Ipc.Rpc.Generator;

/// <summary>How a value travels. The scalar names are those of the methods of ProtoWriter and ProtoReader.</summary>
internal enum ProtoKind
{
    Bool,
    Int32,
    Int64,
    UInt32,
    UInt64,
    SInt32,
    SInt64,
    Fixed32,
    Fixed64,
    SFixed32,
    SFixed64,
    Float,
    Double,
    String,
    Bytes,
    Enum,
    Message,
    Timestamp,
    Duration,
    Guid,
    Decimal,
    DateTimeOffset,
    DateOnly,
    TimeOnly,
    Uri,
}
