using System;
using System.Buffers.Binary;
using System.Collections.Generic;
#if NET
using System.Numerics;
#endif
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Ipc.Rpc;

// Reads protobuf fields in place, out of whatever memory the payload is in.
//
// The payload is a stranger's: every length is checked against the end of the innermost message before it is used,
// every varint against ten bytes, nesting against 100. It may even be shared memory that the writer still scribbles on:
// each byte that decides something is read once, so a change can spoil the message but not the checks.
//
// One-byte tags and one-byte varints, the bulk of real messages, take the inlined paths; the rest is out of line.

/// <summary>Reads protobuf fields from a span. Used by generated codecs.</summary>
/// <remarks>Allocates only what is returned. Every method throws <see cref="ProtoException"/> on malformed bytes and
/// nothing else.</remarks>
public ref partial struct ProtoReader
{
    private const int MaxFieldTag = 0x7f;

    private readonly ReadOnlySpan<byte> _buffer;
    private int _position;
    private int _end; // of the innermost message or packed field
    private int _depth;
    private MergeBudget? _merge; // not null: something came in pieces
    private List<int>? _unfit; // where pieces are that are nothing by themselves; not null: there was one

    /// <summary>Starts at the beginning of <paramref name="payload"/>, which is one message.</summary>
    public ProtoReader(ReadOnlySpan<byte> payload)
    {
        _buffer = payload;
        _position = 0;
        _end = payload.Length;
        _depth = 0;
    }

    /// <summary>The bytes read so far.</summary>
    public readonly int Position => _position;

    /// <summary>Whether the innermost message or packed field has bytes left.</summary>
    public readonly bool HasMore
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _position < _end;
    }

    /// <summary>Reads the next field's tag; <see langword="false"/> at the end of the message.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryReadTag(out uint tag)
    {
        if (_position >= _end)
        {
            tag = 0;
            return _unfit is not null && ThrowIfUnfit();
        }

        tag = Here;
        if (tag - 8 <= MaxFieldTag - 8) // one byte, and not field number 0
            _position++;
        else
            tag = ReadLongTag();
        return true;
    }

    /// <summary>Reads a bool: any varint but 0 is true.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool ReadBool() => ReadUInt64() != 0;

    /// <summary>Reads an int32 or an enum.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int ReadInt32() => (int)ReadUInt64();

    /// <summary>Reads an int64.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long ReadInt64() => (long)ReadUInt64();

    /// <summary>Reads a uint32.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public uint ReadUInt32() => (uint)ReadUInt64();

    /// <summary>Reads a uint64.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong ReadUInt64()
    {
        if (_position < _end)
        {
            byte first = Here;
            if (first < 0x80)
            {
                _position++;
                return first;
            }
        }

        return ReadLongVarint();
    }

    /// <summary>Reads a sint32.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int ReadSInt32() => Varint.UnZigZag((uint)ReadUInt64());

    /// <summary>Reads a sint64.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long ReadSInt64() => Varint.UnZigZag(ReadUInt64());

    /// <summary>Reads a fixed32.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public uint ReadFixed32()
    {
        if (_end - _position < sizeof(uint))
            ThrowTruncated();

        uint value = Unsafe.ReadUnaligned<uint>(ref Here);
        _position += sizeof(uint);
        return BitConverter.IsLittleEndian ? value : BinaryPrimitives.ReverseEndianness(value);
    }

    /// <summary>Reads a fixed64.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong ReadFixed64()
    {
        if (_end - _position < sizeof(ulong))
            ThrowTruncated();

        ulong value = Unsafe.ReadUnaligned<ulong>(ref Here);
        _position += sizeof(ulong);
        return BitConverter.IsLittleEndian ? value : BinaryPrimitives.ReverseEndianness(value);
    }

    /// <summary>Reads an sfixed32.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int ReadSFixed32() => (int)ReadFixed32();

    /// <summary>Reads an sfixed64.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long ReadSFixed64() => (long)ReadFixed64();

    /// <summary>Reads a float.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public float ReadFloat()
    {
        uint bits = ReadFixed32();
        return Unsafe.As<uint, float>(ref bits);
    }

    /// <summary>Reads a double.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public double ReadDouble() => BitConverter.Int64BitsToDouble((long)ReadFixed64());

    /// <summary>Enters the message field whose tag was just read, to be left by <see cref="EndMessage"/> with the same
    /// result.</summary>
    /// <returns>The end of the message around it.</returns>
    public int StartMessage()
    {
        if (_depth >= ProtoWriter.MaxDepth)
            ProtoThrow.Error(ProtoError.TooDeep, _position, "Messages are nested more than 100 deep");

        int outer = StartPacked();
        _depth++;
        return outer;
    }

    /// <summary>Leaves a message whose fields have all been read.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void EndMessage(int outer)
    {
        _end = outer;
        _depth--;
    }

    /// <summary>Enters the packed field whose tag was just read, to be left by <see cref="EndPacked"/> with the same
    /// result.</summary>
    /// <returns>The end of the message around it.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int StartPacked()
    {
        int length = ReadLength();
        int outer = _end;
        _end = _position + length;
        return outer;
    }

    /// <summary>Leaves a packed field whose elements have all been read.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void EndPacked(int outer) => _end = outer;

    /// <summary>Reads a length and makes sure that so many bytes are there.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private int ReadLength()
    {
        ulong length = ReadUInt64();
        if (length > (uint)(_end - _position))
            ThrowTruncated();
        return (int)length;
    }

    private readonly ref byte Here
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => ref Unsafe.Add(ref MemoryMarshal.GetReference(_buffer), _position);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private uint ReadLongTag()
    {
        int start = _position;
        uint tag = (uint)ReadUInt64(); // what it has beyond 32 bits does not count
        if (_position - start > Varint.MaxSize32)
            ProtoThrow.Error(ProtoError.VarintTooLong, start, "A tag has more than five bytes");
        if (tag < 8)
            ProtoThrow.Error(ProtoError.InvalidTag, start, "A field has the number 0");
        return tag;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private ulong ReadLongVarint()
    {
#if NET
        // Up to 56 bits, with no branch that depends on how many: find the byte that ends it, drop the rest, close the
        // gaps.
        if (BitConverter.IsLittleEndian && _end - _position >= sizeof(ulong))
        {
            ulong bytes = Unsafe.ReadUnaligned<ulong>(ref Here);
            ulong ends = ~bytes & 0x8080808080808080;
            if (ends != 0)
            {
                int bits = BitOperations.TrailingZeroCount(ends) + 1;
                _position += bits / 8;
                bytes &= ulong.MaxValue >> (64 - bits);
                bytes = ((bytes & 0x7f007f007f007f00) >> 1) | (bytes & 0x007f007f007f007f);
                bytes = ((bytes & 0x3fff00003fff0000) >> 2) | (bytes & 0x00003fff00003fff);
                return ((bytes & 0x0fffffff00000000) >> 4) | (bytes & 0x000000000fffffff);
            }
        }
#endif
        ulong value = 0;
        int position = _position;
        for (int shift = 0; shift < 64; shift += 7)
        {
            if (position >= _end)
                ThrowTruncated();

            byte unit = Unsafe.Add(ref MemoryMarshal.GetReference(_buffer), position++);
            value |= (ulong)(unit & 0x7f) << shift;
            if (unit < 0x80)
            {
                _position = position;
                return value;
            }
        }

        return ProtoThrow.Error<ulong>(ProtoError.VarintTooLong, _position, "A varint has more than ten bytes");
    }

    private readonly void ThrowTruncated()
        => ProtoThrow.Error(
            ProtoError.Truncated, _position, "A value extends beyond the " + _end + " bytes of its message");
}
