using System;
using System.Buffers.Binary;
using System.IO;

namespace Ipc.Matrix.Cells;

/// <summary>Bytes as they are: a number, a stamp, and a pattern that differs from one message to the next.</summary>
internal sealed class RawCodec(Shape shape) : Codec
{
    private const int Head = 16;
    private const int Kinds = 251;

    private readonly byte[] _pattern = Pattern(Math.Max(shape.Request, shape.Response) + Kinds);
    private readonly byte[] _bytes = new byte[Math.Max(shape.Request, shape.Response)];

    public override ReadOnlySpan<byte> Request(long number) => Write(number, 0, shape.Request);

    public override void CheckRequest(ReadOnlySpan<byte> bytes, long number) => Check(bytes, number, shape.Request);

    public override ReadOnlySpan<byte> Response(long number, long stamp) => Write(number, stamp, shape.Response);

    public override long CheckResponse(ReadOnlySpan<byte> bytes, long number) => Check(bytes, number, shape.Response);

    private static byte[] Pattern(int length)
    {
        byte[] pattern = new byte[length];
        for (int i = 0; i < length; i++)
            pattern[i] = (byte)(i % Kinds);
        return pattern;
    }

    private Span<byte> Write(long number, long stamp, int length)
    {
        Span<byte> bytes = _bytes.AsSpan(0, length);
        BinaryPrimitives.WriteInt64LittleEndian(bytes, number);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[8..], stamp);
        _pattern.AsSpan((int)(number % Kinds), length - Head).CopyTo(bytes[Head..]);
        return bytes;
    }

    private long Check(ReadOnlySpan<byte> bytes, long number, int length)
    {
        if (bytes.Length != length)
            throw new InvalidDataException($"Message {number} has {bytes.Length} bytes instead of {length}.");
        long came = BinaryPrimitives.ReadInt64LittleEndian(bytes);
        if (came != number)
            throw new InvalidDataException($"Message {came} came instead of {number}.");
        if (!bytes[Head..].SequenceEqual(_pattern.AsSpan((int)(number % Kinds), length - Head)))
            throw new InvalidDataException($"Message {number} has another content.");
        return BinaryPrimitives.ReadInt64LittleEndian(bytes[8..]);
    }
}
