namespace Ipc.Native;

/// <summary>Numbers of now, though not all of one moment: <c>ipc_topic_info</c>.</summary>
public sealed class NativeTopicInfo
{
    internal NativeTopicInfo(in TopicInfoData data)
    {
        BlockSize = checked((int)data.BlockSize);
        BlockCount = checked((int)data.BlockCount);
        MaxReaders = checked((int)data.MaxReaders);
        Readers = checked((int)data.Readers);
        Writers = checked((int)data.Writers);
        Tail = unchecked((long)data.Tail);
        Behind = unchecked((long)data.Behind);
        Lost = unchecked((long)data.Lost);
        Conflated = unchecked((long)data.Conflated);
        Evictions = unchecked((long)data.Evictions);
        LoanBudget = unchecked((long)data.LoanBudget);
        LoansPresent = unchecked((long)data.LoansPresent);
        LoansExhausted = unchecked((long)data.LoansExhausted);
    }

    /// <summary>Payload bytes of a slot.</summary>
    public int BlockSize { get; }

    /// <summary>Slots.</summary>
    public int BlockCount { get; }

    /// <summary>Readers that there is room for.</summary>
    public int MaxReaders { get; }

    /// <summary>Readers that are attached and not evicted.</summary>
    public int Readers { get; }

    /// <summary>Writers that are attached.</summary>
    public int Writers { get; }

    /// <summary>Position of the next message.</summary>
    public long Tail { get; }

    /// <summary>A reader's: messages that it has not released. A writer's: those of the slowest reader that it waits for.</summary>
    public long Behind { get; }

    /// <summary>A reader's: messages that it has missed, in all.</summary>
    public long Lost { get; }

    /// <summary>A reader's: messages that were passed over for a newer one of the same key, in all.</summary>
    public long Conflated { get; }

    /// <summary>Readers that writers have cut off, in all.</summary>
    public long Evictions { get; }

    /// <summary>Bytes for messages longer than a slot.</summary>
    public long LoanBudget { get; }

    /// <summary>Bytes of memory behind loans.</summary>
    public long LoansPresent { get; }

    /// <summary>How often no loan was to be had.</summary>
    public long LoansExhausted { get; }
}
