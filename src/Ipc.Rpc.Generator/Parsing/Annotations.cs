using System.Linq;
using Microsoft.CodeAnalysis;

namespace Ipc.Rpc.Generator;

/// <summary>What the annotations of other serializers say that the generated codec cannot do as they do: it is refused or told, never done otherwise in silence.</summary>
internal static class Annotations
{
    private const int OldestLevel = 300; // of protobuf-net: from there on values are written as others write them

    /// <summary>[ProtoMember(n)], [DataMember(Order = n)] or MessagePack-CSharp's [Key(n)].</summary>
    public static AttributeData? NumberAttribute(ISymbol member)
        => member is IPropertySymbol or IFieldSymbol
            ? member.Attribute(TypeNames.ProtoMember) ?? member.Attribute(TypeNames.DataMember) ?? member.Attribute(TypeNames.MessagePackKey)
            : null;

    /// <summary>The field's number; an Order that is not set and a key that is a text are null. Keys begin with 0 and numbers with 1.</summary>
    public static int? Number(AttributeData attribute) => attribute.AttributeClass?.Name switch
    {
        "ProtoMemberAttribute" => attribute.First() as int?,
        "KeyAttribute" => attribute.First() is int key ? key + 1 : null,
        _ => attribute.Named("Order") as int?,
    };

    /// <summary>Why a type that is annotated so is no message.</summary>
    public static (string Reason, string Remedy)? Refusal(INamedTypeSymbol type)
    {
        AttributeData? contract = type.Attribute(TypeNames.ProtoContract);
        if (contract.Named("ImplicitFields") is int and not 0)
            return ("its fields have no numbers of their own ([ProtoContract(ImplicitFields = ...)])", "give each its [ProtoMember(n)]");
        if (contract.Named("DataMemberOffset") is int and not 0)
            return ("its numbers are not those that stand at its members ([ProtoContract(DataMemberOffset = ...)])", "give each its [ProtoMember(n)]");
        if (contract.Named("Surrogate") is not null || contract.Named("Serializer") is not null)
            return ("another type is written in its place ([ProtoContract(Surrogate = ...)])", "use that type in the contract, or a method by IpcSerializer.Codec");
        if (type.Attribute(TypeNames.ProtoPartialMember) is not null)
            return ("its numbers do not stand at its members ([ProtoPartialMember])", "give each its [ProtoMember(n)]");
        if (type.Attribute(TypeNames.ProtoInclude) is not null)
            return ("protobuf has no inheritance ([ProtoInclude])", "use a message with a field for each derived class, or a method by IpcSerializer.Codec");
        if (type.Attribute(TypeNames.MessagePackUnion) is not null)
            return ("protobuf has no inheritance ([Union])", "use a message with a field for each derived class, or a method by IpcSerializer.Codec");
        if (type.Attribute(TypeNames.KnownType) is not null)
            return ("protobuf has no inheritance ([KnownType]), and what a derived class adds would not arrive", "use a message with a field for each derived class");
        if (type.Attribute(TypeNames.MessagePackFormatter) is not null)
            return ("it has a formatter of its own ([MessagePackFormatter])", "use a type without one in the contract, or a method by IpcSerializer.Codec");
        if (type.Attribute(TypeNames.MessagePackObject).First() is true)
            return ("its fields have names and no numbers ([MessagePackObject(keyAsPropertyName: true)])", "give each its [Key(n)]");
        return null;
    }

    /// <summary>Whether protobuf-net was told to write such a value as it did before others could read it.</summary>
    public static bool IsOldFormat(INamedTypeSymbol type, ITypeSymbol member)
        => type.Attribute(TypeNames.CompatibilityLevel).First() is int level and > 0 and < OldestLevel && HasSuchValue(member);

    /// <summary>What a serializer calls, and the generated codec does not; or <see langword="null"/>.</summary>
    public static ISymbol? Callback(INamedTypeSymbol type)
    {
        if (type.AllInterfaces.Any(static one => one.FullName() == TypeNames.MessagePackCallbacks))
            return type;
        return type.GetMembers().FirstOrDefault(static member => member is IMethodSymbol && member.GetAttributes().Any(static a => IsCallback(a.AttributeClass?.FullName())));
    }

    private static bool IsCallback(string? attribute) => attribute is "ProtoBuf.ProtoBeforeSerializationAttribute" or "ProtoBuf.ProtoAfterSerializationAttribute"
        or "ProtoBuf.ProtoBeforeDeserializationAttribute" or "ProtoBuf.ProtoAfterDeserializationAttribute"
        or "System.Runtime.Serialization.OnSerializingAttribute" or "System.Runtime.Serialization.OnSerializedAttribute"
        or "System.Runtime.Serialization.OnDeserializingAttribute" or "System.Runtime.Serialization.OnDeserializedAttribute";

    private static bool HasSuchValue(ITypeSymbol type) => type switch
    {
        IArrayTypeSymbol array => HasSuchValue(array.ElementType),
        INamedTypeSymbol { TypeArguments.Length: > 0 } generic => generic.TypeArguments.Any(HasSuchValue),
        _ => type.FullName() is "System.DateTime" or "System.TimeSpan" or "System.Guid" or "System.Decimal",
    };
}
