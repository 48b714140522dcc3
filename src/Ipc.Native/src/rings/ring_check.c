/* What a ring's header and a record's header word may say. */
#include "rings/ring.h"

#include <inttypes.h>

ipc_status ipc_ring_check_capacity(uint64_t capacity)
{
    if (capacity < IPC_RING_CAPACITY_MIN || capacity > IPC_RING_CAPACITY_MAX || (capacity & (capacity - 1)) != 0)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "a ring's capacity is a power of two from %llu to %llu, not %" PRIu64,
                        IPC_RING_CAPACITY_MIN, IPC_RING_CAPACITY_MAX, capacity);
    return IPC_OK;
}

void ipc_ring_write_header(ipc_ring_header *header, uint64_t capacity, uint64_t data_offset, uint64_t pool_offset)
{
    header->magic = IPC_RING_MAGIC;
    header->capacity = capacity;
    header->data_offset = data_offset;
    header->pool_offset = pool_offset;
}

static ipc_status locate_pool(const ipc_region *region, uint64_t offset, uint64_t pool_offset, ipc_ring *ring)
{
    ipc_status status = ipc_pool_locate(region, pool_offset, &ring->pool);
    if (status != IPC_OK || !ipc_pool_exists(&ring->pool))
        return status;
    const uint64_t pool_end = pool_offset + ipc_pool_size(ring->pool.budget);
    const uint64_t data_offset = (uint64_t)(ring->data - region->base);
    if ((pool_offset < data_offset + ring->capacity && data_offset < pool_end) ||
        (pool_offset < offset + IPC_RING_HEADER_SIZE && offset < pool_end))
        return ipc_fail(IPC_E_CORRUPT,
                        "%s has a pool at %" PRIu64 "..%" PRIu64 " that covers its ring (header at %" PRIu64
                        ", data at %" PRIu64 ")",
                        region->path, pool_offset, pool_end, offset, data_offset);
    return IPC_OK;
}

ipc_status ipc_ring_locate(const ipc_region *region, uint64_t offset, ipc_ring *ring)
{
    const uint64_t body = region->geometry.body_offset;
    const uint64_t end = body + region->geometry.body_size;
    if (offset % IPC_REGION_BODY_ALIGNMENT != 0 || offset < body || offset > end || end - offset < IPC_RING_HEADER_SIZE)
        return ipc_fail(IPC_E_CORRUPT,
                        "%s has a ring header at %" PRIu64 ", outside its body (%" PRIu64 "..%" PRIu64 ")",
                        region->path, offset, body, end);

    ipc_ring_header *header = ipc_region_at(region, offset);
    const uint32_t magic = *(volatile uint32_t *)&header->magic; /* once: the peer can still write it */
    const uint64_t capacity = *(volatile uint64_t *)&header->capacity;
    const uint64_t data_offset = *(volatile uint64_t *)&header->data_offset;
    const uint64_t pool_offset = *(volatile uint64_t *)&header->pool_offset;
    if (magic != IPC_RING_MAGIC)
        return ipc_fail(IPC_E_CORRUPT, "%s has %08x where a ring's magic %08x should be", region->path, magic,
                        IPC_RING_MAGIC);
    if (capacity < IPC_RING_CAPACITY_MIN || capacity > IPC_RING_CAPACITY_MAX || (capacity & (capacity - 1)) != 0)
        return ipc_fail(IPC_E_CORRUPT, "%s has a ring of %" PRIu64 " bytes, not a power of two from %llu to %llu",
                        region->path, capacity, IPC_RING_CAPACITY_MIN, IPC_RING_CAPACITY_MAX);
    if (data_offset % IPC_RING_DATA_ALIGN != 0 || data_offset < body || data_offset > end ||
        end - data_offset < capacity)
        return ipc_fail(IPC_E_CORRUPT, "%s has its ring's %" PRIu64 " bytes at %" PRIu64 ", the body ends at %" PRIu64,
                        region->path, capacity, data_offset, end);
    if (data_offset < offset + IPC_RING_HEADER_SIZE && offset < data_offset + capacity)
        return ipc_fail(IPC_E_CORRUPT, "%s has a ring whose data at %" PRIu64 " covers its own header at %" PRIu64,
                        region->path, data_offset, offset);
    ring->header = header;
    ring->data = ipc_region_at(region, data_offset);
    ring->capacity = capacity;
    ring->present = 0;
    ring->region = region;
    ring->owner = 1;
    return locate_pool(region, offset, pool_offset, ring);
}

