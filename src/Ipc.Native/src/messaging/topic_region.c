/* A topic as a kind of region: its bytes, who may enter, what is left to do when somebody goes. */
#include "diagnostics/fault.h"
#include "messaging/topic.h"

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
        return ipc_fail(IPC_E_ARGUMENT, "a topic's blocks have %u to %u bytes, not %u", IPC_BLOCK_SIZE_MIN,
                        IPC_BLOCK_SIZE_MAX, block_size);
    if (block_count < IPC_BLOCK_COUNT_MIN || block_count > IPC_BLOCK_COUNT_MAX)
        return ipc_fail(IPC_E_ARGUMENT, "a topic has %u to %u blocks, not %u", IPC_BLOCK_COUNT_MIN, IPC_BLOCK_COUNT_MAX,
                        block_count);
    if (options->max_readers > IPC_TOPIC_READERS_MAX)
        return ipc_fail(IPC_E_ARGUMENT, "a topic has at most %u readers, not %u", IPC_TOPIC_READERS_MAX,
                        options->max_readers);
    if (options->max_writers > WRITERS_MAX)
        return ipc_fail(IPC_E_ARGUMENT, "a topic has at most %u writers, not %u", WRITERS_MAX, options->max_writers);
    if ((options->allowed_policies & ~IPC_TOPIC_POLICIES) != 0)
        return ipc_fail(IPC_E_ARGUMENT, "allowed_policies has the bits %x, there are only the policies %x",
                        options->allowed_policies, IPC_TOPIC_POLICIES);
    if ((unsigned)options->policy > IPC_LATEST)
        return ipc_fail(IPC_E_ARGUMENT, "policy %d is none of the four", (int)options->policy);
    if ((unsigned)options->join > IPC_JOIN_LAST)
        return ipc_fail(IPC_E_ARGUMENT, "join %d is none of the three", (int)options->join);
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
    return offset >= geometry->body_offset + IPC_TOPIC_HEADER_SIZE && offset <= geometry->total_size &&
           length <= geometry->total_size - offset;
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
                        "%s has %" PRIu64 " bytes of slots at %" PRIu64 ": outside its %" PRIu64 " bytes, or not on %u",
                        region->path, slots, copy->slots_offset, geometry->total_size, IPC_TOPIC_SLOTS_ALIGN);
    if (copy->readers_offset % IPC_TOPIC_READER_SIZE != 0 || !fits(geometry, copy->readers_offset, readers) ||
        copy->readers_offset + readers > copy->slots_offset)
        return ipc_fail(IPC_E_CORRUPT,
                        "%s has %" PRIu64 " bytes of reader entries at %" PRIu64 ": outside its %" PRIu64
                        " bytes, not before its slots, or not on %u",
                        region->path, readers, copy->readers_offset, geometry->total_size, IPC_TOPIC_READER_SIZE);
    if (copy->pool_offset != 0 && copy->pool_offset < copy->slots_offset + slots)
        return ipc_fail(IPC_E_CORRUPT, "%s has its pool at %" PRIu64 ", its slots end at %" PRIu64, region->path,
                        copy->pool_offset, copy->slots_offset + slots);
    if (copy->max_readers >= geometry->participant_capacity)
        return ipc_fail(IPC_E_CORRUPT, "%s has room for %u participants, %u readers of them: none for a writer",
                        region->path, geometry->participant_capacity, copy->max_readers);
    return IPC_OK;
}

static ipc_status locate(const ipc_region *region, ipc_topic *topic)
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

/* ---- entering ---------------------------------------------------------------------------------------- */

static bool growth_lock(void *owner)
{
    return ipc_region_lock(owner, ipc_deadline_after(IPC_POOL_GROWTH_WAIT_NS)) == IPC_OK;
}

static void growth_unlock(void *owner)
{
    ipc_region_unlock(owner);
}

static ipc_status check_body(ipc_region *region)
{
    ipc_topic_end *end = region->owner;
    ipc_status status = locate(region, &end->topic);
    if (status == IPC_OK)
        status = ipc_pool_locate(region, end->topic.pool_offset, &end->pool);
    end->pool.growth_lock = growth_lock;
    end->pool.growth_unlock = growth_unlock;
    end->pool.growth_owner = region;
    return status;
}

/* Readers have the first entries, writers the others: neither can keep the other out. */
static bool is_place_of(const ipc_topic *topic, uint32_t index, uint32_t role)
{
    return (index < topic->max_readers) == (role == IPC_ROLE_READER);
}

static bool names(ipc_region *region, uint32_t index)
{
    const ipc_topic_end *end = region->owner;
    const ipc_topic *topic = &end->topic;
    return !is_place_of(topic, index, end->role) ||
           (ipc_load_relaxed64(&topic->header->active[index / 64]) >> index % 64 & 1) != 0;
}

