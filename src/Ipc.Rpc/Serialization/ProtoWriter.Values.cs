using System;
using System.Buffers.Text;
using System.Runtime.CompilerServices;

namespace Ipc.Rpc;

/// <content>Values with a length of their own: text, bytes, and the .NET types that travel as these or as
/// messages.</content>
public ref partial struct ProtoWriter
{
    /// <summary>Up to this many characters, the UTF-8 length is one byte whatever they are, so no guess can be
    /// wrong.</summary>
    private const int ShortText = 127 / Utf8Text.MaxBytesPerChar;

    private const int GuidLength = 36;
    private const int MaxDecimalLength = 32;

    /// <summary>Writes a field of type string.</summary>
    /// <exception cref="ProtoException">It holds half a surrogate pair, which UTF-8 cannot express.</exception>
    public void WriteString(uint tag, string value)
    {
        if (value.Length > ShortText || _buffer.Length - _position < MaxScalar + (ShortText * Utf8Text.MaxBytesPerChar))
        {
            WriteLongString(tag, value);
            return;
        }

        _position += Varint.Put(ref Here, tag);
        int length = Utf8Text.Encode(value, _buffer.Slice(_position + 1));
        if (length < 0)
            ThrowInvalidText(_position);
        _buffer[_position] = (byte)length;
        _position += 1 + length;
    }

    /// <summary>Writes a field of type bytes.</summary>
    [MethodImpl(Tiering.Optimized)]
    public void WriteBytes(uint tag, scoped ReadOnlySpan<byte> value)
    {
        WriteHead(tag, value.Length);
        value.CopyTo(_buffer.Slice(_position));
        _position += value.Length;
    }

    /// <summary>The next <paramref name="count"/> bytes, all of which the caller fills: a message, without a tag, that
    /// writes itself.</summary>
    public Span<byte> Claim(int count)
    {
        if (_buffer.Length - _position < count)
            Reserve(count);
        _position += count;
        return _buffer.Slice(_position - count, count);
    }

    /// <summary>Appends bytes as they are, without a tag: a message, or a part of one, that was written
    /// elsewhere.</summary>
    public void WriteRaw(scoped ReadOnlySpan<byte> bytes)
    {
        if (_buffer.Length - _position < bytes.Length)
            Reserve(bytes.Length);
        bytes.CopyTo(_buffer.Slice(_position));
        _position += bytes.Length;
    }

    /// <summary>Writes a Guid as a string of 36 characters, lower case with hyphens.</summary>
    public void WriteGuid(uint tag, Guid value)
    {
        WriteHead(tag, GuidLength);
        Utf8Formatter.TryFormat(value, _buffer.Slice(_position), out int written); // the room was made
        _position += written;
    }

    /// <summary>Writes a decimal as a string, invariant, with all of its digits and its scale.</summary>
    public void WriteDecimal(uint tag, decimal value)
    {
        Span<byte> text = stackalloc byte[MaxDecimalLength];
        Utf8Formatter.TryFormat(value, text, out int written);
        WriteBytes(tag, text.Slice(0, written));
    }

    /// <summary>Writes a DateTime as a google.protobuf.Timestamp. Unspecified time is taken as UTC.</summary>
    /// <exception cref="ProtoException">It is local time, which a Timestamp does not know: another value would
    /// arrive.</exception>
    public void WriteTimestamp(uint tag, DateTime value)
    {
        if (value.Kind == DateTimeKind.Local)
            ProtoThrow.Error(
                ProtoError.InvalidValue,
                _position,
                "A DateTime of kind Local would arrive as another value; send its ToUniversalTime()");
        long ticks = value.Ticks;
        long seconds = (ticks / TimeSpan.TicksPerSecond) - WellKnown.UnixEpochSeconds;
        WriteSecondsAndNanos(tag, seconds, (int)(ticks % TimeSpan.TicksPerSecond) * WellKnown.NanosPerTick);
    }

    /// <summary>Writes a TimeSpan as a google.protobuf.Duration.</summary>
    public void WriteDuration(uint tag, TimeSpan value)
    {
        long ticks = value.Ticks;
        WriteSecondsAndNanos(
            tag, ticks / TimeSpan.TicksPerSecond, (int)(ticks % TimeSpan.TicksPerSecond) * WellKnown.NanosPerTick);
    }

    private void WriteSecondsAndNanos(uint tag, long seconds, int nanos)
    {
        int start = StartMessage(tag);
        WriteSecondsAndNanos(seconds, nanos);
        EndMessage(start);
    }

    private void WriteSecondsAndNanos(long seconds, int nanos)
    {
        if (seconds != 0)
            WriteInt64(WellKnown.SecondsTag, seconds);
        if (nanos != 0)
            WriteInt32(WellKnown.NanosTag, nanos);
    }

    /// <summary>Writes tag and length, and makes room for the body.</summary>
    [MethodImpl(Tiering.Optimized)]
    private void WriteHead(uint tag, int length)
    {
        if (_buffer.Length - _position - MaxScalar < length)
            Reserve(checked(Varint.Size(tag) + Varint.Size((uint)length) + length));

        _position += Varint.Put(ref Here, tag);
        _position += Varint.Put(ref Here, (uint)length);
    }

    /// <summary>Text whose length prefix may take several bytes, or that comes near the end of the span.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void WriteLongString(uint tag, string value)
    {
        int length;
        if (_buffer.Length - _position - MaxScalar < (long)value.Length * Utf8Text.MaxBytesPerChar)
        {
            // The worst case does not fit, the true length may: count first.
            length = Utf8Text.Count(value);
            if (length < 0)
                ThrowInvalidText(_position);
            WriteHead(tag, length);
            if (Utf8Text.Encode(value, _buffer.Slice(_position, length)) != length)
                ThrowInvalidText(_position);
            _position += length;
            return;
        }

        // Encode behind a prefix of the size that ASCII text has; move the bytes if it has to be larger.
        _position += Varint.Put(ref Here, tag);
        int guess = Varint.Size((uint)value.Length);
        length = Utf8Text.Encode(value, _buffer.Slice(_position + guess));
        if (length < 0)
            ThrowInvalidText(_position);

        int size = Varint.Size((uint)length);
        if (size != guess)
            _buffer.Slice(_position + guess, length).CopyTo(_buffer.Slice(_position + size));
        _position += Varint.Put(ref Here, (uint)length) + length;
    }

    private static void ThrowInvalidText(int offset)
        => ProtoThrow.Error(
            ProtoError.InvalidText, offset, "A string holds half a surrogate pair and cannot be written as UTF-8");
}
