using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Ipc.Rpc;

/// <content>Elements of packed fields: varints one by one, fixed-width numbers as blocks.</content>
public ref partial struct ProtoWriter
{
    /// <summary>Appends an element of type bool to a packed field.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void AppendBool(bool value) => AppendUInt64(value ? 1u : 0u);

    /// <summary>Appends an element of type int32 or an enum to a packed field.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void AppendInt32(int value) => AppendUInt64((ulong)value);

    /// <summary>Appends an element of type int64 to a packed field.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void AppendInt64(long value) => AppendUInt64((ulong)value);

    /// <summary>Appends an element of type sint32 to a packed field.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void AppendSInt32(int value) => AppendUInt64(Varint.ZigZag(value));

    /// <summary>Appends an element of type sint64 to a packed field.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void AppendSInt64(long value) => AppendUInt64(Varint.ZigZag(value));

    /// <summary>Appends an element of type uint32 to a packed field.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void AppendUInt32(uint value) => AppendUInt64(value);

    /// <summary>Appends an element of type uint64 to a packed field.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void AppendUInt64(ulong value)
    {
        if (_buffer.Length - _position < Varint.MaxSize)
            Reserve(Varint.Size(value));

        _position += Varint.Put(ref Here, value);
    }

    /// <summary>Appends an element of type fixed32 to a packed field.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void AppendFixed32(uint value)
    {
        if (_buffer.Length - _position < sizeof(uint))
            Reserve(sizeof(uint));

        Unsafe.WriteUnaligned(ref Here, Little(value));
        _position += sizeof(uint);
    }

    /// <summary>Appends an element of type fixed64 to a packed field.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void AppendFixed64(ulong value)
    {
        if (_buffer.Length - _position < sizeof(ulong))
            Reserve(sizeof(ulong));

        Unsafe.WriteUnaligned(ref Here, Little(value));
        _position += sizeof(ulong);
    }

    /// <summary>Appends an element of type sfixed32 to a packed field.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void AppendSFixed32(int value) => AppendFixed32((uint)value);

    /// <summary>Appends an element of type sfixed64 to a packed field.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void AppendSFixed64(long value) => AppendFixed64((ulong)value);

    /// <summary>Appends an element of type float to a packed field.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void AppendFloat(float value) => AppendFixed32(Unsafe.As<float, uint>(ref value));

    /// <summary>Appends an element of type double to a packed field.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void AppendDouble(double value) => AppendFixed64((ulong)BitConverter.DoubleToInt64Bits(value));

    /// <summary>Writes a packed field of 4-byte or 8-byte numbers as one block. An empty one is not written.</summary>
    /// <typeparam name="T">One of int, uint, float, long, ulong, double.</typeparam>
    public void WritePackedFixed<T>(uint tag, scoped ReadOnlySpan<T> values)
        where T : unmanaged
    {
        if (values.IsEmpty)
            return;

        ReadOnlySpan<byte> bytes = MemoryMarshal.AsBytes(values);
        WriteBytes(tag, bytes);
        if (!BitConverter.IsLittleEndian)
            FixedBlock.Reverse(_buffer.Slice(_position - bytes.Length, bytes.Length), Unsafe.SizeOf<T>());
    }
    /// <inheritdoc cref="WritePackedFixed{T}(uint, ReadOnlySpan{T})"/>
    public void WritePackedFixed<T>(uint tag, List<T> values)
        where T : unmanaged
    {
#if NET
        WritePackedFixed<T>(tag, CollectionsMarshal.AsSpan(values));
#else
        if (values.Count == 0)
            return;

        int size = Unsafe.SizeOf<T>();
        int length = checked(values.Count * size);
        WriteHead(tag, length);
        for (int i = 0; i < length / size; i++)
            Unsafe.WriteUnaligned(ref Unsafe.Add(ref Here, i * size), values[i]);
        if (!BitConverter.IsLittleEndian)
            FixedBlock.Reverse(_buffer.Slice(_position, length), size);
        _position += length;
#endif
    }

    /// <summary>Refuses a null among the elements of a list or the values of a map.</summary>
    public readonly void ThrowNullElement(string field)
        => ProtoThrow.Error(
            ProtoError.NullElement, _position, "An element of " + field + " is null, which protobuf cannot express");

    /// <summary>Refuses a null where a message is sent.</summary>
    public readonly void ThrowNullMessage(string message)
        => ProtoThrow.Error(
            ProtoError.NullElement, _position, "The " + message + " to be sent is null, which protobuf cannot express");
}
