using System;
using System.Buffers.Binary;
using System.Text;

namespace Ipc.Testing.Images;

/// <summary>The bytes of a region, to be written and read field by field.</summary>
public class Image(byte[] bytes)
{
    public byte[] Bytes { get; } = bytes;

    public uint this[int offset]
    {
        get => BinaryPrimitives.ReadUInt32LittleEndian(Bytes.AsSpan(offset));
        set => BinaryPrimitives.WriteUInt32LittleEndian(Bytes.AsSpan(offset), value);
    }

    public ulong U64(int offset) => BinaryPrimitives.ReadUInt64LittleEndian(Bytes.AsSpan(offset));

    public void U64(int offset, ulong value) => BinaryPrimitives.WriteUInt64LittleEndian(Bytes.AsSpan(offset), value);

    public ushort U16(int offset) => BinaryPrimitives.ReadUInt16LittleEndian(Bytes.AsSpan(offset));

    public void U16(int offset, ushort value) => BinaryPrimitives.WriteUInt16LittleEndian(Bytes.AsSpan(offset), value);

    public void Text(int offset, string text) => Encoding.UTF8.GetBytes(text).CopyTo(Bytes, offset);

    /// <summary>Any width: 2, 4 or 8 bytes.</summary>
    public void Write(int offset, int width, ulong value)
    {
        switch (width)
        {
            case 2: U16(offset, (ushort)value); break;
            case 4: this[offset] = (uint)value; break;
            default: U64(offset, value); break;
        }
    }

    public ulong Read(int offset, int width) => width switch
    {
        2 => U16(offset),
        4 => this[offset],
        _ => U64(offset),
    };

    public static int Align(int value, int to) => (value + to - 1) / to * to;
}
