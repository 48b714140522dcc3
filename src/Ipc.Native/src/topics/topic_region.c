/* A topic as a kind of region: who may enter, what is left to do when somebody goes. */
#include "platform/fault.h"
#include "topics/topic.h"

static ipc_topic_header *header_of(const ipc_region *region)
{
    return ipc_region_at(region, region->geometry.body_offset);
}

/* ---- entering ---------------------------------------------------------------------------------------- */

static bool growth_lock(void *owner)
{
    return ipc_region_try_lock(owner, IPC_NOW);
}

static void growth_unlock(void *owner)
{
    ipc_region_unlock(owner);
}

static ipc_status check_body(ipc_region *region)
{
    ipc_topic_end *end = region->owner;
    ipc_status status = ipc_topic_locate(region, &end->topic);
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
            return ipc_fail(
                IPC_E_IN_USE,
                "%s takes a single writer and has one already, process %u: end that process, or create it for more",
                region->path, pid);
        if (there >= most)
            return ipc_fail(IPC_E_TABLE_FULL,
                            "%s has %u writers already, and room for %u: close one, or create it with more",
                            region->path, there, most);
        return IPC_OK;
    }
    if ((topic->policies >> end->options->policy & 1) == 0)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "%s does not allow its readers the policy %d: it allows the bits %x",
                        region->path, (int)end->options->policy, topic->policies);
    if (there >= topic->max_readers)
        return ipc_fail(IPC_E_TABLE_FULL,
                        "%s has %u readers already, and room for %u: close one, or create it with more", region->path,
                        there, topic->max_readers);
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

/* ---- leaving and dying ------------------------------------------------------------------------------- */

/* An owner without a live entry is as dead as the one that is being cleaned up after. */
static bool is_gone(const ipc_region *region, uint32_t owner, uint32_t index)
{
    if (owner == index + 1 || owner == 0 || owner > region->geometry.participant_capacity)
        return true;
    return ipc_load_acquire32(&ipc_region_participant(region, owner - 1)->state) != IPC_PARTICIPANT_LIVE; /* [live] */
}

/* What it had claimed becomes a gap, which is nobody's; readers pass over it. */
static void make_gaps(const ipc_region *region, const ipc_topic *topic, uint32_t index)
{
    for (uint64_t i = 0; i < topic->slot_count; i++) {
        ipc_block_slot *slot = ipc_slot_at(&topic->ring, i);
        uint64_t word = ipc_load_acquire64(&slot->state);
        if (ipc_slot_phase(word) != IPC_PHASE_WRITING || !is_gone(region, ipc_slot_owner(word), index))
            continue;
        (void)ipc_cas64(&slot->state, &word, ipc_slot_word(ipc_slot_lap(word), 0, 0, IPC_PHASE_GAP));
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
    /* The lap before the rest, which was written before it: or a sender that is at it shows half old, half new. [loan]
     */
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
        make_gaps(region, topic, index);
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
