using System;

namespace Ipc;

/// <summary>A copy of one message of a topic, for code that awaits. See
/// <see cref="TopicReader.ReadAllAsync"/>.</summary>
public readonly struct TopicItem
{
    internal TopicItem(ReadOnlyMemory<byte> payload, in TopicMessage message)
    {
        Payload = payload;
        Type = message.Type;
        Key = message.Key;
        Position = message.Position;
        Lost = message.Lost;
        Writer = message.Writer;
    }

    /// <summary>The bytes, in private memory of this process. The next item uses the same buffer: copy what you keep
    /// longer.</summary>
    public ReadOnlyMemory<byte> Payload { get; }

    /// <summary>The type that the writer gave to the message.</summary>
    public ushort Type { get; }

    /// <summary>The key that the writer gave to the message. <see cref="TopicPolicy.Latest"/> delivers the newest
    /// message of each key.</summary>
    public ulong Key { get; }

    /// <summary>The position in the sequence of all messages of this topic.</summary>
    public long Position { get; }

    /// <summary>The number of messages that were lost just before this one; with <see cref="TopicPolicy.Latest"/> the
    /// number of older messages of this key that it replaces.</summary>
    public long Lost { get; }

    /// <summary>The index of its writer in the topic (<see cref="TopicEnd.Index"/>).</summary>
    public int Writer { get; }
}
