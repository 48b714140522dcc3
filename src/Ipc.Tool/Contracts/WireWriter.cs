using System;
using System.Buffers;
using System.Buffers.Binary;
using System.Text;

namespace Ipc.Tool;

/// <summary>Writes protobuf's wire format.</summary>
internal sealed class WireWriter
{
    private readonly ArrayBufferWriter<byte> _bytes = new();

    public ReadOnlySpan<byte> Written => _bytes.WrittenSpan;

    public void Tag(int number, uint wireType) => Varint((ulong)(uint)number << 3 | wireType);

    public void Varint(ulong value)
    {
        Span<byte> span = _bytes.GetSpan(10);
        int length = 0;
        for (; value >= 0x80; value >>= 7)
            span[length++] = (byte)(value | 0x80);
        span[length++] = (byte)value;
        _bytes.Advance(length);
    }

    public void Fixed32(uint value)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(_bytes.GetSpan(4), value);
        _bytes.Advance(4);
    }

    public void Fixed64(ulong value)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(_bytes.GetSpan(8), value);
        _bytes.Advance(8);
    }

    public void Block(ReadOnlySpan<byte> bytes)
    {
        Varint((ulong)bytes.Length);
        _bytes.Write(bytes);
    }

    public void Text(string text) => Block(Encoding.UTF8.GetBytes(text));
}
