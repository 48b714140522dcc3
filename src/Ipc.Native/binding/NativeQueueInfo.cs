namespace Ipc.Native;

/// <summary>Numbers of now, though not all of one moment: <c>ipc_queue_info</c>.</summary>
public sealed class NativeQueueInfo
{
    internal NativeQueueInfo(in QueueInfoData data)
    {
        BlockSize = checked((int)data.BlockSize);
        BlockCount = checked((int)data.BlockCount);
        Segments = checked((int)data.Segments);
        SegmentLimit = checked((int)data.SegmentLimit);
        Participants = checked((int)data.Participants);
        ParticipantCapacity = checked((int)data.ParticipantCapacity);
        GrowthFailures = unchecked((int)data.GrowthFailures);
        Depth = unchecked((long)data.Depth);
        Redelivered = unchecked((long)data.Redelivered);
        Dropped = unchecked((long)data.Dropped);
        LoanBudget = unchecked((long)data.LoanBudget);
        LoansPresent = unchecked((long)data.LoansPresent);
        LoansExhausted = unchecked((long)data.LoansExhausted);
    }

    /// <summary>Payload bytes of a block.</summary>
    public int BlockSize { get; }

    /// <summary>Blocks of a segment.</summary>
    public int BlockCount { get; }

    /// <summary>Segments that have memory.</summary>
    public int Segments { get; }

    /// <summary>Segments that there may be.</summary>
    public int SegmentLimit { get; }

    /// <summary>Queue objects that are open.</summary>
    public int Participants { get; }

    /// <summary>Queue objects that there is room for.</summary>
    public int ParticipantCapacity { get; }

    /// <summary>How often there was no memory for a segment.</summary>
    public int GrowthFailures { get; }

    /// <summary>Messages sent and not yet received, about.</summary>
    public long Depth { get; }

    /// <summary>Messages of dead receivers that became receivable again.</summary>
    public long Redelivered { get; }

    /// <summary>Messages of dead receivers that were dropped.</summary>
    public long Dropped { get; }

    /// <summary>Bytes for longer messages; 0: there are none.</summary>
    public long LoanBudget { get; }

    /// <summary>Bytes of memory behind loans.</summary>
    public long LoansPresent { get; }

    /// <summary>How often no loan was to be had.</summary>
    public long LoansExhausted { get; }
}
