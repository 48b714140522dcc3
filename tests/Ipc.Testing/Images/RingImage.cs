using System;
using System.Buffers.Binary;

namespace Ipc.Testing.Images;

/// <summary>A ring region as bytes, with the records that a writer would have published.</summary>
public sealed class RingImage(byte[] bytes, int ring) : Image(bytes)
{
    /// <summary>Where the ring's header is.</summary>
    public int Ring { get; } = ring;

    public ulong Capacity => U64(Ring + Wire.Ring.Capacity);

    public ulong Tail { get; private set; }

    /// <summary>Lets the ring begin somewhere else than at 0, as after a long life.</summary>
    public RingImage StartAt(ulong position)
    {
        U64(Ring + Wire.Ring.ReadPosition, position);
        U64(Ring + Wire.Ring.FreePosition, position);
        Tail = position;
        return this;
    }

    /// <summary>Where the line of this position lies in the region.</summary>
    public int At(ulong position) => (int)(U64(Ring + Wire.Ring.DataOffset) + position % Capacity);

    /// <summary>Publishes a record; where it would wrap, padding goes first.</summary>
    public RingImage Add(ReadOnlySpan<byte> payload, ushort type)
    {
        ulong size = SizeOf(payload.Length), toEnd = Capacity - Tail % Capacity;
        if (size > toEnd)
        {
            U64(At(Tail), Wire.Ring.Published | Wire.Ring.Padding | (toEnd - 8));
            Tail += toEnd;
        }
        U64(At(Tail), HeaderOf(payload.Length, type));
        payload.CopyTo(Bytes.AsSpan(At(Tail) + 8));
        Tail += size;
        return this;
    }

    /// <summary>Publishes records <paramref name="first"/> and following in the form of <see cref="Numbered"/>.</summary>
    public RingImage AddNumbered(ulong first, int count, int max)
    {
        for (ulong n = first; n < first + (ulong)count; n++)
            Add(Numbered.Record(n, max), (ushort)n);
        return this;
    }

    public static ulong SizeOf(int length) => ((ulong)length + 8 + 63) & ~63UL;

    public static ulong HeaderOf(int length, ushort type) => Wire.Ring.Published | ((ulong)type << 32) | (uint)length;
}
