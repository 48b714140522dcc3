using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Ipc.Api.Tests;

/// <summary>The types that a member's signature is made of, to the innermost type argument.</summary>
internal static class Signature
{
    public static IEnumerable<ITypeSymbol> TypesOf(ISymbol member)
    {
        IEnumerable<ITypeSymbol> types = member switch
        {
            IFieldSymbol field => [field.Type],
            IPropertySymbol property => property.Parameters.Select(static p => p.Type).Append(property.Type),
            IEventSymbol one => [one.Type],
            IMethodSymbol method => method.Parameters.Select(static p => p.Type).Append(method.ReturnType),
            INamedTypeSymbol { DelegateInvokeMethod: { } invoke } => TypesOf(invoke),
            _ => [],
        };
        return types.SelectMany(Parts);
    }

    /// <summary>nint too: it is a pointer whose type has been lost.</summary>
    public static bool IsPointer(ITypeSymbol type)
        => type is IPointerTypeSymbol or IFunctionPointerTypeSymbol
            || (type.SpecialType is SpecialType.System_IntPtr or SpecialType.System_UIntPtr);

    private static IEnumerable<ITypeSymbol> Parts(ITypeSymbol type)
    {
        yield return type;
        IEnumerable<ITypeSymbol> inner = type switch
        {
            IArrayTypeSymbol array => Parts(array.ElementType),
            IPointerTypeSymbol pointer => Parts(pointer.PointedAtType),
            INamedTypeSymbol { IsGenericType: true } generic => generic.TypeArguments.SelectMany(Parts),
            _ => [],
        };
        foreach (ITypeSymbol part in inner)
            yield return part;
    }
}
