using System;
using System.Buffers.Text;
using System.Runtime.CompilerServices;

namespace Ipc.Rpc;

/// <content>Values with a length of their own: text, bytes, and the .NET types that travel as these or as
/// messages.</content>
public ref partial struct ProtoReader
{
    private const int MaxDecimalText = 64;

    /// <summary>Reads a string.</summary>
    public string ReadString()
    {
        int offset = _position;
        return Utf8Text.Decode(ReadSpan())
            ?? ProtoThrow.Error<string>(ProtoError.InvalidText, offset, "A string is not valid UTF-8");
    }

    /// <summary>Reads bytes into an array of their own.</summary>
    [MethodImpl(Tiering.Optimized)]
    public byte[] ReadBytes()
    {
        ReadOnlySpan<byte> bytes = ReadSpan();
        if (bytes.IsEmpty)
            return Array.Empty<byte>();
#if NET
        byte[] copy = GC.AllocateUninitializedArray<byte>(bytes.Length); // every byte of it is written next
        bytes.CopyTo(copy);
        return copy;
#else
        return bytes.ToArray();
#endif
    }

    /// <summary>Reads bytes into memory that is used again.</summary>
    /// <returns>To be disposed by whoever gets the message.</returns>
    public PooledBytes ReadPooledBytes() => PooledBytes.CopyOf(ReadSpan());

    /// <summary>Reads bytes where they are. For codecs of one's own that have a place for them, or need to look at them
    /// only: of a megabyte, an array costs more than the way to it.</summary>
    /// <returns>Valid until the codec returns. What came from another process is in its memory, too: it may change
    /// meanwhile, so read each byte once.</returns>
    /// <exception cref="ProtoException">Truncated: the length that stands before them is more than there
    /// is.</exception>
    public ReadOnlySpan<byte> ReadBytesInPlace() => ReadSpan();

    /// <summary>What is left of the innermost message, as it is: for a reader of another format.</summary>
    public ReadOnlySpan<byte> ReadToEnd()
    {
        ReadOnlySpan<byte> rest = _buffer.Slice(_position, _end - _position);
        _position = _end;
        return rest;
    }

    /// <summary>Reads a Guid from its text with hyphens; no text is <see cref="Guid.Empty"/>.</summary>
    public Guid ReadGuid()
    {
        int offset = _position;
        ReadOnlySpan<byte> text = ReadSpan();
        if (text.IsEmpty)
            return Guid.Empty;

        if (!Utf8Parser.TryParse(text, out Guid value, out int used) || used != text.Length)
            ProtoThrow.Error(
                ProtoError.InvalidValue,
                offset,
                "A string is not a Guid of the form 00000000-0000-0000-0000-000000000000");
        return value;
    }

    /// <summary>Reads a decimal from its invariant text; no text is 0.</summary>
    public decimal ReadDecimal()
    {
        int offset = _position;
        ReadOnlySpan<byte> text = ReadSpan();
        if (text.IsEmpty)
            return 0;

        decimal value = 0;
        if (text.Length > MaxDecimalText || !Utf8Parser.TryParse(text, out value, out int used) || used != text.Length)
            ProtoThrow.Error(ProtoError.InvalidValue, offset, "A string is not a decimal number in range");
        return value;
    }

    /// <summary>Reads a google.protobuf.Timestamp as UTC. What is finer than 100 ns is cut off.</summary>
    public DateTime ReadTimestamp()
    {
        int offset = _position;
        ReadSecondsAndNanos(out long seconds, out int nanos);
        return new DateTime(TicksOf(seconds, nanos, offset), DateTimeKind.Utc);
    }

    /// <summary>Ticks since 0001-01-01 of seconds since 1970-01-01.</summary>
    private static long TicksOf(long seconds, int nanos, int offset)
    {
        const long Limit = 3_155_378_975_999_999_999 / TimeSpan.TicksPerSecond; // of DateTime.MaxValue
        if (seconds < -WellKnown.UnixEpochSeconds || seconds > Limit - WellKnown.UnixEpochSeconds || nanos < 0 ||
            nanos > WellKnown.MaxNanos)
        {
            ProtoThrow.Error(
                ProtoError.InvalidValue,
                offset,
                "A timestamp is not in the years 1 to 9999, or its nanoseconds are not in 0 to 999,999,999");
        }

        return ((seconds + WellKnown.UnixEpochSeconds) * TimeSpan.TicksPerSecond) + (nanos / WellKnown.NanosPerTick);
    }

    /// <summary>Reads a google.protobuf.Duration. What is finer than 100 ns is cut off.</summary>
    public TimeSpan ReadDuration()
    {
        int offset = _position;
        ReadSecondsAndNanos(out long seconds, out int nanos);

        const long Limit = long.MaxValue / TimeSpan.TicksPerSecond;
        bool inRange = seconds >= -Limit && seconds <= Limit && nanos >= -WellKnown.MaxNanos &&
            nanos <= WellKnown.MaxNanos;
        bool oneSign = !(seconds > 0 && nanos < 0) && !(seconds < 0 && nanos > 0);
        long whole = inRange ? seconds * TimeSpan.TicksPerSecond : 0;
        long part = nanos / WellKnown.NanosPerTick;
        long ticks = unchecked(whole + part);
        bool overflow = ((whole ^ ticks) & (part ^ ticks)) < 0;
        if (!inRange || !oneSign || overflow)
            ProtoThrow.Error(
                ProtoError.InvalidValue,
                offset,
                "A duration is out of the range of TimeSpan, or its nanoseconds do not agree with its seconds");
        return new TimeSpan(ticks);
    }

    private void ReadSecondsAndNanos(out long seconds, out int nanos)
    {
        seconds = 0;
        nanos = 0;
        int outer = StartMessage();
        while (TryReadTag(out uint tag))
        {
            switch (tag)
            {
                case WellKnown.SecondsTag:
                    seconds = ReadInt64();
                    break;
                case WellKnown.NanosTag:
                    nanos = ReadInt32();
                    break;
                default:
                    SkipField(tag);
                    break;
            }
        }

        EndMessage(outer);
    }

    [MethodImpl(Tiering.Optimized)]
    private ReadOnlySpan<byte> ReadSpan()
    {
        int length = ReadLength();
        ReadOnlySpan<byte> bytes = _buffer.Slice(_position, length);
        _position += length;
        return bytes;
    }
}
