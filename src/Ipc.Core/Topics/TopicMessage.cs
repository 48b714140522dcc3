using System;

namespace Ipc;

/// <summary>A message of a topic. For readers that writers wait for it is in place: valid until released, or until the
/// reader is disposed. For others it is a copy, valid until the next read. If a reader is garbage collected without
/// Dispose, the memory of its unreleased messages stays until the process ends.</summary>
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

    /// <summary>The bytes. Another process has written them and can still change them: read each once, check it, then
    /// use it.</summary>
    public ReadOnlySpan<byte> Payload { get; }

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
