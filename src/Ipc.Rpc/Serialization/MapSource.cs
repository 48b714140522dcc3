using System.Collections.Generic;

namespace Ipc.Rpc;

/// <summary>Lets generated code enumerate a map without allocating when it is the usual class behind an
/// interface.</summary>
public static class MapSource
{
    /// <summary>The dictionary itself, or a copy of a map of another type.</summary>
    public static Dictionary<TKey, TValue> From<TKey, TValue>(IEnumerable<KeyValuePair<TKey, TValue>> map)
        where TKey : notnull
    {
        if (map is Dictionary<TKey, TValue> dictionary)
            return dictionary;

        var copy = new Dictionary<TKey, TValue>();
        foreach (KeyValuePair<TKey, TValue> entry in map)
            copy[entry.Key] = entry.Value;
        return copy;
    }
}
