namespace Ipc;

/// <summary>A look at a topic; each number is right at some moment during the call.</summary>
public sealed class TopicInfo
{
    internal TopicInfo()
    {
    }

    /// <summary>Bytes of a message that stands in its slot.</summary>
    public int BlockSize { get; internal set; }

    /// <summary>How many messages the topic holds.</summary>
    public int BlockCount { get; internal set; }

    /// <summary>Readers that are attached and not cut off.</summary>
    public int Readers { get; internal set; }

    /// <summary>Writers that are attached.</summary>
    public int Writers { get; internal set; }

    /// <summary>How many readers there is room for.</summary>
    public int MaxReaders { get; internal set; }

    /// <summary>How many writers there is room for.</summary>
    public int MaxWriters { get; internal set; }

    /// <summary>The position of the next message.</summary>
    public long Tail { get; internal set; }

    /// <summary>How many readers were cut off, ever.</summary>
    public long Evictions { get; internal set; }

    /// <summary>How many messages this reader has lost; 0 for a writer.</summary>
    public long Lost { get; internal set; }

    /// <summary>How many messages lie between this reader's place and the tail; for a writer: the most that any reader
    /// which it waits for has not released.</summary>
    public long Behind { get; internal set; }

    /// <summary>Bytes that loans may take; 0: there are none.</summary>
    public long LoanBudget { get; internal set; }

    /// <summary>Bytes that they take now, used or not.</summary>
    public long LoansPresent { get; internal set; }

    /// <summary>How often there was no loan to be had.</summary>
    public long LoansExhausted { get; internal set; }
}
