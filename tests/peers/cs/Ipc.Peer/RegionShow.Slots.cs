using System;
using System.Globalization;

namespace Ipc.Peer;

/// <summary>Queues, topics and pools, by the offsets of docs/wire-format.md. A field is shown only when it is not zero: most of a region is nothing.</summary>
internal static unsafe partial class RegionShow
{
    private static ulong Word(MappedView view, ulong offset, int width)
    {
        if (offset > (ulong)view.Size - 8)
            return 0;
        byte* at = view.Base + offset;
        return width switch
        {
            2 => *(ushort*)at,
            4 => *(uint*)at,
            _ => *(ulong*)at,
        };
    }

    private static ulong ShowWord(string key, MappedView view, ulong offset, int width)
    {
        ulong value = Word(view, offset, width);
        if (value != 0)
            Show(key, value);
        return value;
    }

    private static void ShowWaiterAt(string key, MappedView view, ulong offset)
    {
        ShowWord(key + ".word", view, offset, 4);
        ShowWord(key + ".fence_required", view, offset + 4, 4);
        ShowWord(key + ".wanted", view, offset + 8, 4);
    }

    private static void ShowSlot(string prefix, MappedView view, ulong offset)
    {
        ulong state = Word(view, offset, 8);
        if (state == 0)
            return;
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{prefix}state {state:x16}"));
        ShowWord(prefix + "length", view, offset + 8, 4);
        ShowWord(prefix + "type", view, offset + 12, 2);
        ShowWord(prefix + "flags", view, offset + 14, 2);
        ShowWord(prefix + "key", view, offset + 16, 8);
        ShowWord(prefix + "loan_lap", view, offset + 24, 4);
    }

    private static void ShowPool(MappedView view, ulong pool)
    {
        ShowWord("pool.magic", view, pool, 4);
        ulong classes = ShowWord("pool.classes", view, pool + 4, 4), budget = ShowWord("pool.budget", view, pool + 8, 8);
        ShowWord("pool.exhausted", view, pool + 128, 8);
        ulong block = pool + 4096;
        for (int k = 0; k < (int)Math.Min(classes, 32); k++)
        {
            ulong count = Math.Min(256, Math.Max(1, budget >> (12 + k)));
            for (ulong i = 0; i < count; i++, block += 32)
            {
                string prefix = $"block.{k}.{i}.";
                ShowWord(prefix + "state", view, block, 8);
                ShowWord(prefix + "holder", view, block + 8, 8);
                ShowWord(prefix + "claimed", view, block + 16, 4);
                ShowWord(prefix + "present", view, block + 20, 4);
            }
        }
    }

    private static void ShowQueue(MappedView view, in RegionGeometry geometry)
    {
        ulong body = geometry.BodyOffset;
        ShowWord("queue.magic", view, body, 4);
        ShowWord("queue.block_size", view, body + 4, 4);
        ulong slots = ShowWord("queue.slot_count", view, body + 8, 4), limit = ShowWord("queue.segment_limit", view, body + 12, 4);
        ulong stride = ShowWord("queue.stride", view, body + 16, 8), offset = ShowWord("queue.segments_offset", view, body + 24, 8);
        ulong segmentStride = ShowWord("queue.segment_stride", view, body + 32, 8);
        ShowWord("queue.flags", view, body + 40, 4);
        ShowWord("queue.min_expansion_distance", view, body + 44, 4);
        ulong pool = ShowWord("queue.pool_offset", view, body + 48, 8), segments = ShowWord("queue.segments", view, body + 128, 4);
        ShowWord("queue.growth_failures", view, body + 132, 4);
        ShowWord("queue.send", view, body + 256, 8);
        ShowWord("queue.receive", view, body + 384, 8);
        ShowWaiterAt("queue.data", view, body + 512);
        ShowWaiterAt("queue.space", view, body + 640);
        ShowWord("queue.orphans", view, body + 768, 8);
        ShowWord("queue.orphans_cleared", view, body + 776, 8);
        ShowWord("queue.redelivered", view, body + 896, 8);
        ShowWord("queue.dropped", view, body + 904, 8);
        for (ulong s = 0; s < limit && s < 256; s++)
        {
            ulong header = body + 1024 + 384 * s;
            ShowWord($"segment.{s}.tail", view, header, 8);
            ShowWord($"segment.{s}.head", view, header + 128, 8);
            ShowWord($"segment.{s}.next", view, header + 256, 8);
            for (ulong i = 0; s < segments && i < slots; i++)
                ShowSlot($"slot.{s}.{i}.", view, offset + s * segmentStride + i * stride);
        }
        if (pool != 0)
            ShowPool(view, pool);
    }

    private static void ShowTopic(MappedView view, in RegionGeometry geometry)
    {
        ulong body = geometry.BodyOffset;
        ShowWord("topic.magic", view, body, 4);
        ShowWord("topic.block_size", view, body + 4, 4);
        ulong slots = ShowWord("topic.slot_count", view, body + 8, 4);
        ShowWord("topic.max_readers", view, body + 12, 4);
        ulong stride = ShowWord("topic.stride", view, body + 16, 8), offset = ShowWord("topic.slots_offset", view, body + 24, 8);
        ulong readers = ShowWord("topic.readers_offset", view, body + 32, 8);
        ShowWord("topic.flags", view, body + 40, 4);
        ulong pool = ShowWord("topic.pool_offset", view, body + 48, 8);
        ShowWord("topic.tail", view, body + 128, 8);
        ShowWord("topic.evictions", view, body + 136, 8);
        ShowWaiterAt("topic.data", view, body + 256);
        ShowWaiterAt("topic.space", view, body + 384);
        for (ulong i = 0; i < 64; i++)
            ShowWord($"active.{i}", view, body + 512 + 8 * i, 8);
        for (ulong i = 0; i < (ulong)geometry.ParticipantCapacity; i++)
        {
            string prefix = $"reader.{i}.";
            ulong entry = readers + 128 * i;
            ShowWord(prefix + "state", view, entry, 4);
            ShowWord(prefix + "policy", view, entry + 4, 4);
            ShowWord(prefix + "cursor", view, entry + 8, 8);
            ShowWord(prefix + "lost", view, entry + 16, 8);
            ShowWord(prefix + "joined", view, entry + 24, 8);
            ShowWord(prefix + "evicted_at", view, entry + 32, 8);
        }
        for (ulong i = 0; i < slots; i++)
            ShowSlot($"slot.{i}.", view, offset + i * stride);
        if (pool != 0)
            ShowPool(view, pool);
    }
}
