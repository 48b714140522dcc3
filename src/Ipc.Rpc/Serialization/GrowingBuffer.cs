using System;

namespace Ipc.Rpc;

/// <summary>An array that a <see cref="ProtoWriter"/> may outgrow.</summary>
internal sealed class GrowingBuffer : IPayloadTarget
{
    public GrowingBuffer(int first) => Bytes = new byte[first];

    /// <summary>The present array; its first bytes are what was written.</summary>
    public byte[] Bytes { get; private set; }

    public Span<byte> Grow(int written, int needed)
    {
        var larger = new byte[Math.Max(2L * Bytes.Length, (long)written + needed)];
        Bytes.AsSpan(0, written).CopyTo(larger);
        Bytes = larger;
        return larger;
    }
}
