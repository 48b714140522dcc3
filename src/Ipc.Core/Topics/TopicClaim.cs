using System;

namespace Ipc;

/// <summary>Room for a message, in place: fill it, commit it. Dropped without either, the next claim gives it
/// back.</summary>
public readonly ref struct TopicClaim
{
    private readonly TopicWriter? _writer;
    private readonly ulong _position;

    internal TopicClaim(TopicWriter writer, ulong position, Span<byte> payload)
    {
        _writer = writer;
        _position = position;
        Payload = payload;
    }

    /// <summary>What was asked for, in shared memory; its old bytes mean nothing. Valid until committed or abandoned,
    /// or until the writer is disposed; one that is dropped without that keeps its memory until the process
    /// ends.</summary>
    public Span<byte> Payload { get; }

    /// <summary>Publishes the first <paramref name="length"/> bytes and wakes sleeping readers. Nothing when the writer
    /// is closed.</summary>
    /// <exception cref="InvalidOperationException">The claim is no longer open.</exception>
    public void Commit(int length, ushort type = 0, ulong key = 0) => Writer.Commit(_position, length, type, key);

    /// <summary>Publishes all of it.</summary>
    public void Commit() => Writer.Commit(_position, Payload.Length, 0, 0);

    /// <summary>Gives it back: readers pass over the place. Nothing when it is no longer open.</summary>
    public void Abandon() => _writer?.Abandon(_position);

    /// <summary>Gives the place back unless it has been committed.</summary>
    public void Dispose() => Abandon();

    private TopicWriter Writer
    {
        get
        {
            if (_writer is null)
                Throw.NoClaim();
            return _writer;
        }
    }
}
