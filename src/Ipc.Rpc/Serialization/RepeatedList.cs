using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Ipc.Rpc;

/// <summary>Collects a repeated field into a list. When the reservations were right, its array is allocated
/// once.</summary>
public struct RepeatedList<T> : IRepeatedBuilder<T>
{
    private List<T>? _items;

    /// <summary>Whether the next <see cref="Add"/> would have to grow the list: the moment to look ahead and
    /// reserve.</summary>
    public readonly bool IsFull
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _items is null || _items.Count == _items.Capacity;
    }

    /// <inheritdoc/>
    public void Reserve(int count)
    {
        if (_items is null)
        {
            _items = new List<T>(count);
            return;
        }

        // Doubling: elements that arrive in many small pieces must not cost the square of their number.
        int needed = _items.Count + count;
        if (needed > _items.Capacity)
            _items.Capacity = Math.Max(needed, _items.Capacity * 2);
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Add(T item) => (_items ??= new List<T>()).Add(item);

    /// <inheritdoc/>
    public void AddBlock(ReadOnlySpan<byte> bytes)
    {
        if (!typeof(T).IsPrimitive) // bytes must never become a reference; a constant to the compiler
            throw new NotSupportedException("Only numbers can be read as a block.");

        int size = Unsafe.SizeOf<T>();
        int count = bytes.Length / size;
        if (count == 0)
            return;

        Reserve(count);
#if NET
        int before = _items!.Count;
        CollectionsMarshal.SetCount(_items, before + count);
        ref byte target = ref Unsafe.As<T, byte>(ref CollectionsMarshal.AsSpan(_items)[before]);
        Unsafe.CopyBlockUnaligned(ref target, ref MemoryMarshal.GetReference(bytes), (uint)(count * size));
#else
        for (int i = 0; i < count; i++)
            _items!.Add(Unsafe.ReadUnaligned<T>(ref Unsafe.Add(ref MemoryMarshal.GetReference(bytes), i * size)));
#endif
    }

    /// <summary>The elements; <see langword="null"/> when the field did not occur.</summary>
    public readonly List<T>? ToListOrNull() => _items;

    /// <summary>The elements; an empty list when the field did not occur.</summary>
    public readonly List<T> ToList() => _items ?? new List<T>();
}
