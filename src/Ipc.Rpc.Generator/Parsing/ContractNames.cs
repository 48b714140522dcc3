using Microsoft.CodeAnalysis;

namespace Ipc.Rpc.Generator;

/// <summary>What makes an interface a contract, and what it is called on the wire and in generated code.</summary>
internal static class ContractNames
{
    /// <summary>Ours first: it decides when an interface carries several.</summary>
    public static readonly string[] Attributes = { TypeNames.ServiceAttribute, TypeNames.GrpcService, TypeNames.ServiceContract };

    /// <summary>The attribute that makes this a contract, or <see langword="null"/>.</summary>
    public static AttributeData? ContractAttribute(this INamedTypeSymbol type)
    {
        if (type.TypeKind == TypeKind.Interface)
        {
            foreach (string name in Attributes)
            {
                if (type.Attribute(name) is { } attribute)
                    return attribute;
            }
        }

        return null;
    }

    /// <summary>The service's name. Where the attribute gives none, as others' may, the interface's with its namespace, as protobuf-net.Grpc does.</summary>
    public static string Service(INamedTypeSymbol type, AttributeData attribute)
    {
        if (attribute.AttributeClass?.FullName() == TypeNames.ServiceAttribute)
            return attribute.First() as string ?? "";
        if ((attribute.First() ?? attribute.Named("Name")) is string { Length: > 0 } given)
            return given;
        return (type.ContainingNamespace.IsGlobalNamespace ? "" : type.ContainingNamespace.ToDisplayString() + ".") + Bare(type);
    }

    /// <summary>The interface's name without its I.</summary>
    public static string Bare(INamedTypeSymbol type)
        => type.Name.Length > 1 && type.Name[0] == 'I' && type.Name[1] is >= 'A' and <= 'Z' ? type.Name.Substring(1) : type.Name;

    /// <summary>The generated class, which is not nested.</summary>
    public static string Class(INamedTypeSymbol type) => Outer(type) + Bare(type) + "Rpc";

    public static string Namespace(INamedTypeSymbol type)
        => type.ContainingNamespace.IsGlobalNamespace ? "" : type.ContainingNamespace.ToDisplayString();

    private static string Outer(INamedTypeSymbol type)
        => type.ContainingType is null ? "" : Outer(type.ContainingType) + type.ContainingType.Name;
}
