using System.Collections.Generic;

namespace Ipc.Tool;

/// <summary>A queue's measures, counters and segments.</summary>
internal sealed record QueueReport
{
    public required uint BlockSize { get; init; }

    /// <summary>Of a segment.</summary>
    public required uint SlotCount { get; init; }

    public required uint Segments { get; init; }

    public required uint SegmentLimit { get; init; }

    public required bool DropsOrphans { get; init; }

    public required uint GrowthFailures { get; init; }

    public required ulong Redelivered { get; init; }

    public required ulong Dropped { get; init; }

    /// <summary>Redelivered messages may be waiting.</summary>
    public required bool OrphansPending { get; init; }

    public required uint SendSegment { get; init; }

    public required uint ReceiveSegment { get; init; }

    /// <summary>Claims so far, as the hints say, over all segments.</summary>
    public required ulong Sent { get; init; }

    public required ulong Received { get; init; }

    /// <summary>Messages ready, being written, being read; null when the slots were not walked.</summary>
    public long? Ready { get; init; }

    public long? Writing { get; init; }

    public long? Reading { get; init; }

    public required List<SegmentReport> Chain { get; init; }

    public required WaiterReport Data { get; init; }

    public required WaiterReport Space { get; init; }
}
