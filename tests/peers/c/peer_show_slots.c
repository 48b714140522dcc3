/* peer region-show: queues, topics and pools, by the offsets of docs/wire-format.md. */
#include "peer.h"

#include "regions/region.h"
#include "peer_show.h"

#include <inttypes.h>

static uint64_t word(const ipc_region *region, uint64_t offset, unsigned width)
{
    if (offset > region->geometry.total_size - 8)
        return 0;
    return width == 2   ? *(const uint16_t *)ipc_region_at(region, offset)
           : width == 4 ? ipc_load_relaxed32(ipc_region_at(region, offset))
                        : ipc_load_relaxed64(ipc_region_at(region, offset));
}

/* A field that is there only when it is not zero: most of a region is nothing. */
static uint64_t show(const char *prefix, const char *key, const ipc_region *region, uint64_t offset, unsigned width)
{
    const uint64_t value = word(region, offset, width);
    if (value != 0)
        printf("%s%s %" PRIu64 "\n", prefix, key, value);
    return value;
}

static void show_waiter(const char *key, const ipc_region *region, uint64_t offset)
{
    show(key, ".word", region, offset, 4);
    show(key, ".fence_required", region, offset + 4, 4);
    show(key, ".wanted", region, offset + 8, 4);
}

static void show_slot(const char *prefix, const ipc_region *region, uint64_t offset)
{
    if (word(region, offset, 8) == 0)
        return;
    printf("%sstate %016" PRIx64 "\n", prefix, word(region, offset, 8));
    show(prefix, "length", region, offset + 8, 4);
    show(prefix, "type", region, offset + 12, 2);
    show(prefix, "flags", region, offset + 14, 2);
    show(prefix, "key", region, offset + 16, 8);
    show(prefix, "loan_lap", region, offset + 24, 4);
}

void peer_show_pool(const ipc_region *region, uint64_t pool)
{
    show("pool.", "magic", region, pool, 4);
    const uint64_t classes = show("pool.", "classes", region, pool + 4, 4),
                   budget = show("pool.", "budget", region, pool + 8, 8);
    show("pool.", "exhausted", region, pool + 128, 8);
    uint64_t block = pool + 4096;
    for (uint64_t k = 0; k < classes && k < 32; k++) {
        const uint64_t fits = budget >> (12 + k), count = fits > 256 ? 256 : fits < 1 ? 1 : fits;
        for (uint64_t i = 0; i < count; i++, block += 32) {
            char prefix[48];
            (void)snprintf(prefix, sizeof prefix, "block.%" PRIu64 ".%" PRIu64 ".", k, i);
            show(prefix, "state", region, block, 8);
            show(prefix, "holder", region, block + 8, 8);
            show(prefix, "claimed", region, block + 16, 4);
            show(prefix, "present", region, block + 20, 4);
        }
    }
}

void peer_show_queue(const ipc_region *region)
{
    const uint64_t body = region->geometry.body_offset;
    char prefix[48];
    show("queue.", "magic", region, body, 4);
    show("queue.", "block_size", region, body + 4, 4);
    const uint64_t slots = show("queue.", "slot_count", region, body + 8, 4),
                   limit = show("queue.", "segment_limit", region, body + 12, 4);
    const uint64_t stride = show("queue.", "stride", region, body + 16, 8),
                   offset = show("queue.", "segments_offset", region, body + 24, 8);
    const uint64_t segment_stride = show("queue.", "segment_stride", region, body + 32, 8);
    show("queue.", "flags", region, body + 40, 4);
    show("queue.", "min_expansion_distance", region, body + 44, 4);
    const uint64_t pool = show("queue.", "pool_offset", region, body + 48, 8),
                   segments = show("queue.", "segments", region, body + 128, 4);
    show("queue.", "growth_failures", region, body + 132, 4);
    show("queue.", "send", region, body + 256, 8);
    show("queue.", "receive", region, body + 384, 8);
    show_waiter("queue.data", region, body + 512);
    show_waiter("queue.space", region, body + 640);
    show("queue.", "orphans", region, body + 768, 8);
    show("queue.", "orphans_cleared", region, body + 776, 8);
    show("queue.", "redelivered", region, body + 896, 8);
    show("queue.", "dropped", region, body + 904, 8);
    for (uint64_t s = 0; s < limit && s < 256; s++) {
        (void)snprintf(prefix, sizeof prefix, "segment.%" PRIu64 ".", s);
        show(prefix, "tail", region, body + 1024 + 384 * s, 8);
        show(prefix, "head", region, body + 1024 + 384 * s + 128, 8);
        show(prefix, "next", region, body + 1024 + 384 * s + 256, 8);
        for (uint64_t i = 0; s < segments && i < slots; i++) {
            (void)snprintf(prefix, sizeof prefix, "slot.%" PRIu64 ".%" PRIu64 ".", s, i);
            show_slot(prefix, region, offset + s * segment_stride + i * stride);
        }
    }
    if (pool != 0)
        peer_show_pool(region, pool);
}

void peer_show_topic(const ipc_region *region)
{
    const uint64_t body = region->geometry.body_offset;
    char prefix[48];
    show("topic.", "magic", region, body, 4);
    show("topic.", "block_size", region, body + 4, 4);
    const uint64_t slots = show("topic.", "slot_count", region, body + 8, 4);
    show("topic.", "max_readers", region, body + 12, 4);
    const uint64_t stride = show("topic.", "stride", region, body + 16, 8),
                   offset = show("topic.", "slots_offset", region, body + 24, 8);
    const uint64_t readers = show("topic.", "readers_offset", region, body + 32, 8);
    show("topic.", "flags", region, body + 40, 4);
    const uint64_t pool = show("topic.", "pool_offset", region, body + 48, 8);
    show("topic.", "tail", region, body + 128, 8);
    show("topic.", "evictions", region, body + 136, 8);
    show_waiter("topic.data", region, body + 256);
    show_waiter("topic.space", region, body + 384);
    for (uint64_t i = 0; i < 64; i++) {
        (void)snprintf(prefix, sizeof prefix, "active.%" PRIu64, i);
        show(prefix, "", region, body + 512 + 8 * i, 8);
    }
    for (uint64_t i = 0; i < region->geometry.participant_capacity; i++) {
        (void)snprintf(prefix, sizeof prefix, "reader.%" PRIu64 ".", i);
        show(prefix, "state", region, readers + 128 * i, 4);
        show(prefix, "policy", region, readers + 128 * i + 4, 4);
        show(prefix, "cursor", region, readers + 128 * i + 8, 8);
        show(prefix, "lost", region, readers + 128 * i + 16, 8);
        show(prefix, "joined", region, readers + 128 * i + 24, 8);
        show(prefix, "evicted_at", region, readers + 128 * i + 32, 8);
    }
    for (uint64_t i = 0; i < slots; i++) {
        (void)snprintf(prefix, sizeof prefix, "slot.%" PRIu64 ".", i);
        show_slot(prefix, region, offset + i * stride);
    }
    if (pool != 0)
        peer_show_pool(region, pool);
}
