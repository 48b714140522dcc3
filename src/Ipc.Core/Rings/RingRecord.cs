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

    /// <summary>The bytes in the ring. They are valid until the record is released or the reader is disposed. If the
    /// reader is garbage collected without Dispose, their memory stays until the process ends. A hostile peer can
    /// change them at any time: read each once, check it, then use it.</summary>
    public ReadOnlySpan<byte> Payload { get; }

    /// <summary>The type that the writer gave to the record.</summary>
    public ushort Type { get; }

    /// <summary>Whether a reader that died, or left without releasing the record, may have handled it
    /// already.</summary>
    public bool Redelivered { get; }
}