ipc_status ipc_ring_locate_present(ipc_ring *ring)
{
    const uint64_t present = *(volatile uint64_t *)&ring->header->present; /* once: the peer can still write it */
    if (present % IPC_RING_DATA_ALIGN != 0 || present > ring->capacity)
        return ipc_fail(IPC_E_CORRUPT,
                        "%s has a ring of %" PRIu64 " bytes of which %" PRIu64 " have memory: not a multiple of %llu, "
                        "or more than all",
                        ring->region->path, ring->capacity, present, IPC_RING_DATA_ALIGN);
    ring->present = present == ring->capacity ? 0 : present;
    return IPC_OK;
}

typedef struct extent {
    uint64_t from;
    uint64_t to;
} extent;

static bool overlap(extent a, extent b)
{
    return a.from < b.to && b.from < a.to;
}

ipc_status ipc_ring_check_apart(const ipc_region *region, uint64_t header_size, const ipc_ring *to_server,
                                const ipc_ring *to_client)
{
    const uint64_t body = region->geometry.body_offset;
    const ipc_ring *const rings[2] = {to_server, to_client};
    extent extents[7] = {{body, body + header_size}};
    for (int i = 0; i < 2; i++) {
        const uint64_t header = (uint64_t)((uint8_t *)rings[i]->header - region->base);
        const uint64_t data = (uint64_t)(rings[i]->data - region->base);
        const ipc_pool *pool = &rings[i]->pool; /* none: at 0, of no bytes */
        extents[1 + 3 * i] = (extent){header, header + IPC_RING_HEADER_SIZE};
        extents[2 + 3 * i] = (extent){data, data + rings[i]->capacity};
        extents[3 + 3 * i] = (extent){pool->offset, pool->offset + ipc_pool_size(pool->budget)};
    }
    for (int i = 0; i < 7; i++) {
        for (int k = i + 1; k < 7; k++) {
            if (overlap(extents[i], extents[k]))
                return ipc_fail(IPC_E_CORRUPT,
                                "%s has parts that overlap: %" PRIu64 "..%" PRIu64 " and %" PRIu64 "..%" PRIu64,
                                region->path, extents[i].from, extents[i].to, extents[k].from, extents[k].to);
        }
    }
    return IPC_OK;
}

bool ipc_record_decode(uint64_t word, uint64_t capacity, uint64_t position, ipc_record_view *view)
{
    const uint64_t to_end = capacity - (position & (capacity - 1));
    if ((word & IPC_RECORD_PUBLISHED) == 0 || (word & (IPC_RECORD_RESERVED | IPC_RECORD_LOAN)) != 0)
        return false;
    view->length = (uint32_t)word;
    view->type = (uint16_t)(word >> 32);
    view->padding = (word & IPC_RECORD_PADDING) != 0;
    if (view->padding) {
        view->size = (uint64_t)view->length + IPC_RECORD_HEADER_SIZE;
        return view->size == to_end;
    }
    view->size = ipc_record_size(view->length);
    return view->size <= to_end && view->size <= capacity / 2;
}

bool ipc_record_decode_any(const ipc_ring *ring, uint64_t word, uint64_t position, ipc_record_view *view)
{
    const bool is_loan = ipc_pool_exists(&ring->pool) && ipc_record_is_loan(word);
    return ipc_record_decode(is_loan ? word & ~IPC_RECORD_LOAN : word, ring->capacity, position, view);
}
