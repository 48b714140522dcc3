using System;
using System.Buffers;
using System.Text;

namespace Ipc.Grpc;

/// <summary>Writes the few messages that the gateway makes itself: of errors and of reflection.</summary>
internal sealed class WireWriter
{
    private const int Varint = 0, Delimited = 2;

    private readonly ArrayBufferWriter<byte> _bytes = new();

    public ReadOnlySpan<byte> Written => _bytes.WrittenSpan;

    public void Number(int field, long value)
    {
        Raw(((ulong)(uint)field << 3) | Varint);
        Raw((ulong)value);
    }

    public void Flag(int field, bool value)
    {
        if (value)
            Number(field, 1);
    }

    public void Text(int field, string value) => Bytes(field, Encoding.UTF8.GetBytes(value));

    public void Bytes(int field, ReadOnlySpan<byte> value)
    {
        Raw(((ulong)(uint)field << 3) | Delimited);
        Raw((ulong)value.Length);
        _bytes.Write(value);
    }

    /// <summary>A message within this one.</summary>
    public void Message(int field, Action<WireWriter> write)
    {
        WireWriter inner = new();
        write(inner);
        Bytes(field, inner.Written);
    }

    private void Raw(ulong value)
    {
        Span<byte> span = _bytes.GetSpan(10);
        int length = 0;
        for (; value >= 0x80; value >>= 7)
            span[length++] = (byte)(value | 0x80);
        span[length++] = (byte)value;
        _bytes.Advance(length);
    }
}
