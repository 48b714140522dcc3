namespace Ipc.Tool;

/// <summary>The type of a field, as protobuf has them.</summary>
internal enum ProtoKind
{
    Double,
    Float,
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
    Bool,
    String,
    Bytes,
    Enum,
    Message,
    Map,
}
