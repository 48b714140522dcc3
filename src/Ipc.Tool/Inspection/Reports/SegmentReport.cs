namespace Ipc.Tool;

/// <summary>The hints of one segment of a queue.</summary>
internal sealed record SegmentReport(uint Index, ulong Tail, ulong Head, ulong NextSequence, uint NextSegment);
