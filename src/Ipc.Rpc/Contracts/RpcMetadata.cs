using System;
using System.Collections;
using System.Collections.Generic;
using System.Text;

namespace Ipc.Rpc;

/// <summary>Keys and values that are sent with a request or an answer. Keys may repeat. Not thread-safe.</summary>
/// <remarks>At most about 16,000 bytes in all, including the trace context; a call with more fails before it is
/// sent.</remarks>
public sealed class RpcMetadata : IEnumerable<KeyValuePair<string, ReadOnlyMemory<byte>>>
{
    private readonly List<KeyValuePair<string, ReadOnlyMemory<byte>>> _entries = new();

    /// <summary>How many entries there are.</summary>
    public int Count => _entries.Count;

    /// <summary>Adds a text, as UTF-8.</summary>
    /// <exception cref="ArgumentException">The key is not one or more of <c>a-z 0-9 - _ .</c></exception>
    public void Add(string key, string text)
        => Add(key, Encoding.UTF8.GetBytes(text ?? throw new ArgumentNullException(nameof(text))));

    /// <summary>Adds bytes, which must not change before the call has been sent.</summary>
    /// <exception cref="ArgumentException">The key is not one or more of <c>a-z 0-9 - _ .</c></exception>
    public void Add(string key, ReadOnlyMemory<byte> value)
    {
        if (key is null)
            throw new ArgumentNullException(nameof(key));
        if (!IsKey(key))
            throw new ArgumentException(
                "'" + key + "' is not a key: one or more of a-z 0-9 - _ . make one.", nameof(key));
        _entries.Add(new KeyValuePair<string, ReadOnlyMemory<byte>>(key, value));
    }

    /// <summary>Finds the first value of a key.</summary>
    public bool TryGet(string key, out ReadOnlyMemory<byte> value)
    {
        foreach (KeyValuePair<string, ReadOnlyMemory<byte>> entry in _entries)
        {
            if (entry.Key == key)
            {
                value = entry.Value;
                return true;
            }
        }

        value = default;
        return false;
    }

    /// <summary>Finds the first value of a key as text; bytes that are not UTF-8 become U+FFFD.</summary>
    /// <returns>The text; <see langword="null"/> when there is no such key.</returns>
    public string? GetText(string key) =>
        TryGet(key, out ReadOnlyMemory<byte> value) ? Encoding.UTF8.GetString(value.ToArray()) : null;

    /// <summary>The entries in the order in which they were added.</summary>
    public IEnumerator<KeyValuePair<string, ReadOnlyMemory<byte>>> GetEnumerator() => _entries.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => _entries.GetEnumerator();

    /// <summary>Adds what a peer sent, whose keys nobody has checked.</summary>
    internal void AddReceived(string key, byte[] value) =>
        _entries.Add(new KeyValuePair<string, ReadOnlyMemory<byte>>(key, value));

    /// <summary>Lower case ASCII: what this side would not write may still be right.</summary>
    internal static bool IsReceivedKey(string key)
    {
        foreach (char c in key)
        {
            if (c is <= ' ' or >= '\u007f' or (>= 'A' and <= 'Z'))
                return false;
        }

        return key.Length != 0;
    }

    private static bool IsKey(string key)
    {
        foreach (char c in key)
        {
            if (c is not ((>= 'a' and <= 'z') or (>= '0' and <= '9') or '-' or '_' or '.'))
                return false;
        }

        return key.Length != 0;
    }
}
