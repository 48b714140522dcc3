using System;
using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Ipc.Pipelines;

/// <summary>A piece of a ring as <see cref="Memory{T}"/>. Whoever has the memory keeps the ring's end alive, and so the
/// mapping, also behind a Dispose: an end that has handed something out leaves its memory to the collector.</summary>
internal sealed unsafe class RingMemory : MemoryManager<byte>
{
    private readonly RingEnd _end;
    private byte* _start; // null: given back
    private int _length;

    public RingMemory(RingEnd end) => _end = end;

    public bool IsEmpty => _start == null;

    public Memory<byte> Set(ReadOnlySpan<byte> bytes)
    {
        _start = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetReference(bytes)); // never moves: it is no object's
        _length = bytes.Length;
        return CreateMemory(_length);
    }

    /// <summary>The bytes are the peer's again: memory that is kept against the rules throws from here on.</summary>
    public void Clear()
    {
        _start = null;
        _length = 0;
    }

    public override Span<byte> GetSpan()
    {
        if (_start == null)
            throw new ObjectDisposedException(
                nameof(Memory<byte>), "This memory was given back by AdvanceTo, FlushAsync or Complete.");
        return new Span<byte>(_start, _length);
    }

    public override MemoryHandle Pin(int elementIndex = 0)
    {
        if ((uint)elementIndex > (uint)_length)
            throw new ArgumentOutOfRangeException(nameof(elementIndex));
        fixed (byte* start = GetSpan())
            return new MemoryHandle(start + elementIndex, default, this);
    }

    public override void Unpin()
    {
    }

    protected override void Dispose(bool disposing) => GC.KeepAlive(_end);
}
