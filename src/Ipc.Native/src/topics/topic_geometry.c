/* Where things are in a topic's region: what options make of it, how it is written, and how it is believed. */
#include "topics/topic.h"

#include <inttypes.h>
#include <string.h>

#define DEFAULT_BLOCK_SIZE  1024u
#define DEFAULT_BLOCK_COUNT 1024u
#define DEFAULT_READERS     64u
#define DEFAULT_WRITERS     64u
#define WRITERS_MAX         (IPC_PARTICIPANT_CAPACITY_MAX - IPC_TOPIC_READERS_MAX)

/* ---- geometry ---------------------------------------------------------------------------------------- */

typedef struct plan {
    uint32_t block_size;
    uint32_t slot_count;
    uint32_t max_readers;
    uint32_t participants;
    uint32_t flags;
    uint64_t readers_offset;
    uint64_t slots_offset;
    uint64_t pool_offset; /* 0 none */
    uint64_t body_offset;
    uint64_t reserved_size; /* has memory from the start; the pool's blocks behind it get it when needed */
    uint64_t total_size;
} plan;

static uint64_t rounded_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static uint32_t power_of_two(uint32_t count)
{
    uint32_t power = IPC_BLOCK_COUNT_MIN;
    while (power < count)
        power *= 2;
    return power;
}

static uint32_t or_default(uint32_t value, uint32_t otherwise)
{
    return value == 0 ? otherwise : value;
}

ipc_status ipc_topic_check_options(const ipc_topic_options *options)
{
    const uint32_t block_size = or_default(options->block_size, DEFAULT_BLOCK_SIZE);
    const uint32_t block_count = or_default(options->block_count, DEFAULT_BLOCK_COUNT);
    if (block_size < IPC_BLOCK_SIZE_MIN || block_size > IPC_BLOCK_SIZE_MAX)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "a topic's blocks have %u to %u bytes, not %u", IPC_BLOCK_SIZE_MIN,
                        IPC_BLOCK_SIZE_MAX, block_size);
    if (block_count < IPC_BLOCK_COUNT_MIN || block_count > IPC_BLOCK_COUNT_MAX)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "a topic has %u to %u blocks, not %u", IPC_BLOCK_COUNT_MIN,
                        IPC_BLOCK_COUNT_MAX, block_count);
    if (options->max_readers > IPC_TOPIC_READERS_MAX)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "a topic has 1 to %u readers, not %u", IPC_TOPIC_READERS_MAX,
                        options->max_readers);
    if (options->max_writers > WRITERS_MAX)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "a topic has 1 to %u writers, not %u", WRITERS_MAX,
                        options->max_writers);
    if ((options->allowed_policies & ~IPC_TOPIC_POLICIES) != 0)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "allowed_policies has the bits %x, there are only the policies %x",
                        options->allowed_policies, IPC_TOPIC_POLICIES);
    if ((unsigned)options->policy > IPC_LATEST)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "policy %d is none of the four", (int)options->policy);
    if ((unsigned)options->join > IPC_JOIN_LAST)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "join %d is none of the three", (int)options->join);
    uint64_t budget = 0;
    return ipc_pool_budget(options->loan_budget, &budget);
}

static plan plan_of(const ipc_topic_options *options, uint64_t budget)
{
    plan made = {
        .block_size = (uint32_t)rounded_up(or_default(options->block_size, DEFAULT_BLOCK_SIZE), 8),
        .slot_count = power_of_two(or_default(options->block_count, DEFAULT_BLOCK_COUNT)),
        .max_readers = or_default(options->max_readers, DEFAULT_READERS),
    };
    const uint32_t policies = or_default(options->allowed_policies, IPC_TOPIC_POLICIES);
    made.participants = made.max_readers + or_default(options->max_writers, DEFAULT_WRITERS);
    made.flags = policies << IPC_TOPIC_POLICY_SHIFT | (options->single_writer ? IPC_TOPIC_SINGLE_WRITER : 0);
    made.body_offset = IPC_PARTICIPANT_OFFSET + (uint64_t)IPC_PARTICIPANT_SIZE * made.participants;
    made.readers_offset = made.body_offset + IPC_TOPIC_HEADER_SIZE;
    made.slots_offset =
        rounded_up(made.readers_offset + (uint64_t)IPC_TOPIC_READER_SIZE * made.participants, IPC_TOPIC_SLOTS_ALIGN);
    made.reserved_size =
        rounded_up(made.slots_offset + made.slot_count * ipc_block_stride(made.block_size), IPC_REGION_SIZE_UNIT);
    made.pool_offset = budget == 0 ? 0 : made.reserved_size;
    made.total_size = made.reserved_size + ipc_pool_size(budget);
    made.reserved_size += ipc_pool_reserve(budget);
    return made;
}

