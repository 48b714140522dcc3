using System;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Ipc.Rpc;

// One pass from the object to the bytes, into a span that is normally the claimed record of a ring.
//
// Room. A scalar field takes at most 5 + 10 bytes. When that many are left, which is nearly always, a field is written
// without further checks. Otherwise the slow path computes the exact size and asks the target for what is missing, so
// the last bytes of a span are usable.
//
// Lengths. A nested message is preceded by its length, a varint of unknown size. The writer leaves a gap of the size
// that the previous message at the same depth needed (elements of a list resemble each other), writes the fields, and
// fills in the length. Only when the guess was wrong are the fields moved, by a few bytes. The guesses are 4 bits per
// depth in one word.
//
// The span may be shared memory. Nothing is ever read back to decide anything, so a peer that scribbles over it spoils
// its own message and nothing else.

/// <summary>Writes protobuf fields into a span, once, in order. Used by generated codecs.</summary>
/// <remarks>
/// Does not allocate. A <c>tag</c> is <c>(field number &lt;&lt; 3) | wire type</c>; that it is right is the caller's
/// business. Every method throws <see cref="ProtoException"/> (<see cref="ProtoError.DestinationTooSmall"/>) when the
/// span is full and there is no target; with a target, its own error passes through.
/// </remarks>
public ref partial struct ProtoWriter
{
    /// <summary>Messages nested deeper are refused by protobuf implementations, this one included.</summary>
    public const int MaxDepth = 100;

    private const int MaxScalar = Varint.MaxSize32 + Varint.MaxSize;
    private const int GuessedDepths = 16;

    private readonly IPayloadTarget? _target;
    private Span<byte> _buffer;
    private int _position;
    private int _depth;
    private ulong _guesses; // per depth below GuessedDepths, 4 bits: size of the length prefix, less 1

    /// <summary>Starts at the beginning of <paramref name="initial"/>; <paramref name="target"/> supplies more when it
    /// is full.</summary>
    public ProtoWriter(Span<byte> initial, IPayloadTarget? target)
    {
        _target = target;
        _buffer = initial;
        _position = 0;
        _depth = 0;
        _guesses = 0;
    }

    /// <summary>The bytes written so far.</summary>
    public readonly int Written => _position;

    /// <summary>The span in use: the initial one, or the last one that the target gave.</summary>
    public readonly Span<byte> Buffer => _buffer;

    /// <summary>Writes a field of type bool.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteBool(uint tag, bool value) => WriteUInt32(tag, value ? 1u : 0u);

    /// <summary>Writes a field of type int32 or an enum. A negative number takes ten bytes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteInt32(uint tag, int value) => WriteUInt64(tag, (ulong)value);

    /// <summary>Writes a field of type int64.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteInt64(uint tag, long value) => WriteUInt64(tag, (ulong)value);

    /// <summary>Writes a field of type sint32.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteSInt32(uint tag, int value) => WriteUInt32(tag, Varint.ZigZag(value));

    /// <summary>Writes a field of type sint64.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteSInt64(uint tag, long value) => WriteUInt64(tag, Varint.ZigZag(value));

    /// <summary>Writes a field of type uint32.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteUInt32(uint tag, uint value)
    {
        if (_buffer.Length - _position < MaxScalar)
            Reserve(Varint.Size(tag) + Varint.Size(value));

        _position += Varint.Put(ref Here, tag);
        _position += Varint.Put(ref Here, value);
    }

    /// <summary>Writes a field of type uint64.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteUInt64(uint tag, ulong value)
    {
        if (_buffer.Length - _position < MaxScalar)
            Reserve(Varint.Size(tag) + Varint.Size(value));

        _position += Varint.Put(ref Here, tag);
        _position += Varint.Put(ref Here, value);
    }

    /// <summary>Writes a field of type fixed32.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteFixed32(uint tag, uint value)
    {
        if (_buffer.Length - _position < MaxScalar)
            Reserve(Varint.Size(tag) + sizeof(uint));

        _position += Varint.Put(ref Here, tag);
        Unsafe.WriteUnaligned(ref Here, Little(value));
        _position += sizeof(uint);
    }

    /// <summary>Writes a field of type fixed64.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteFixed64(uint tag, ulong value)
    {
        if (_buffer.Length - _position < MaxScalar)
            Reserve(Varint.Size(tag) + sizeof(ulong));

        _position += Varint.Put(ref Here, tag);
        Unsafe.WriteUnaligned(ref Here, Little(value));
        _position += sizeof(ulong);
    }

    /// <summary>Writes a field of type sfixed32.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteSFixed32(uint tag, int value) => WriteFixed32(tag, (uint)value);

    /// <summary>Writes a field of type sfixed64.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteSFixed64(uint tag, long value) => WriteFixed64(tag, (ulong)value);

    /// <summary>Writes a field of type float.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteFloat(uint tag, float value) => WriteFixed32(tag, Unsafe.As<float, uint>(ref value));

    /// <summary>Writes a field of type double.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteDouble(uint tag, double value) => WriteFixed64(tag, (ulong)BitConverter.DoubleToInt64Bits(value));

    /// <summary>Whether a float is written: unlike 0, -0 is, so that its sign survives.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsNotZero(float value) => Unsafe.As<float, uint>(ref value) != 0;

    /// <summary>Whether a double is written: unlike 0, -0 is, so that its sign survives.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsNotZero(double value) => BitConverter.DoubleToInt64Bits(value) != 0;

    /// <summary>Begins a message field, to be ended by <see cref="EndMessage"/> with the same result.</summary>
    /// <returns>Where the fields begin.</returns>
    public int StartMessage(uint tag)
    {
        if (_depth >= MaxDepth)
            ProtoThrow.Error(
                ProtoError.TooDeep, _position, "The message is nested more than 100 deep; does it contain itself?");
        return StartBlock(tag);
    }

    /// <summary>Ends the message that began at <paramref name="start"/>: fills in its length.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void EndMessage(int start)
    {
        int length = _position - start;
        _depth--;
        if (length < 0x80 && PrefixGuess == 1)
            _buffer[start - 1] = (byte)length;
        else
            EndBlock(start, length);
    }

    /// <summary>Begins a packed field of <paramref name="count"/> varints, to be ended by
    /// <see cref="EndMessage"/>.</summary>
    public int StartPacked(uint tag, int count)
    {
        SetPrefixGuess(Varint.Size((uint)count)); // right when each takes one byte; a list of larger ones is moved once
        return StartBlock(tag);
    }

    private int StartBlock(uint tag)
    {
        int prefix = PrefixGuess;
        if (_buffer.Length - _position < MaxScalar)
            Reserve(Varint.Size(tag) + prefix);

        _position += Varint.Put(ref Here, tag) + prefix;
        _depth++;
        return _position;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void EndBlock(int start, int length)
    {
        int gap = PrefixGuess;
        int size = Varint.Size((uint)length);
        if (size != gap)
        {
            if (size > gap)
                Reserve(size - gap);
            _buffer.Slice(start, length).CopyTo(_buffer.Slice(start - gap + size));
            _position += size - gap;
            SetPrefixGuess(size);
        }

        Varint.Put(ref _buffer[start - gap], (uint)length);
    }

    private readonly int PrefixGuess
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _depth < GuessedDepths ? (int)((_guesses >> (_depth * 4)) & 15) + 1 : 1;
    }

    private void SetPrefixGuess(int size)
    {
        if (_depth < GuessedDepths)
            _guesses = (_guesses & ~(15UL << (_depth * 4))) | ((ulong)(size - 1) << (_depth * 4));
    }

    private readonly ref byte Here
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => ref Unsafe.Add(ref MemoryMarshal.GetReference(_buffer), _position);
    }

    /// <summary>Makes sure of exactly this much room: the slow path near the end of the span.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Reserve(int needed)
    {
        if (_buffer.Length - _position >= needed)
            return;

        if (_target is null)
            ProtoThrow.Error(
                ProtoError.DestinationTooSmall,
                _position,
                "The message needs more than the " + _buffer.Length + " bytes of its destination");

        Span<byte> larger = _target!.Grow(_position, needed);
        if (larger.Length - _position < needed)
            ProtoThrow.Error(
                ProtoError.DestinationTooSmall, _position, "The payload target offered less than it was asked for");
        _buffer = larger;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint Little(uint value) =>
        BitConverter.IsLittleEndian ? value : BinaryPrimitives.ReverseEndianness(value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Little(ulong value) =>
        BitConverter.IsLittleEndian ? value : BinaryPrimitives.ReverseEndianness(value);
}
