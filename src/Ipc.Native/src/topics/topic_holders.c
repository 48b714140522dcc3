/*
 * The readers that writers wait for: the least of their cursors, and cutting off those that may be.
 *
 * An entry is read in this order: state, policy, cursor. Its `state` counts how often it was taken, and eviction is a
 * CAS from the word that was seen before the rest was read: a reader that has taken the entry since, with another
 * policy, is not evicted for the slowness of its predecessor.
 */
#include "platform/fault.h"
#include "topics/topic.h"

typedef struct walk {
    uint32_t next; /* index of the first bit of the next word */
    uint64_t bits; /* not yet visited ones of the current word */
} walk;

static bool next_active(const ipc_topic *topic, walk *at, uint32_t *index)
{
    while (at->bits == 0) {
        if (at->next >= topic->participants)
            return false;
        at->bits = ipc_load_acquire64(&topic->header->active[at->next / 64]); /* [join] */
        at->next += 64;
    }
    *index = at->next - 64 + (uint32_t)__builtin_ctzll(at->bits);
    at->bits &= at->bits - 1;
    return *index < topic->participants;
}

static bool next_holder(const ipc_topic *topic, walk *at, ipc_topic_holder *holder)
{
    while (next_active(topic, at, &holder->index)) {
        const ipc_topic_entry *entry = &topic->entries[holder->index];
        holder->state = ipc_load_acquire32(&entry->state);
        if ((holder->state & IPC_READER_STATE) != IPC_READER_ACTIVE)
            continue;
        holder->policy = ipc_load_relaxed32(&entry->policy);
        if (holder->policy > IPC_EVICT)
            continue;
        holder->cursor = ipc_load_acquire64(&entry->cursor); /* [cursor] */
        return true;
    }
    return false;
}

uint64_t ipc_topic_scan(const ipc_topic *topic, ipc_topic_holder *slowest)
{
    walk at = {0, 0};
    ipc_topic_holder holder;
    uint64_t least = ipc_load_acquire64(&topic->header->tail); /* [join]: before the entries */
    ipc_full_fence();                                          /* [join] */
    slowest->index = IPC_NO_PARTICIPANT;
    slowest->cursor = least;
    while (next_holder(topic, &at, &holder)) {
        if (holder.cursor >= least)
            continue;
        least = holder.cursor;
        *slowest = holder;
    }
    return least;
}

/* The slowest reliable reader before `needed`. */
static bool find_reliable(const ipc_topic *topic, uint64_t needed, ipc_topic_holder *slowest)
{
    walk at = {0, 0};
    ipc_topic_holder holder;
    bool any = false;
    while (next_holder(topic, &at, &holder)) {
        if (holder.policy == IPC_EVICT || holder.cursor >= needed || (any && holder.cursor >= slowest->cursor))
            continue;
        *slowest = holder;
        any = true;
    }
    return any;
}

ipc_status ipc_topic_evict(const ipc_topic *topic, uint64_t needed, ipc_topic_holder *slowest)
{
    walk at = {0, 0};
    ipc_topic_holder holder;
    ipc_status status = IPC_FULL;
    if (find_reliable(topic, needed, slowest))
        return IPC_TIMEOUT; /* it would make no room */
    while (next_holder(topic, &at, &holder)) {
        ipc_topic_entry *entry = &topic->entries[holder.index];
        if (holder.policy != IPC_EVICT || holder.cursor >= needed)
            continue;
        status = IPC_OK; /* if not by us, then by another writer */
        ipc_store_relaxed64(&entry->evicted_at, ipc_load_relaxed64(&topic->header->tail));
        if (ipc_cas32(&entry->state, &holder.state, (holder.state & ~IPC_READER_STATE) | IPC_READER_EVICTED)) {
            (void)ipc_add64(&topic->header->evictions, 1);
            IPC_FAULT_POINT("topic.evict.done");
        }
    }
    return status;
}
