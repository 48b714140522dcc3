using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;

namespace Ipc.Tool;

/// <summary>A topic, docs/wire-format.md section 10.</summary>
internal static class TopicInspector
{
    private const ulong QuickSlots = 8192;
    private static readonly string[] s_policies = ["reliable", "evict", "lossy", "latest"];

    public static unsafe void Read(RegionLook look, RegionReport report, InspectionDepth depth)
    {
        TopicHeader header = look.Read<TopicHeader>(look.Body, "a topic's header");
        Check(look, header);
        uint flags = header.Flags;
        List<TopicReaderReport> readers = Readers(look, header, report);
        if (depth == InspectionDepth.Full || header.SlotCount <= QuickSlots)
            WalkSlots(look, header, report);

        ulong? slowest = readers.Where(static r => r.State == "active").Select(static r => (ulong?)r.Behind).Max();
        report.Depth = slowest is null ? null : (long)Math.Min(slowest.Value, long.MaxValue);
        report.DepthText = slowest is null ? "no readers" : $"{slowest} behind of {header.SlotCount}";
        report.Counters = new Counters(report.Id!, "messages", header.Tail, null);
        report.Topic = new TopicReport
        {
            BlockSize = header.BlockSize,
            SlotCount = header.SlotCount,
            MaxReaders = header.MaxReaders,
            SingleWriter = (flags & TopicHeader.SingleWriterFlag) != 0,
            Policies = [.. s_policies.Where((_, policy) => (flags >> TopicHeader.PolicyShift >> policy & 1) != 0)],
            Tail = header.Tail,
            Written = header.Tail >= header.SlotCount ? header.Tail - header.SlotCount : 0,
            Evictions = header.Evictions,
            Readers = readers,
            Data = WaiterReport.Of(header.Data),
            Space = WaiterReport.Of(header.Space),
        };
        if (header.PoolOffset != 0)
            report.Pool = PoolInspector.Read(look, header.PoolOffset, report);
    }

    public static void Check(RegionLook look, in TopicHeader header)
    {
        KindInspector.CheckMagic(header.Magic, TopicHeader.MagicValue, "topic");
        if (header.BlockSize is < SlotHeader.MinBlockSize or > SlotHeader.MaxBlockSize || header.BlockSize % 8 != 0)
            throw new DamageException($"blocks of {header.BlockSize} bytes; a multiple of 8 from {SlotHeader.MinBlockSize} to {SlotHeader.MaxBlockSize} was expected");
        if (header.SlotCount is < SlotHeader.MinSlotCount or > SlotHeader.MaxSlotCount || (header.SlotCount & (header.SlotCount - 1)) != 0)
            throw new DamageException($"{header.SlotCount} slots; a power of two from {SlotHeader.MinSlotCount} to {SlotHeader.MaxSlotCount} was expected");
        if (header.Stride != SlotHeader.StrideOf(header.BlockSize))
            throw new DamageException($"slots {header.Stride} bytes apart; {SlotHeader.StrideOf(header.BlockSize)} were expected");
        if (header.MaxReaders is 0 or > TopicHeader.MaxReaderCount || header.MaxReaders > (uint)look.Geometry.ParticipantCapacity)
            throw new DamageException($"{header.MaxReaders} readers at most, of {look.Geometry.ParticipantCapacity} participants");
        if (header.SlotsOffset % 4096 != 0 || header.SlotsOffset > look.Size || header.SlotCount * header.Stride > look.Size - header.SlotsOffset)
            throw new DamageException($"slots of {header.SlotCount * header.Stride} bytes at {header.SlotsOffset} do not end within {look.Size}");
        if (header.Tail < header.SlotCount)
            throw new DamageException($"the tail is {header.Tail}; it begins at {header.SlotCount}");
    }

    public static ulong SlotOffset(in TopicHeader header, ulong position) => header.SlotsOffset + (position & (header.SlotCount - 1)) * header.Stride;

    private static List<TopicReaderReport> Readers(RegionLook look, in TopicHeader header, RegionReport report)
    {
        byte[] entries = new byte[header.MaxReaders * TopicReaderEntry.ByteSize];
        look.Read(header.ReadersOffset, entries, "the readers of a topic");
        ulong tail = header.Tail;
        List<TopicReaderReport> readers = [];
        for (int index = 0; index < (int)header.MaxReaders; index++)
        {
            var entry = MemoryMarshal.Read<TopicReaderEntry>(entries.AsSpan(index * TopicReaderEntry.ByteSize));
            uint phase = TopicReaderEntry.PhaseOf(entry.State);
            if (phase == TopicReaderEntry.None)
                continue;
            if (phase > TopicReaderEntry.Evicted || entry.Policy >= s_policies.Length)
            {
                report.Damage.Add($"reader {index}: state {phase}, policy {entry.Policy}; at most 2 and 3 were expected");
                continue;
            }

            readers.Add(new TopicReaderReport
            {
                Participant = index,
                State = phase == TopicReaderEntry.Active ? "active" : "evicted",
                Policy = s_policies[entry.Policy],
                Cursor = entry.Cursor,
                Behind = tail > entry.Cursor ? tail - entry.Cursor : 0,
                Lost = entry.Lost,
                Joined = entry.Joined,
                EvictedAt = phase == TopicReaderEntry.Evicted ? entry.EvictedAt : null,
            });
            if (phase == TopicReaderEntry.Active && entry.Policy <= 1 && tail > entry.Cursor && tail - entry.Cursor >= header.SlotCount)
                report.Notes.Add($"reader {index} ({s_policies[entry.Policy]}) is a whole lap behind: writers wait for it");
        }

        return readers;
    }

    private static void WalkSlots(RegionLook look, in TopicHeader header, RegionReport report)
    {
        var walk = new SlotWalk(look, header.Stride);
        for (uint index = 0; index < header.SlotCount; index++)
        {
            ulong word = walk.At(SlotOffset(header, index)).State;
            uint phase = SlotState.PhaseOf(word);
            ulong flags = word & 0xFF00;
            if (phase is SlotState.Reading or > SlotState.Gap || (flags & ~(phase == SlotState.Gap ? SlotState.Reclaimed : 0)) != 0)
                report.Damage.Add($"slot {index}: the word 0x{word:X16} is none of a topic");
            else if (phase == SlotState.Writing)
                KindInspector.Hold(report, SlotState.OwnerOf(word), $"writes slot {index}");
        }
    }
}
