using System;

namespace Ipc.Rpc;

/// <summary>A list or array that grows while a repeated field is read. Implemented by structs, so that calls are
/// direct.</summary>
public interface IRepeatedBuilder<T>
{
    /// <summary>Makes room for so many elements more.</summary>
    void Reserve(int count);

    /// <summary>Appends an element.</summary>
    void Add(T item);

    /// <summary>Appends the elements that <paramref name="bytes"/> are in this machine's memory layout, which need not
    /// be aligned.</summary>
    void AddBlock(ReadOnlySpan<byte> bytes);
}
