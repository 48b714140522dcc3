namespace Ipc.Tool;

/// <summary>A ring: of its own, or one of a connection's two.</summary>
internal sealed record RingReport
{
    public required ulong Capacity { get; init; }

    public required ulong DataOffset { get; init; }

    /// <summary>Participant index; null none, and in a connection.</summary>
    public int? Writer { get; init; }

    public required string WriterState { get; init; }

    public int? Reader { get; init; }

    public required string ReaderState { get; init; }

    /// <summary>On which it last waited or woke the reader; null: not known. On the reader's processor it cannot be spun for: the reader sleeps at once.</summary>
    public int? WriterProcessor { get; init; }

    /// <summary>The same of the reader.</summary>
    public int? ReaderProcessor { get; init; }

    /// <summary>How it waits for room; null: it does not say.</summary>
    public SpinReport? WriterSpin { get; init; }

    /// <summary>How it waits for records.</summary>
    public SpinReport? ReaderSpin { get; init; }

    public required ulong ReadPosition { get; init; }

    public required ulong FreePosition { get; init; }

    /// <summary>The end of what is published.</summary>
    public required ulong Tail { get; init; }

    /// <summary>Records published and not released.</summary>
    public required long Records { get; init; }

    /// <summary>The walk ended early: there are more.</summary>
    public bool More { get; init; }

    /// <summary>Bytes that they take, with their headers.</summary>
    public required ulong Used { get; init; }

    public required WaiterReport Data { get; init; }

    public required WaiterReport Space { get; init; }
}
