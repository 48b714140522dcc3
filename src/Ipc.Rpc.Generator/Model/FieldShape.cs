namespace Ipc.Rpc.Generator;

/// <summary>How many values a field has, and what holds them in C#. From <see cref="Map"/> on they are maps.</summary>
internal enum FieldShape
{
    Single,
    Array,
    List,

    /// <summary>IList and IReadOnlyList: what arrives is a List.</summary>
    ListInterface,

    /// <summary>ICollection and IReadOnlyCollection: enumerated when written; what arrives is a List.</summary>
    Collection,
    HashSet,
    SortedSet,
    ImmutableArray,
    ImmutableList,
    ImmutableHashSet,
    ImmutableSortedSet,
    FrozenSet,
    Map,

    /// <summary>IDictionary and IReadOnlyDictionary: what arrives is a Dictionary.</summary>
    MapInterface,
    SortedMap,
    ImmutableMap,
    ImmutableSortedMap,
    FrozenMap,
}
