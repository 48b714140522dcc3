using System;

namespace Ipc.Native;

/// <summary>A message of a named connection, in place, in shared memory. Valid until it is acknowledged, until the
/// next receive after a reset, or until the end of the connection; a hostile peer can change it: read once, check, use.
/// </summary>
public readonly unsafe ref struct NativeNamedMessage
{
    internal NativeNamedMessage(scoped in NamedMessageData data)
    {
        Payload = new ReadOnlySpan<byte>(data.Payload, checked((int)data.Length));
        Type = data.Type;
        Redelivered = data.Redelivered != 0;
        Sequence = data.Sequence;
    }

    /// <summary>The bytes.</summary>
    public ReadOnlySpan<byte> Payload { get; }

    /// <summary>What the sender said it is.</summary>
    public int Type { get; }

    /// <summary>A receiver of this name that ended without acknowledging it may have handled it already.</summary>
    public bool Redelivered { get; }

    /// <summary>Its number in this direction: 1, then always one more. What comes again has the one it had.</summary>
    public ulong Sequence { get; }
}
