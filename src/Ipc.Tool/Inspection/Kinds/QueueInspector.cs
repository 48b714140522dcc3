using System;
using System.Collections.Generic;

namespace Ipc.Tool;

/// <summary>A queue, docs/wire-format.md section 9.</summary>
internal static class QueueInspector
{
    /// <summary>So many slots are walked even for a list; the hints have to do for more.</summary>
    private const ulong QuickSlots = 8192;

    public static void Read(RegionLook look, RegionReport report, InspectionDepth depth)
    {
        QueueHeader header = look.Read<QueueHeader>(look.Body, "a queue's header");
        Check(look, header);
        List<SegmentReport> chain = [];
        ulong sent = 0, received = 0;
        for (uint segment = 0; segment < header.Segments; segment++)
        {
            QueueSegmentHeader hints = look.Read<QueueSegmentHeader>(look.Body + QueueHeader.ByteSize + segment * QueueSegmentHeader.ByteSize, "a segment's header");
            chain.Add(new SegmentReport(segment, hints.Tail, hints.Head, hints.Next >> 16, QueueTurn.SegmentOf(hints.Next)));
            sent += hints.Tail;
            received += hints.Head;
        }

        var counts = new long[SlotState.Reading + 1];
        bool walked = depth == InspectionDepth.Full || (report.Alive == 0 && report.Lifetime == Lifetime.UntilEmpty) || (ulong)header.SlotCount * header.Segments <= QuickSlots;
        if (walked)
        {
            for (uint segment = 0; segment < header.Segments; segment++)
                WalkSegment(look, header, segment, counts, report);
        }

        long hinted = sent >= received ? (long)Math.Min(sent - received, (ulong)header.SlotCount * header.Segments) : 0;
        report.Depth = walked ? counts[SlotState.Ready] : hinted;
        if (walked)
            report.Unread = counts[SlotState.Ready] + ((header.Flags & QueueHeader.DropOrphansFlag) != 0 ? 0 : counts[SlotState.Reading]);
        report.DepthText = $"{(walked ? "" : "~")}{report.Depth} of {(ulong)header.SlotCount * header.SegmentLimit}";
        report.Counters = new Counters(report.Id!, "messages", sent, received);
        report.Queue = new QueueReport
        {
            BlockSize = header.BlockSize,
            SlotCount = header.SlotCount,
            Segments = header.Segments,
            SegmentLimit = header.SegmentLimit,
            DropsOrphans = (header.Flags & QueueHeader.DropOrphansFlag) != 0,
            GrowthFailures = header.GrowthFailures,
            Redelivered = header.Redelivered,
            Dropped = header.Dropped,
            OrphansPending = header.Orphans != header.OrphansCleared,
            SendSegment = QueueTurn.SegmentOf(header.Send),
            ReceiveSegment = QueueTurn.SegmentOf(header.Receive),
            Sent = sent,
            Received = received,
            Ready = walked ? counts[SlotState.Ready] : null,
            Writing = walked ? counts[SlotState.Writing] : null,
            Reading = walked ? counts[SlotState.Reading] : null,
            Chain = chain,
            Data = WaiterReport.Of(header.Data),
            Space = WaiterReport.Of(header.Space),
        };
        if (header.PoolOffset != 0)
            report.Pool = PoolInspector.Read(look, header.PoolOffset, report);
    }

    public static void Check(RegionLook look, in QueueHeader header)
    {
        KindInspector.CheckMagic(header.Magic, QueueHeader.MagicValue, "queue");
        if (header.BlockSize is < SlotHeader.MinBlockSize or > SlotHeader.MaxBlockSize || header.BlockSize % 8 != 0)
            throw new DamageException($"blocks of {header.BlockSize} bytes; a multiple of 8 from {SlotHeader.MinBlockSize} to {SlotHeader.MaxBlockSize} was expected");
        if (header.SlotCount is < SlotHeader.MinSlotCount or > SlotHeader.MaxSlotCount || (header.SlotCount & (header.SlotCount - 1)) != 0)
            throw new DamageException($"{header.SlotCount} slots; a power of two from {SlotHeader.MinSlotCount} to {SlotHeader.MaxSlotCount} was expected");
        if (header.SegmentLimit is 0 or > QueueHeader.MaxSegments || header.Segments == 0 || header.Segments > header.SegmentLimit)
            throw new DamageException($"{header.Segments} of {header.SegmentLimit} segments; 1 to {QueueHeader.MaxSegments} were expected");
        ulong stride = SlotHeader.StrideOf(header.BlockSize);
        ulong segmentStride = (header.SlotCount * stride + QueueHeader.SlotsAlignment - 1) & ~(ulong)(QueueHeader.SlotsAlignment - 1);
        if (header.Stride != stride || header.SegmentStride != segmentStride)
            throw new DamageException($"strides of {header.Stride} and {header.SegmentStride}; {stride} and {segmentStride} were expected");
        ulong headersEnd = look.Body + QueueHeader.ByteSize + header.SegmentLimit * (ulong)QueueSegmentHeader.ByteSize;
        if (header.SegmentsOffset % QueueHeader.SlotsAlignment != 0 || header.SegmentsOffset < headersEnd || header.SegmentsOffset > look.Size ||
            header.SegmentLimit * segmentStride > look.Size - header.SegmentsOffset)
        {
            throw new DamageException($"{header.SegmentLimit} segments of {segmentStride} bytes at {header.SegmentsOffset} do not lie between {headersEnd} and {look.Size}");
        }
    }

    public static ulong SlotOffset(in QueueHeader header, uint segment, ulong position) =>
        header.SegmentsOffset + segment * header.SegmentStride + (position & (header.SlotCount - 1)) * header.Stride;

    private static void WalkSegment(RegionLook look, in QueueHeader header, uint segment, long[] counts, RegionReport report)
    {
        var walk = new SlotWalk(look, header.Stride);
        for (uint index = 0; index < header.SlotCount; index++)
        {
            SlotHeader slot = walk.At(SlotOffset(header, segment, index));
            uint phase = SlotState.PhaseOf(slot.State), flags = (uint)(slot.State >> 8) & 0xFF;
            if (phase > SlotState.Reading || flags > 3)
            {
                report.Damage.Add($"slot {segment}.{index}: the word 0x{slot.State:X16} is none of a queue");
                continue;
            }

            counts[phase]++;
            if (phase == SlotState.Writing)
                KindInspector.Hold(report, SlotState.OwnerOf(slot.State), $"writes slot {segment}.{index}");
            else if (phase == SlotState.Reading)
                KindInspector.Hold(report, SlotState.OwnerOf(slot.State), $"reads slot {segment}.{index} ({slot.Length} bytes)");
        }
    }
}
