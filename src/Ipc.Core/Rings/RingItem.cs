using System;

namespace Ipc;

/// <summary>A copy of one record, for code that awaits. See <see cref="RingReader.ReadAllAsync"/>.</summary>
public readonly struct RingItem
{
    internal RingItem(ReadOnlyMemory<byte> payload, ushort type, bool redelivered)
    {
        Payload = payload;
        Type = type;
        Redelivered = redelivered;
    }

    /// <summary>The bytes, in private memory of this process. The next item uses the same buffer: copy what you keep
    /// longer.</summary>
    public ReadOnlyMemory<byte> Payload { get; }

    /// <summary>The type that the writer gave to the record.</summary>
    public ushort Type { get; }

    /// <summary>Whether a reader that died, or left without releasing the record, may have handled it
    /// already.</summary>
    public bool Redelivered { get; }
}
