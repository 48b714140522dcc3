using System;
using System.Buffers;

namespace Ipc.Pipelines;

/// <summary>A part of what a reader has in hand: a record in the ring, or a copy in memory of its own.</summary>
#pragma warning disable CA1001 // its memory manager holds nothing that has to be freed
internal sealed class BufferSegment : ReadOnlySequenceSegment<byte>
#pragma warning restore CA1001
{
    private readonly RingMemory _ring;
    private byte[]? _own;

    public BufferSegment(RingReader reader) => _ring = new RingMemory(reader);

    public BufferSegment? Following
    {
        get => (BufferSegment?)Next;
        set => Next = value;
    }

    public int Length => Memory.Length;

    public long End => RunningIndex + Memory.Length;

    public bool IsInRing => _own is null;

    /// <summary>What an own buffer still has room for.</summary>
    public int Room => _own is null ? 0 : _own.Length - Memory.Length;

    public void SetRing(ReadOnlySpan<byte> record, long runningIndex)
    {
        Memory = _ring.Set(record);
        RunningIndex = runningIndex;
    }

    public void SetOwn(int capacity, long runningIndex)
    {
        _own = ArrayPool<byte>.Shared.Rent(capacity);
        Memory = default;
        RunningIndex = runningIndex;
    }

    /// <summary>Within <see cref="Room"/>.</summary>
    public void Append(ReadOnlySpan<byte> bytes)
    {
        int length = Memory.Length;
        bytes.CopyTo(_own.AsSpan(length));
        Memory = new ReadOnlyMemory<byte>(_own, 0, length + bytes.Length);
    }

    public void Clear()
    {
        Memory = default;
        Next = null;
        RunningIndex = 0;
        _ring.Clear();
        if (_own is null)
            return;
        ArrayPool<byte>.Shared.Return(_own);
        _own = null;
    }
}
