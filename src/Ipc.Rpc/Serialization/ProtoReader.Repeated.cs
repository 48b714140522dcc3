using System;
#if NET
using System.Numerics;
#endif
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Ipc.Rpc;

/// <content>Looking ahead, so that lists are allocated once and at the right size.</content>
/// <remarks>The counts are hints: they are bounded by the payload, and nothing relies on them.</remarks>
public ref partial struct ProtoReader
{
    /// <summary>How many fields with this tag, of a type with a length, follow each other from here on; the one whose
    /// tag was just read counts.</summary>
    public readonly int CountAhead(uint tag)
    {
        int count = 1;
        int position = _position;

        // Short elements of a field with a small number, as most are: two bytes, and on to the next.
        ref byte bytes = ref MemoryMarshal.GetReference(_buffer);
        while (tag < 0x80 && position < _end && Unsafe.Add(ref bytes, position) is var length and < 0x80)
        {
            position += 1 + length;
            if (position >= _end || Unsafe.Add(ref bytes, position) != tag)
                return count;
            position++;
            count++;
        }

        return count + CountLongAhead(tag, position);
    }

    /// <summary>The same from a length at <paramref name="position"/> on, without the element that it belongs
    /// to.</summary>
    private readonly int CountLongAhead(uint tag, int position)
    {
        int count = -1;
        do
        {
            count++;
            if (!TryPeek(ref position, out ulong length) || length > (uint)(_end - position))
                break;
            position += (int)length;
        }
        while (TryPeek(ref position, out ulong next) && next == tag);

        return count;
    }

    /// <summary>How many varints end within the packed field that was entered.</summary>
    public readonly int CountVarints()
    {
        ReadOnlySpan<byte> rest = _buffer.Slice(_position, _end - _position);
        int count = 0;
#if NET
        while (rest.Length >= sizeof(ulong))
        {
            count += BitOperations.PopCount(~MemoryMarshal.Read<ulong>(rest) & 0x8080808080808080);
            rest = rest.Slice(sizeof(ulong));
        }
#endif
        foreach (byte unit in rest)
        {
            if (unit < 0x80)
                count++;
        }

        return count;
    }

    /// <summary>Reads a packed field of 4-byte or 8-byte numbers as one block.</summary>
    /// <typeparam name="T">One of int, uint, float, long, ulong, double.</typeparam>
    /// <typeparam name="TBuilder"><see cref="RepeatedArray{T}"/> or <see cref="RepeatedList{T}"/>.</typeparam>
    public void ReadPackedFixed<T, TBuilder>(ref TBuilder builder)
        where T : unmanaged
        where TBuilder : struct, IRepeatedBuilder<T>
    {
        int size = Unsafe.SizeOf<T>();
        int offset = _position;
        ReadOnlySpan<byte> block = ReadSpan();
        int count = block.Length / size;
        if (count * size != block.Length)
            ProtoThrow.Error(
                ProtoError.Truncated,
                offset,
                "A packed field of " + block.Length + " bytes does not consist of numbers of " + size);

        builder.Reserve(count);
        if (BitConverter.IsLittleEndian)
        {
            builder.AddBlock(block);
            return;
        }

        Span<byte> one = stackalloc byte[size];
        for (; !block.IsEmpty; block = block.Slice(size))
        {
            block.Slice(0, size).CopyTo(one);
            one.Reverse();
            builder.AddBlock(one);
        }
    }

    private readonly bool TryPeek(ref int position, out ulong value)
    {
        value = 0;
        for (int shift = 0; shift < 64 && position < _end; shift += 7)
        {
            byte unit = _buffer[position++];
            value |= (ulong)(unit & 0x7f) << shift;
            if (unit < 0x80)
                return true;
        }

        return false;
    }
}
