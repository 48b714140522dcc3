using System;

namespace Ipc.Native;

/// <summary>A message of a topic: <c>ipc_message</c>. In place and valid until released (reliable, evict), or a copy that is valid until
/// the next read (lossy, latest, and what was published before the reader joined).</summary>
public readonly unsafe ref struct NativeMessage
{
    internal NativeMessage(scoped in MessageData data)
    {
        Payload = data.Payload == null ? default : new ReadOnlySpan<byte>(data.Payload, checked((int)data.Length));
        Type = data.Type;
        Key = data.Key;
        Position = data.Position;
        Lost = data.Lost;
        Writer = data.Writer;
    }

    /// <summary>The bytes; a hostile peer can change them: read once, check, use.</summary>
    public ReadOnlySpan<byte> Payload { get; }

    /// <summary>What the writer said it is.</summary>
    public int Type { get; }

    /// <summary>What it is the newest of, for readers with the policy <see cref="NativePolicy.Latest"/>.</summary>
    public ulong Key { get; }

    /// <summary>Grows with each message of the topic.</summary>
    public ulong Position { get; }

    /// <summary>How many were missed just before this one, or passed over for it.</summary>
    public ulong Lost { get; }

    /// <summary>The writer's place in the table of participants.</summary>
    public uint Writer { get; }
}
