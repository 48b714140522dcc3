using System;
using System.Buffers;

namespace Ipc.Core.Tests;

/// <summary>A buffer whose getter throws, from some look on.</summary>
internal sealed class Throwing : MemoryManager<byte>
{
    private readonly int _throwsFrom;
    private int _looks;

    public Throwing(int throwsFrom) => _throwsFrom = throwsFrom;

    public override Span<byte> GetSpan() => ++_looks >= _throwsFrom ? throw new NotSupportedException("of a getter") : new byte[8];

    public override Memory<byte> Memory => CreateMemory(8);

    public override MemoryHandle Pin(int elementIndex = 0) => throw new NotSupportedException();

    public override void Unpin()
    {
    }

    protected override void Dispose(bool disposing)
    {
    }
}
