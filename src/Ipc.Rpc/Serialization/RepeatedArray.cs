using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Ipc.Rpc;

/// <summary>Collects a repeated field into an array. When the reservations were right, the array is allocated
/// once.</summary>
public struct RepeatedArray<T> : IRepeatedBuilder<T>
{
    private T[]? _items;
    private int _count;

    /// <summary>Whether the next <see cref="Add"/> would have to grow the array: the moment to look ahead and
    /// reserve.</summary>
    public readonly bool IsFull
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _items is null || _count == _items.Length;
    }

    /// <inheritdoc/>
    public void Reserve(int count)
    {
        if (_items is null)
        {
            _items = count == 0 ? Array.Empty<T>() : new T[count];
            return;
        }

        // Doubling: elements that arrive in many small pieces must not cost the square of their number.
        int needed = _count + count;
        if (needed > _items.Length)
            Array.Resize(ref _items, Math.Max(needed, _items.Length * 2));
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Add(T item)
    {
        if (IsFull)
            Reserve(1);
        _items![_count++] = item;
    }

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
        ref byte target = ref Unsafe.As<T, byte>(ref _items![_count]);
        Unsafe.CopyBlockUnaligned(ref target, ref MemoryMarshal.GetReference(bytes), (uint)(count * size));
        _count += count;
    }

    /// <summary>The elements; <see langword="null"/> when the field did not occur.</summary>
    public T[]? ToArrayOrNull()
    {
        if (_items is not null && _items.Length != _count)
            Array.Resize(ref _items, _count);
        return _items;
    }

    /// <summary>The elements; an empty array when the field did not occur.</summary>
    public T[] ToArray() => ToArrayOrNull() ?? Array.Empty<T>();
}
