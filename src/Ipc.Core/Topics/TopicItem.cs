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

    /// <summary>Its bytes, in memory of this process that nobody else writes to. Used again for the next item: copy
    /// what is to be kept longer.</summary>
    public ReadOnlyMemory<byte> Payload { get; }

    /// <summary>As committed.</summary>
    public ushort Type { get; }

    /// <summary>As committed: of one key, <see cref="TopicPolicy.Latest"/> delivers the newest.</summary>
    public ulong Key { get; }

    /// <summary>Its place in the sequence of all messages of this topic.</summary>
    public long Position { get; }

    /// <summary>How many messages were lost just before this one; for <see cref="TopicPolicy.Latest"/>: how many older
    /// ones of this key it stands for.</summary>
    public long Lost { get; }

    /// <summary>The place of its writer in the topic (<see cref="TopicEnd.Index"/>).</summary>
    public int Writer { get; }
}
