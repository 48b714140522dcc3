using System;
using System.Buffers.Binary;
using System.Text;

namespace Ipc.Tcp;

/// <summary>Writes the fields of a greeting, one after another.</summary>
internal struct FieldWriter
{
    private readonly byte[] _buffer;
    private int _length;

    public FieldWriter(byte[] buffer)
    {
        _buffer = buffer;
        _length = 0;
    }

    public readonly ReadOnlySpan<byte> Written => _buffer.AsSpan(0, _length);

    public void U16(int value) => BinaryPrimitives.WriteUInt16LittleEndian(Take(2), (ushort)value);

    public void U32(uint value) => BinaryPrimitives.WriteUInt32LittleEndian(Take(4), value);

    public void U64(long value) => BinaryPrimitives.WriteInt64LittleEndian(Take(8), value);

    public void Id(Guid id) => id.ToByteArray().AsSpan().CopyTo(Take(16));

    public void Bytes(ReadOnlySpan<byte> bytes)
    {
        U16(bytes.Length);
        bytes.CopyTo(Take(bytes.Length));
    }

    public void Text(string text) => Bytes(Encoding.UTF8.GetBytes(text));

    private Span<byte> Take(int length)
    {
        Span<byte> taken = _buffer.AsSpan(_length, length);
        _length += length;
        return taken;
    }
}

/// <summary>Reads them. What is not there is a stranger's mistake.</summary>
internal struct FieldReader
{
    private readonly byte[] _buffer;
    private int _at;

    public FieldReader(byte[] buffer)
    {
        _buffer = buffer;
        _at = 0;
    }

    public int U16() => BinaryPrimitives.ReadUInt16LittleEndian(Take(2));

    public uint U32() => BinaryPrimitives.ReadUInt32LittleEndian(Take(4));

    /// <summary>A number of a message: none is negative.</summary>
    public long U64()
    {
        long value = BinaryPrimitives.ReadInt64LittleEndian(Take(8));
        return value >= 0 ? value : throw new TcpProtocolException($"A message's number is {(ulong)value}.");
    }

    public Guid Id() => new(Take(16).ToArray());

    public byte[] Bytes() => Take(U16()).ToArray();

    public string Text() => Encoding.UTF8.GetString(Bytes());

    public readonly void End()
    {
        if (_at != _buffer.Length)
            throw new TcpProtocolException($"A greeting has {_buffer.Length} bytes, of which {_at} are its fields.");
    }

    private ReadOnlySpan<byte> Take(int length)
    {
        if (length > _buffer.Length - _at)
            throw new TcpProtocolException($"A greeting ends after {_buffer.Length} bytes, in the middle of a field.");
        ReadOnlySpan<byte> taken = _buffer.AsSpan(_at, length);
        _at += length;
        return taken;
    }
}