uint32_t ipc_topic_count_living(const ipc_region *region, uint32_t role, uint32_t *pid)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < region->geometry.participant_capacity; i++) {
        const ipc_participant *entry = ipc_region_participant(region, i);
        if (ipc_load_acquire32(&entry->state) != IPC_PARTICIPANT_LIVE || ipc_load_relaxed32(&entry->role) != role)
            continue;
        if (pid != NULL)
            *pid = ipc_load_relaxed32(&entry->pid);
        count++;
    }
    return count;
}

static ipc_status admit(ipc_region *region, uint32_t role)
{
    const ipc_topic_end *end = region->owner;
    const ipc_topic *topic = &end->topic;
    uint32_t pid = 0;
    const uint32_t there = ipc_topic_count_living(region, role, &pid);
    if (role == IPC_ROLE_WRITER) {
        const uint32_t most = topic->participants - topic->max_readers;
        if (topic->single_writer && there != 0)
            return ipc_fail(IPC_E_IN_USE, "%s takes a single writer and has one already, process %u", region->path,
                            pid);
        if (there >= most)
            return ipc_fail(IPC_E_TABLE_FULL, "%s has %u writers already, and room for %u", region->path, there, most);
        return IPC_OK;
    }
    if ((topic->policies >> end->options->policy & 1) == 0)
        return ipc_fail(IPC_E_ARGUMENT, "%s allows its readers the policies of the bits %x, not policy %d",
                        region->path, topic->policies, (int)end->options->policy);
    if (there >= topic->max_readers)
        return ipc_fail(IPC_E_TABLE_FULL, "%s has %u readers already, and room for %u", region->path, there,
                        topic->max_readers);
    return IPC_OK;
}

static uint64_t oldest_of(const ipc_topic *topic, uint64_t tail)
{
    const uint64_t first = topic->slot_count; /* positions start here */
    return tail >= first + topic->slot_count ? tail - topic->slot_count + 1 : tail < first ? tail : first;
}

static uint64_t last_message(const ipc_topic *topic, uint64_t tail)
{
    const uint64_t oldest = oldest_of(topic, tail);
    for (uint64_t position = tail; position > oldest; position--) {
        const uint64_t word = ipc_load_acquire64(&ipc_slot_at(&topic->ring, position - 1)->state);
        if (ipc_topic_is_ready(&topic->ring, position - 1, word))
            return position - 1;
    }
    return tail;
}

/* [join] The entry first, then the fence, then the tail once more. A writer whose scan does not see the entry loaded
   the tail that bounds its minimum before: that is not beyond what we load now. */
void ipc_topic_start_reading(const ipc_topic *topic, uint32_t index, ipc_policy policy, ipc_join join,
                             ipc_topic_start *start)
{
    ipc_topic_header *header = topic->header;
    ipc_topic_entry *entry = &topic->entries[index];
    const uint32_t joins = (ipc_load_relaxed32(&entry->state) & ~IPC_READER_STATE) + IPC_READER_JOIN;
    ipc_store_relaxed32(&entry->policy, (uint32_t)policy);
    ipc_store_relaxed64(&entry->cursor, ipc_load_acquire64(&header->tail));
    start->state = joins | IPC_READER_ACTIVE;
    ipc_store_release32(&entry->state, start->state);
    (void)ipc_or64(&header->active[index / 64], 1ull << index % 64);
    IPC_FAULT_POINT("topic.join.entry");
    ipc_full_fence(); /* [join] */
    start->joined = ipc_load_acquire64(&header->tail);
    ipc_store_relaxed64(&entry->joined, start->joined);
    ipc_store_release64(&entry->cursor, start->joined); /* [cursor] */
    IPC_FAULT_POINT("topic.join.cursor");
    start->position = join == IPC_JOIN_OLDEST ? oldest_of(topic, start->joined)
                      : join == IPC_JOIN_LAST ? last_message(topic, start->joined)
                                              : start->joined;
}

static void enter(ipc_region *region, uint32_t index, uint32_t role)
{
    ipc_topic_end *end = region->owner;
    if (role == IPC_ROLE_READER) {
        ipc_store_relaxed64(&end->topic.entries[index].lost, 0);
        ipc_topic_start_reading(&end->topic, index, end->options->policy, end->options->join, &end->start);
    }
}

