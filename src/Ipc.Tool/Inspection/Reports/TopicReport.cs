using System.Collections.Generic;

namespace Ipc.Tool;

/// <summary>A topic's measures, counters and readers.</summary>
internal sealed record TopicReport
{
    public required uint BlockSize { get; init; }

    public required uint SlotCount { get; init; }

    public required uint MaxReaders { get; init; }

    public required bool SingleWriter { get; init; }

    /// <summary>Policies that readers may choose.</summary>
    public required string[] Policies { get; init; }

    /// <summary>The next position.</summary>
    public required ulong Tail { get; init; }

    /// <summary>Messages so far.</summary>
    public required ulong Written { get; init; }

    public required ulong Evictions { get; init; }

    public required List<TopicReaderReport> Readers { get; init; }

    public required WaiterReport Data { get; init; }

    public required WaiterReport Space { get; init; }
}