static ipc_topic_header *header_of(const ipc_region *region)
{
    return ipc_region_at(region, region->geometry.body_offset);
}

static void write_header(ipc_topic_header *header, const plan *made)
{
    header->magic = IPC_TOPIC_MAGIC;
    header->block_size = made->block_size;
    header->slot_count = made->slot_count;
    header->max_readers = made->max_readers;
    header->stride = ipc_block_stride(made->block_size);
    header->slots_offset = made->slots_offset;
    header->readers_offset = made->readers_offset;
    header->flags = made->flags;
    header->pool_offset = made->pool_offset;
    ipc_store_relaxed64(&header->tail, made->slot_count);
}

/* `length` bytes at `offset` of the file, whole and behind the body's header. */
static bool fits(const ipc_region_geometry *geometry, uint64_t offset, uint64_t length)
{
    const uint64_t end = geometry->body_offset + geometry->body_size;
    return offset >= geometry->body_offset + IPC_TOPIC_HEADER_SIZE && offset <= end && length <= end - offset;
}

static ipc_status check_numbers(const ipc_region *region, const ipc_topic_header *copy)
{
    const uint32_t block_size = copy->block_size;
    const uint32_t count = copy->slot_count;
    if (copy->magic != IPC_TOPIC_MAGIC)
        return ipc_fail(IPC_E_CORRUPT, "%s: the body of a topic begins with %08x, this one with %08x", region->path,
                        IPC_TOPIC_MAGIC, copy->magic);
    if (block_size < IPC_BLOCK_SIZE_MIN || block_size > IPC_BLOCK_SIZE_MAX || block_size % 8 != 0)
        return ipc_fail(IPC_E_CORRUPT, "%s has blocks of %u bytes: not %u to %u, or no multiple of 8", region->path,
                        block_size, IPC_BLOCK_SIZE_MIN, IPC_BLOCK_SIZE_MAX);
    if (count < IPC_BLOCK_COUNT_MIN || count > IPC_BLOCK_COUNT_MAX || (count & (count - 1)) != 0)
        return ipc_fail(IPC_E_CORRUPT, "%s has %u slots: not %u to %u, or no power of two", region->path, count,
                        IPC_BLOCK_COUNT_MIN, IPC_BLOCK_COUNT_MAX);
    if (copy->stride != ipc_block_stride(block_size))
        return ipc_fail(IPC_E_CORRUPT, "%s has a slot every %" PRIu64 " bytes, with blocks of %u it must be %" PRIu64,
                        region->path, copy->stride, block_size, ipc_block_stride(block_size));
    if (copy->max_readers < 1 || copy->max_readers > IPC_TOPIC_READERS_MAX)
        return ipc_fail(IPC_E_CORRUPT, "%s has room for %u readers, 1 to %u are possible", region->path,
                        copy->max_readers, IPC_TOPIC_READERS_MAX);
    return IPC_OK;
}

static ipc_status check_places(const ipc_region *region, const ipc_topic_header *copy)
{
    const ipc_region_geometry *geometry = &region->geometry;
    const uint64_t slots = copy->slot_count * copy->stride;
    const uint64_t readers = (uint64_t)IPC_TOPIC_READER_SIZE * geometry->participant_capacity;
    if (copy->slots_offset % IPC_TOPIC_SLOTS_ALIGN != 0 || !fits(geometry, copy->slots_offset, slots))
        return ipc_fail(IPC_E_CORRUPT,
                        "%s has %" PRIu64 " bytes of slots at %" PRIu64 ": outside its body of %" PRIu64
                        " bytes, or not on %u",
                        region->path, slots, copy->slots_offset, geometry->body_size, IPC_TOPIC_SLOTS_ALIGN);
    if (copy->readers_offset % IPC_TOPIC_READER_SIZE != 0 || !fits(geometry, copy->readers_offset, readers) ||
        copy->readers_offset + readers > copy->slots_offset)
        return ipc_fail(IPC_E_CORRUPT,
                        "%s has %" PRIu64 " bytes of reader entries at %" PRIu64 ": outside its body of %" PRIu64
                        " bytes, not before its slots, or not on %u",
                        region->path, readers, copy->readers_offset, geometry->body_size, IPC_TOPIC_READER_SIZE);
    if (copy->pool_offset != 0 && copy->pool_offset < copy->slots_offset + slots)
        return ipc_fail(IPC_E_CORRUPT, "%s has its pool at %" PRIu64 ", its slots end at %" PRIu64, region->path,
                        copy->pool_offset, copy->slots_offset + slots);
    if (copy->max_readers >= geometry->participant_capacity)
        return ipc_fail(IPC_E_CORRUPT, "%s has room for %u participants, %u readers of them: none for a writer",
                        region->path, geometry->participant_capacity, copy->max_readers);
    return IPC_OK;
}

