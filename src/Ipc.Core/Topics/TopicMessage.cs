using System;

namespace Ipc;

/// <summary>A message of a topic. In place for readers that writers wait for: valid until released, or until the reader
/// is disposed. A copy for the others: valid until the next read. A reader that is dropped without Dispose keeps the
/// memory of what it has not released until the process ends.</summary>
public readonly ref struct TopicMessage
{
    internal TopicMessage(ReadOnlySpan<byte> payload, ushort type, ulong key, ulong position, ulong lost, int writer)
    {
        Payload = payload;
        Type = type;
        Key = key;
        Position = (long)position;
        Lost = (long)lost;
        Writer = writer;
    }

    /// <summary>Written by another process, which may still change it: read once, check, use.</summary>
    public ReadOnlySpan<byte> Payload { get; }

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
