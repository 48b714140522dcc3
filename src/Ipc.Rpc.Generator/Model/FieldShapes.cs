using System.Collections.Generic;

namespace Ipc.Rpc.Generator;

/// <summary>What the containers differ in: how they are recognised, read through, and made of what was read.</summary>
internal static class FieldShapes
{
    private const string Generic = "System.Collections.Generic.";
    private const string Immutable = "System.Collections.Immutable.";
    private const string Frozen = "System.Collections.Frozen.";

    private static readonly Dictionary<string, FieldShape> _byName = new()
    {
        [Generic + "List`1"] = FieldShape.List,
        [Generic + "IList`1"] = FieldShape.ListInterface,
        [Generic + "IReadOnlyList`1"] = FieldShape.ListInterface,
        [Generic + "ICollection`1"] = FieldShape.Collection,
        [Generic + "IReadOnlyCollection`1"] = FieldShape.Collection,
        [Generic + "HashSet`1"] = FieldShape.HashSet,
        [Generic + "ISet`1"] = FieldShape.HashSet,
        [Generic + "IReadOnlySet`1"] = FieldShape.HashSet,
        [Generic + "SortedSet`1"] = FieldShape.SortedSet,
        [Immutable + "ImmutableArray`1"] = FieldShape.ImmutableArray,
        [Immutable + "ImmutableList`1"] = FieldShape.ImmutableList,
        [Immutable + "IImmutableList`1"] = FieldShape.ImmutableList,
        [Immutable + "ImmutableHashSet`1"] = FieldShape.ImmutableHashSet,
        [Immutable + "IImmutableSet`1"] = FieldShape.ImmutableHashSet,
        [Immutable + "ImmutableSortedSet`1"] = FieldShape.ImmutableSortedSet,
        [Frozen + "FrozenSet`1"] = FieldShape.FrozenSet,
        [Generic + "Dictionary`2"] = FieldShape.Map,
        [Generic + "IDictionary`2"] = FieldShape.MapInterface,
        [Generic + "IReadOnlyDictionary`2"] = FieldShape.MapInterface,
        [Generic + "SortedDictionary`2"] = FieldShape.SortedMap,
        [Immutable + "ImmutableDictionary`2"] = FieldShape.ImmutableMap,
        [Immutable + "IImmutableDictionary`2"] = FieldShape.ImmutableMap,
        [Immutable + "ImmutableSortedDictionary`2"] = FieldShape.ImmutableSortedMap,
        [Frozen + "FrozenDictionary`2"] = FieldShape.FrozenMap,
    };

    /// <summary>The shape of a container of that name; <see cref="FieldShape.Single"/> for what is none.</summary>
    public static FieldShape Of(string fullName) => _byName.TryGetValue(fullName, out FieldShape shape) ? shape : FieldShape.Single;

    public static bool IsMap(this FieldShape shape) => shape >= FieldShape.Map;

    /// <summary>Whether elements are taken by their index; others are enumerated.</summary>
    public static bool IsIndexed(this FieldShape shape)
        => shape is FieldShape.Array or FieldShape.List or FieldShape.ListInterface or FieldShape.ImmutableArray;

    /// <summary>The name of the property that counts the elements.</summary>
    public static string Count(this FieldShape shape) => shape is FieldShape.Array or FieldShape.ImmutableArray ? "Length" : "Count";

    /// <summary>Whether the elements are gathered in an array; others are in a list.</summary>
    public static bool IsBuiltAsArray(this FieldShape shape) => shape is FieldShape.Array or FieldShape.ImmutableArray;

    /// <summary>Whether its elements or keys must have an order.</summary>
    public static bool IsSorted(this FieldShape shape)
        => shape is FieldShape.SortedSet or FieldShape.ImmutableSortedSet or FieldShape.SortedMap or FieldShape.ImmutableSortedMap;

    /// <summary>Whether it grows in place, where it has no setter.</summary>
    public static bool IsFillable(this FieldShape shape)
        => shape is FieldShape.List or FieldShape.ListInterface or FieldShape.Collection or FieldShape.HashSet or FieldShape.SortedSet
            or FieldShape.Map or FieldShape.MapInterface or FieldShape.SortedMap;

    /// <summary>The container, made of the list, array or dictionary that <paramref name="gathered"/> is.</summary>
    public static string Make(FieldModel field, string gathered)
    {
        string types = Types(field);
        return field.Shape switch
        {
            FieldShape.HashSet or FieldShape.SortedSet or FieldShape.SortedMap => "new " + Class(field) + "(" + gathered + ")",
            FieldShape.ImmutableArray => "global::" + Immutable + "ImmutableArray.Create" + types + "(" + gathered + ")",
            FieldShape.ImmutableList or FieldShape.ImmutableHashSet or FieldShape.ImmutableSortedSet or FieldShape.ImmutableMap or FieldShape.ImmutableSortedMap
                => "global::" + Immutable + Name(field.Shape) + ".CreateRange" + types + "(" + gathered + ")",
            FieldShape.FrozenSet => "global::" + Frozen + "FrozenSet.ToFrozenSet" + types + "(" + gathered + ")",
            FieldShape.FrozenMap => "global::" + Frozen + "FrozenDictionary.ToFrozenDictionary" + types + "(" + gathered + ")",
            _ => gathered,
        };
    }

    /// <summary>Whether <see cref="Make"/> makes something else of what was gathered.</summary>
    public static bool IsMade(this FieldShape shape)
        => shape is not (FieldShape.Single or FieldShape.Array or FieldShape.List or FieldShape.ListInterface or FieldShape.Collection or FieldShape.Map or FieldShape.MapInterface);

    /// <summary>One without elements.</summary>
    public static string Empty(FieldModel field) => field.Shape switch
    {
        FieldShape.Array => "global::System.Array.Empty" + Types(field) + "()",
        FieldShape.ImmutableArray or FieldShape.ImmutableList or FieldShape.ImmutableHashSet or FieldShape.ImmutableSortedSet
            or FieldShape.ImmutableMap or FieldShape.ImmutableSortedMap or FieldShape.FrozenSet or FieldShape.FrozenMap => Class(field) + ".Empty",
        _ => "new " + Class(field) + "()",
    };

    private static string Class(FieldModel field) => "global::" + field.Shape switch
    {
        FieldShape.HashSet or FieldShape.SortedSet or FieldShape.SortedMap => Generic + Name(field.Shape),
        FieldShape.FrozenSet or FieldShape.FrozenMap => Frozen + Name(field.Shape),
        FieldShape.Map or FieldShape.MapInterface => Generic + "Dictionary",
        FieldShape.List or FieldShape.ListInterface or FieldShape.Collection => Generic + "List",
        _ => Immutable + Name(field.Shape),
    } + Types(field);

    private static string Name(FieldShape shape) => shape switch
    {
        FieldShape.SortedMap => "SortedDictionary",
        FieldShape.ImmutableMap => "ImmutableDictionary",
        FieldShape.ImmutableSortedMap => "ImmutableSortedDictionary",
        FieldShape.FrozenMap => "FrozenDictionary",
        _ => shape.ToString(),
    };

    private static string Types(FieldModel field) => "<" + (field.Key is null ? "" : field.Key.Type + ", ") + field.Value.Type + ">";
}