ipc_status ipc_topic_create(void *owner, const char *path, ipc_region **created)
{
    ipc_topic_end *end = owner;
    uint64_t budget = 0;
    ipc_status status = ipc_pool_budget(end->options->loan_budget, &budget);
    if (status != IPC_OK)
        return status;
    const plan made = plan_of(end->options, budget);
    const ipc_region_plan request = {
        .participants = made.participants,
        .role = end->role,
        .index = end->role == IPC_ROLE_READER ? 0 : made.max_readers,
        .persistent = end->options->persistent,
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
    status = check_body(region);
    if (status == IPC_OK && end->role == IPC_ROLE_READER && (end->topic.policies >> end->options->policy & 1) == 0)
        status = ipc_fail(IPC_E_ARGUMENT, "allowed_policies does not have the bit of this reader's own policy, %d",
                          (int)end->options->policy);
    if (status == IPC_OK) {
        enter(region, region->index, end->role);
        status = ipc_region_link(region);
    }
    if (status != IPC_OK) {
        ipc_region_discard(region);
        return status;
    }
    *created = region;
    return IPC_OK;
}

/* ---- leaving and dying ------------------------------------------------------------------------------- */

/* What it had claimed becomes a gap; readers pass over it. */
static void make_gaps(const ipc_topic *topic, uint32_t index)
{
    for (uint64_t i = 0; i < topic->slot_count; i++) {
        ipc_block_slot *slot = ipc_slot_at(&topic->ring, i);
        uint64_t word = ipc_load_acquire64(&slot->state);
        if (ipc_slot_phase(word) != IPC_PHASE_WRITING || ipc_slot_owner(word) != index + 1)
            continue;
        (void)ipc_cas64(&slot->state, &word, ipc_slot_word(ipc_slot_lap(word), index + 1, 0, IPC_PHASE_GAP));
        IPC_FAULT_POINT("topic.recover.slot");
    }
}

/* Does the slot at `holder` name that loan? What it says counts only if it is of the message that is there. */
static bool names_loan(void *context, uint64_t holder, const ipc_loan_descriptor *descriptor)
{
    const ipc_topic *topic = context;
    const uint64_t offset = holder - topic->slots_offset;
    if (holder < topic->slots_offset || offset % topic->ring.stride != 0 ||
        offset / topic->ring.stride >= topic->slot_count)
        return false;
    ipc_block_slot *slot = (ipc_block_slot *)(void *)(topic->ring.slots + offset);
    const uint64_t word = ipc_load_acquire64(&slot->state);
    /* The lap before the rest, which was written before it: or a sender that is at it shows half old, half new. [loan] */
    const bool current = ipc_load_acquire32(ipc_slot_loan_lap(slot)) == ipc_slot_lap(word);
    const ipc_loan_descriptor named = ipc_topic_load_descriptor(slot);
    return current && (ipc_slot_phase(word) == IPC_PHASE_WRITING || ipc_slot_phase(word) == IPC_PHASE_READY) &&
           (ipc_topic_flags(ipc_load_relaxed64(ipc_topic_details(slot))) & IPC_BLOCK_HAS_LOAN) != 0 &&
           named.klass == descriptor->klass && named.index == descriptor->index &&
           named.generation == descriptor->generation;
}

static void clean_up(ipc_region *region, uint32_t index, bool died)
{
    ipc_topic_end *end = region->owner;
    ipc_topic *topic = &end->topic;
    if (died || end->open_claims != 0) {
        make_gaps(topic, index);
        if (ipc_pool_exists(&end->pool))
            ipc_pool_recover(&end->pool, index + 1, names_loan, topic);
    }
    ipc_topic_entry *entry = &topic->entries[index];
    const uint32_t state = ipc_load_relaxed32(&entry->state);
    if ((state & IPC_READER_STATE) != IPC_READER_NONE)
        ipc_store_release32(&entry->state, state & ~IPC_READER_STATE);
    (void)ipc_and64(&topic->header->active[index / 64], ~(1ull << index % 64));
    if (died)
        IPC_FAULT_POINT("topic.recover.reader");
}

static void wake(ipc_region *region)
{
    ipc_waiter_wake(&header_of(region)->data);
    ipc_waiter_wake(&header_of(region)->space);
}

const ipc_region_kind ipc_topic_kind = {
    .kind = IPC_KIND_TOPIC,
    .check_body = check_body,
    .admit = admit,
    .names = names,
    .enter = enter,
    .clean_up = clean_up,
    .wake = wake,
};

uint32_t ipc_topic_count_readers(const ipc_topic *topic)
{
    uint32_t count = 0;
    for (uint32_t first = 0; first < topic->participants; first += 64) {
        uint64_t bits = ipc_load_acquire64(&topic->header->active[first / 64]);
        for (; bits != 0; bits &= bits - 1) {
            const uint32_t index = first + (uint32_t)__builtin_ctzll(bits);
            if (index < topic->participants &&
                (ipc_load_acquire32(&topic->entries[index].state) & IPC_READER_STATE) == IPC_READER_ACTIVE)
                count++;
        }
    }
    return count;
}
