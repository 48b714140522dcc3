using System;

namespace Ipc;

/// <summary>A message of a named connection, in place.</summary>
public readonly ref struct NamedMessage
{
    internal NamedMessage(ReadOnlySpan<byte> payload, ushort type, bool redelivered, ulong sequence)
    {
        Payload = payload;
        Type = type;
        Redelivered = redelivered;
        Sequence = (long)sequence;
    }

    /// <summary>The bytes, in the ring. They are valid until the message is acknowledged or the connection is disposed.
    /// A hostile peer can change them at any time: read each once, check it, then use it.</summary>
    public ReadOnlySpan<byte> Payload { get; }

    /// <summary>The type that the sender gave to the message.</summary>
    public ushort Type { get; }

    /// <summary>Whether a receiver of this name that died, or left without acknowledging the message, may have handled
    /// it already.</summary>
    public bool Redelivered { get; }

    /// <summary>Its number in this direction: 1 for the first message between the two names, then always one more. A
    /// message that comes again has the number that it had.</summary>
    public long Sequence { get; }
}
