namespace Ipc;

/// <summary>What a queue is and has been through, at one moment, each number for itself.</summary>
public sealed class QueueInfo
{
    internal QueueInfo()
    {
    }

    /// <summary>Payload bytes of a block.</summary>
    public int BlockSize { get; internal set; }

    /// <summary>Blocks of a segment.</summary>
    public int BlockCount { get; internal set; }

    /// <summary>Segments that have memory.</summary>
    public int Segments { get; internal set; }

    /// <summary>Segments that there can be.</summary>
    public int SegmentLimit { get; internal set; }

    /// <summary>Objects that have the queue open, in all processes.</summary>
    public int Participants { get; internal set; }

    /// <summary>How many there can be.</summary>
    public int ParticipantCapacity { get; internal set; }

    /// <summary>Messages sent or being sent and not yet taken, about.</summary>
    public long Depth { get; internal set; }

    /// <summary>Messages that were made available again because their receiver died or left.</summary>
    public long Redelivered { get; internal set; }

    /// <summary>Messages that were dropped for that reason (see <see cref="QueueOptions.DropOrphans"/>).</summary>
    public long Dropped { get; internal set; }

    /// <summary>How often there was no memory for another segment.</summary>
    public int GrowthFailures { get; internal set; }

    /// <summary>Bytes that long messages may take.</summary>
    public long LoanBudget { get; internal set; }

    /// <summary>Bytes that they have.</summary>
    public long LoansPresent { get; internal set; }

    /// <summary>How often a long message found no memory, about.</summary>
    public long LoansExhausted { get; internal set; }
}
