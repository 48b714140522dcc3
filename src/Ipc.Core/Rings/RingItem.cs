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

    /// <summary>Its bytes, in memory of this process that nobody else writes to. Used again for the next item: copy
    /// what is to be kept longer.</summary>
    public ReadOnlyMemory<byte> Payload { get; }

    /// <summary>What the writer gave with it.</summary>
    public ushort Type { get; }

    /// <summary>A reader that died, or left without releasing it, may have handled it already.</summary>
    public bool Redelivered { get; }
}