ipc_status ipc_topic_locate(const ipc_region *region, ipc_topic *topic)
{
    ipc_topic_header copy;
    if (region->geometry.body_size < IPC_TOPIC_HEADER_SIZE)
        return ipc_fail(IPC_E_CORRUPT, "%s has a body of %" PRIu64 " bytes, a topic's has at least %u", region->path,
                        region->geometry.body_size, IPC_TOPIC_HEADER_SIZE);
    ipc_topic_header *header = header_of(region);
    memcpy(&copy, header, offsetof(ipc_topic_header, tail)); /* read once: what is checked is what is used */
    ipc_status status = check_numbers(region, &copy);
    if (status == IPC_OK)
        status = check_places(region, &copy);
    if (status != IPC_OK)
        return status;
    topic->header = header;
    topic->entries = ipc_region_at(region, copy.readers_offset);
    topic->ring.slots = ipc_region_at(region, copy.slots_offset);
    topic->ring.stride = copy.stride;
    topic->ring.mask = copy.slot_count - 1;
    topic->ring.shift = (uint32_t)__builtin_ctz(copy.slot_count);
    topic->slot_count = copy.slot_count;
    topic->block_size = copy.block_size;
    topic->max_readers = copy.max_readers;
    topic->participants = region->geometry.participant_capacity;
    topic->policies = copy.flags >> IPC_TOPIC_POLICY_SHIFT & IPC_TOPIC_POLICIES;
    topic->single_writer = (copy.flags & IPC_TOPIC_SINGLE_WRITER) != 0;
    topic->slots_offset = copy.slots_offset;
    topic->pool_offset = copy.pool_offset;
    return IPC_OK;
}

/* ---- creating ---------------------------------------------------------------------------------------- */

ipc_status ipc_topic_create(void *owner, const char *path, const ipc_share *share, ipc_region **created)
{
    ipc_topic_end *end = owner;
    uint64_t budget = 0;
    ipc_lifetime lifetime = IPC_LIFETIME_DEFAULT;
    ipc_status status = ipc_pool_budget(end->options->loan_budget, &budget);
    if (status == IPC_OK)
        status = ipc_region_new_lifetime(&ipc_topic_kind, end->options->lifetime, &lifetime);
    if (status != IPC_OK)
        return status;
    const plan made = plan_of(end->options, budget);
    const ipc_region_plan request = {
        .participants = made.participants,
        .role = end->role,
        .index = end->role == IPC_ROLE_READER ? 0 : made.max_readers,
        .lifetime = lifetime,
        .share = share,
        .body_offset = made.body_offset,
        .body_size = made.total_size - made.body_offset,
        .total_size = made.total_size,
        .reserved_size = made.reserved_size,
    };
    ipc_region *region = NULL;
    status = ipc_region_build(path, &ipc_topic_kind, &request, &region);
    if (status != IPC_OK)
        return status;
    region->owner = end;
    write_header(header_of(region), &made);
    if (made.pool_offset != 0)
        ipc_pool_write_header(ipc_region_at(region, made.pool_offset), budget);
    status = ipc_topic_kind.check_body(region);
    if (status == IPC_OK && end->role == IPC_ROLE_READER && (end->topic.policies >> end->options->policy & 1) == 0)
        status =
            ipc_fail(IPC_E_INVALID_ARGUMENT, "allowed_policies does not have the bit of this reader's own policy, %d",
                     (int)end->options->policy);
    if (status == IPC_OK) {
        ipc_topic_kind.enter(region, region->index, end->role);
        status = ipc_region_link(region);
    }
    if (status != IPC_OK) {
        ipc_region_discard(region);
        return status;
    }
    *created = region;
    return IPC_OK;
}
