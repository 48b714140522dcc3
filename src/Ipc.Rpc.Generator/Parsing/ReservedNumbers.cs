using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Ipc.Rpc.Generator;

/// <summary>[IpcReserved(3, 5)], or protobuf-net's [ProtoReserved(3)] and [ProtoReserved(3, 5)], the second of which is a range.</summary>
internal static class ReservedNumbers
{
    private const int LargestRange = 1000; // a .proto may reserve more; a class with attributes has no reason to

    public static EquatableArray<int> Of(INamedTypeSymbol type)
    {
        var numbers = new SortedSet<int>();
        foreach (AttributeData attribute in type.GetAttributes())
        {
            string? name = attribute.AttributeClass?.FullName();
            if (name == TypeNames.ReservedAttribute)
                numbers.UnionWith(attribute.ConstructorArguments.SelectMany(Flat));
            else if (name == TypeNames.ProtoReserved)
                numbers.UnionWith(Range(attribute.ConstructorArguments.SelectMany(Flat).ToList()));
        }

        return new EquatableArray<int>(numbers);
    }

    private static IEnumerable<int> Flat(TypedConstant constant)
        => constant.Kind == TypedConstantKind.Array ? constant.Values.SelectMany(Flat) : constant.Value is int number ? new[] { number } : System.Array.Empty<int>();

    private static IEnumerable<int> Range(List<int> ends)
        => ends.Count == 2 && ends[1] >= ends[0] && ends[1] - ends[0] < LargestRange ? Enumerable.Range(ends[0], ends[1] - ends[0] + 1) : ends;
}
