using System;

namespace Ipc.Native;

/// <summary>A record in place, in shared memory. Valid until <see cref="NativeRingReader.Release"/> or the end of the reader; a hostile
/// peer can change it: read once, check, use.</summary>
public readonly unsafe ref struct NativeRecord
{
    internal NativeRecord(scoped in RecordData data)
    {
        Payload = new ReadOnlySpan<byte>(data.Payload, checked((int)data.Length));
        Type = data.Type;
        Redelivered = data.Redelivered != 0;
    }

    /// <summary>The bytes.</summary>
    public ReadOnlySpan<byte> Payload { get; }

    /// <summary>What the writer said it is.</summary>
    public int Type { get; }

    /// <summary>Published before this reader took over from one that died: it may have been handled already.</summary>
    public bool Redelivered { get; }
}
