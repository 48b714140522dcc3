namespace Ipc.Tool;

/// <summary>A message that was seen passing.</summary>
/// <param name="Position">Where it stands; rises from message to message.</param>
/// <param name="Type">The application's number.</param>
/// <param name="Payload">A copy.</param>
internal sealed record TappedMessage(ulong Position, ushort Type, byte[] Payload)
{
    /// <summary>Topic: its key.</summary>
    public ulong? Key { get; init; }

    /// <summary>Topic and queue: participant index of who wrote it.</summary>
    public int? Writer { get; init; }

    /// <summary>Queue: the segment in which it stands.</summary>
    public uint? Segment { get; init; }

    /// <summary>Queue and ring, where it was taken: somebody may have handled it already. Null: no.</summary>
    public bool? Redelivered { get; init; }

    /// <summary>It did not fit and stands in the pool.</summary>
    public bool IsLoan { get; init; }
}
