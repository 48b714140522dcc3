using System;

// Stand-ins with the names and shapes of protobuf-net's attributes, which are recognised by name alone.
namespace ProtoBuf;

[AttributeUsage(AttributeTargets.Class | AttributeTargets.Struct | AttributeTargets.Enum)]
internal sealed class ProtoContractAttribute : Attribute
{
    public string? Name { get; set; }
}

[AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
internal sealed class ProtoMemberAttribute(int tag) : Attribute
{
    public int Tag { get; } = tag;

    public string? Name { get; set; }

    public DataFormat DataFormat { get; set; }
}

internal enum DataFormat
{
    Default = 0,
    ZigZag = 1,
    TwosComplement = 2,
    FixedSize = 3,
    Group = 4,
    WellKnown = 5,
}
