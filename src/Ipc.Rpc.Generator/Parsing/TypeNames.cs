using Microsoft.CodeAnalysis;

namespace Ipc.Rpc.Generator;

/// <summary>How types are written in generated code, and which are recognised by name.</summary>
internal static class TypeNames
{
    public const string ServiceAttribute = "Ipc.Rpc.IpcServiceAttribute";
    public const string MethodAttribute = "Ipc.Rpc.IpcMethodAttribute";
    public const string OneWayAttribute = "Ipc.Rpc.IpcOneWayAttribute";
    public const string InlineAttribute = "Ipc.Rpc.IpcInlineAttribute";
    public const string IdempotentAttribute = "Ipc.Rpc.IpcIdempotentAttribute";
    public const string OnceAttribute = "Ipc.Rpc.IpcOnceAttribute";
    public const string ReservedAttribute = "Ipc.Rpc.IpcReservedAttribute";
    public const string RenamedAttribute = "Ipc.Rpc.IpcRenamedAttribute";
    public const string FaultAttribute = "Ipc.Rpc.IpcFaultAttribute";
    public const string FaultContract = "System.ServiceModel.FaultContractAttribute";
    public const string ServiceContract = "System.ServiceModel.ServiceContractAttribute";
    public const string OperationContract = "System.ServiceModel.OperationContractAttribute";
    public const string GrpcService = "ProtoBuf.Grpc.Configuration.ServiceAttribute";
    public const string GrpcOperation = "ProtoBuf.Grpc.Configuration.OperationAttribute";
    public const string AsyncEnumerable = "System.Collections.Generic.IAsyncEnumerable`1";
    public const string DataContract = "System.Runtime.Serialization.DataContractAttribute";
    public const string DataMember = "System.Runtime.Serialization.DataMemberAttribute";
    public const string KnownType = "System.Runtime.Serialization.KnownTypeAttribute";
    public const string ProtoContract = "ProtoBuf.ProtoContractAttribute";
    public const string ProtoMember = "ProtoBuf.ProtoMemberAttribute";
    public const string ProtoReserved = "ProtoBuf.ProtoReservedAttribute";
    public const string ProtoInclude = "ProtoBuf.ProtoIncludeAttribute";
    public const string ProtoPartialMember = "ProtoBuf.ProtoPartialMemberAttribute";
    public const string CompatibilityLevel = "ProtoBuf.CompatibilityLevelAttribute";
    public const string MessagePackObject = "MessagePack.MessagePackObjectAttribute";
    public const string MessagePackKey = "MessagePack.KeyAttribute";
    public const string MessagePackUnion = "MessagePack.UnionAttribute";
    public const string MessagePackFormatter = "MessagePack.MessagePackFormatterAttribute";
    public const string MessagePackCallbacks = "MessagePack.IMessagePackSerializationCallbackReceiver";

    private static readonly SymbolDisplayFormat _withoutGlobal = SymbolDisplayFormat.FullyQualifiedFormat
        .WithGlobalNamespaceStyle(SymbolDisplayGlobalNamespaceStyle.Omitted)
        .WithMiscellaneousOptions(SymbolDisplayMiscellaneousOptions.None);

    private static readonly SymbolDisplayFormat _nullable = SymbolDisplayFormat.FullyQualifiedFormat
        .AddMiscellaneousOptions(SymbolDisplayMiscellaneousOptions.IncludeNullableReferenceTypeModifier);

    /// <summary>As code, with <c>global::</c> and <c>?</c> where declared.</summary>
    public static string Code(this ITypeSymbol type) => type.ToDisplayString(_nullable);

    /// <summary>As code, without a <c>?</c> of its own.</summary>
    public static string NonNullCode(this ITypeSymbol type) => type.WithNullableAnnotation(NullableAnnotation.NotAnnotated).ToDisplayString(_nullable);

    /// <summary>Namespace and name without type arguments, as recognised types are listed.</summary>
    public static string FullName(this ITypeSymbol type)
    {
        string space = type.ContainingNamespace is { IsGlobalNamespace: false } containing ? containing.ToDisplayString() + "." : "";
        return type.ContainingType is null ? space + type.MetadataName : type.ToDisplayString(_withoutGlobal);
    }

    /// <summary>For messages to people.</summary>
    public static string Readable(this ITypeSymbol type) => type.ToDisplayString(SymbolDisplayFormat.CSharpErrorMessageFormat);

    public static AttributeData? Attribute(this ISymbol symbol, string fullName)
    {
        foreach (AttributeData attribute in symbol.GetAttributes())
        {
            if (attribute.AttributeClass is { } type && type.FullName() == fullName)
                return attribute;
        }

        return null;
    }

    public static object? Named(this AttributeData? attribute, string name)
    {
        if (attribute is not null)
        {
            foreach (System.Collections.Generic.KeyValuePair<string, TypedConstant> argument in attribute.NamedArguments)
            {
                if (argument.Key == name && argument.Value.Kind != TypedConstantKind.Array)
                    return argument.Value.Value;
            }
        }

        return null;
    }

    public static object? First(this AttributeData? attribute)
        => attribute is { ConstructorArguments.Length: > 0 } && attribute.ConstructorArguments[0].Kind != TypedConstantKind.Array
            ? attribute.ConstructorArguments[0].Value
            : null;
}
