using System;

namespace Ipc;

/// <summary>One record, in place.</summary>
public readonly ref struct RingRecord
{
    internal RingRecord(ReadOnlySpan<byte> payload, ushort type, bool redelivered)
    {
        Payload = payload;
        Type = type;
        Redelivered = redelivered;
    }

    /// <summary>The bytes in the ring; valid until released, or until the reader is disposed. A reader that is dropped
    /// without that keeps their memory until the process ends. A hostile peer can change them at any time: read once,
    /// check, use.</summary>
    public ReadOnlySpan<byte> Payload { get; }

    /// <summary>What the writer gave with it.</summary>
    public ushort Type { get; }

    /// <summary>A reader that died, or left without releasing it, may have handled it already.</summary>
    public bool Redelivered { get; }
}
