using System;
using System.Buffers;

namespace Ipc.Rpc;

/// <summary>Private memory between a serializer and the ring. Each thread keeps one; a serializer that itself makes a
/// call gets another.</summary>
internal sealed class SerializerBuffer : IBufferWriter<byte>
{
    private const int FirstSize = 1024;
    private const int LargestKept = 1 << 20;

    [ThreadStatic]
    private static SerializerBuffer? _spare;

    private byte[] _bytes = new byte[FirstSize];
    private int _length;

    private SerializerBuffer()
    {
    }

    /// <summary>What has been written; valid until <see cref="GiveBack"/>.</summary>
    public ReadOnlyMemory<byte> Written => _bytes.AsMemory(0, _length);

    public static SerializerBuffer Rent()
    {
        SerializerBuffer buffer = _spare ?? new SerializerBuffer();
        _spare = null;
        return buffer;
    }

    public void GiveBack()
    {
        _length = 0;
        if (_bytes.Length > LargestKept)
            _bytes = new byte[FirstSize];
        _spare = this;
    }

    public void Append(ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(GetSpan(bytes.Length));
        _length += bytes.Length;
    }

    public void Advance(int count)
    {
        if (count < 0 || count > _bytes.Length - _length)
            throw new ArgumentOutOfRangeException(nameof(count), count, "More was written than there was room for.");
        _length += count;
    }

    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        MakeRoom(sizeHint);
        return _bytes.AsMemory(_length);
    }

    public Span<byte> GetSpan(int sizeHint = 0)
    {
        MakeRoom(sizeHint);
        return _bytes.AsSpan(_length);
    }

    private void MakeRoom(int sizeHint)
    {
        if (sizeHint < 0)
            throw new ArgumentOutOfRangeException(nameof(sizeHint), sizeHint, "Room is not negative.");

        long needed = (long)_length + Math.Max(sizeHint, 1);
        if (needed <= _bytes.Length)
            return;

        const int MaxArray = 0x7FFFFFC7;
        if (needed > MaxArray)
            throw new InvalidOperationException("A message of more than " + MaxArray + " bytes cannot be encoded.");
        Array.Resize(ref _bytes, (int)Math.Min(Math.Max(needed, 2L * _bytes.Length), MaxArray));
    }
}
