#include "rings/ring_roles.h"

/* ---- the words --------------------------------------------------------------------------------------- */

static ipc_atomic32 *owner_word(ipc_ring_header *header, uint32_t role)
{
    return role == IPC_ROLE_WRITER ? &header->writer : &header->reader;
}

static ipc_atomic32 *state_word(ipc_ring_header *header, uint32_t role)
{
    return role == IPC_ROLE_WRITER ? &header->writer_state : &header->reader_state;
}

ipc_status ipc_ring_roles_check_free(const ipc_region *region, const ipc_ring_header *header, uint32_t role,
                                     const char *what)
{
    const uint32_t owner = ipc_load_acquire32(role == IPC_ROLE_WRITER ? &header->writer : &header->reader);
    if (owner == 0 || owner > region->geometry.participant_capacity)
        return IPC_OK;
    const ipc_participant *holder = ipc_region_participant(region, owner - 1);
    if (ipc_load_acquire32(&holder->state) != IPC_PARTICIPANT_LIVE)
        return IPC_OK; /* the word outlived its owner: it means nothing */
    return ipc_fail(IPC_E_IN_USE, "%s has a %s already, process %u: end that process, or use another name",
                    region->path, what, ipc_load_relaxed32(&holder->pid));
}

ipc_peer_state ipc_ring_roles_enter(ipc_ring_header *header, uint32_t index, uint32_t role)
{
    const uint32_t before = ipc_load_relaxed32(state_word(header, role));
    ipc_store_relaxed32(owner_word(header, role), index + 1);
    ipc_store_release32(state_word(header, role), IPC_OWNER_LIVE);
    /* "live" with no holder: it died between taking the role and saying so, or between being cleaned up and being
       marked */
    return before == IPC_OWNER_LIVE || before > IPC_OWNER_DIED ? IPC_PEER_DEAD : (ipc_peer_state)before;
}

bool ipc_ring_roles_name(const ipc_ring_header *header, uint32_t index)
{
    return ipc_load_relaxed32(&header->writer) == index + 1 || ipc_load_relaxed32(&header->reader) == index + 1;
}

void ipc_ring_roles_vacate(const ipc_region *region, ipc_ring_header *header, uint32_t index, bool died)
{
    if (ipc_load_relaxed32(&ipc_region_participant(region, index)->ended) == IPC_ENDED_LEFT)
        died = false; /* it left, without the region lock */
    for (uint32_t role = IPC_ROLE_WRITER; role <= IPC_ROLE_READER; role++) {
        if (ipc_load_relaxed32(owner_word(header, role)) != index + 1)
            continue;
        ipc_store_release32(state_word(header, role),
                            died ? IPC_OWNER_DIED : IPC_OWNER_LEFT); /* [close]: after what it published */
        ipc_store_release32(owner_word(header, role), 0);
    }
}

void ipc_ring_roles_wake(ipc_ring_header *header)
{
    ipc_waiter_wake(&header->data);
    ipc_waiter_wake(&header->space);
}

/* ---- the peer ---------------------------------------------------------------------------------------- */

static uint32_t other(const ipc_ring_role *role)
{
    return role->role == IPC_ROLE_WRITER ? IPC_ROLE_READER : IPC_ROLE_WRITER;
}

void ipc_ring_role_begin(ipc_ring_role *role, uint32_t which)
{
    role->role = which;
    ipc_mutex_init(&role->watching);
}

void ipc_ring_role_set(ipc_ring_role *role, ipc_region *region, ipc_ring_header *header)
{
    role->region = region;
    role->header = header;
}

void ipc_ring_role_end(ipc_ring_role *role)
{
    if (role->watched != 0)
        ipc_watch_remove(&role->watch);
    role->watched = 0;
    ipc_mutex_destroy(&role->watching);
}

void ipc_ring_role_abandon(ipc_ring_role *role)
{
    ipc_mutex_init(&role->watching); /* another thread of the parent may have held it */
}

ipc_processors ipc_ring_role_processors(const ipc_ring_role *role)
{
    ipc_ring_header *header = role->header;
    const bool writes = role->role == IPC_ROLE_WRITER;
    const ipc_processors processors = {writes ? &header->writer_processor : &header->reader_processor,
                                       writes ? &header->reader_processor : &header->writer_processor};
    return processors;
}

ipc_peer_state ipc_ring_role_peer_state(void *owner)
{
    const ipc_ring_role *role = owner;
    const uint32_t state = ipc_load_acquire32(state_word(role->header, other(role))); /* [close] */
    return state <= IPC_OWNER_DIED ? (ipc_peer_state)state : IPC_PEER_NEVER;
}

/* On the watch thread. */
static ipc_watch_answer peer_died(void *owner)
{
    ipc_ring_role *role = owner;
    return ipc_region_recover(role->region, role->watched - 1, role->watched_generation);
}

static void watch_peer(ipc_ring_role *role, uint32_t owner, uint32_t generation)
{
    if (role->watched != 0)
        ipc_watch_remove(&role->watch);
    role->watched = owner;
    role->watched_generation = generation;
    ipc_region_process process;
    ipc_region_process_to_watch(role->region, owner - 1, &process);
    /* Who has given up lives: the lock of its entry has to be asked, at once and again. */
    const bool same = process.is_here && !ipc_region_has_given_up(role->region, owner - 1);
    if (same && process.pid == ipc_platform_pid())
        return; /* both ends are ours: it does not die without us */
    if (ipc_watch_add(&role->watch, process.pid, process.start_time, same, peer_died, role) != IPC_OK)
        role->watched = 0;
}

bool ipc_ring_role_attend(void *owner)
{
    ipc_ring_role *role = owner;
    const uint32_t word = ipc_load_acquire32(owner_word(role->header, other(role)));
    if (word == 0 || word > role->region->geometry.participant_capacity)
        return false;
    const ipc_participant *entry = ipc_region_participant(role->region, word - 1);
    const uint32_t generation = ipc_load_acquire32(&entry->generation);
    /* Before the look at the entry: who gives up in between moves it again. */
    const uint32_t change = ipc_load_acquire32(&ipc_region_header_of(role->region)->change.word) | IPC_WAITER_SLEEPING;
    ipc_mutex_lock(&role->watching);
    if (word != role->watched || generation != role->watched_generation || change != role->watched_at) {
        watch_peer(role, word, generation);
        role->watched_at = change;
    }
    const bool watched = role->watched == word;
    ipc_mutex_unlock(&role->watching);
    if (!watched) /* no descriptors, no thread: who waits asks the lock himself, whenever it wakes to look around */
        (void)ipc_region_recover(role->region, word - 1, generation);
    return watched;
}

bool ipc_ring_role_peer_is_live(const void *owner)
{
    const ipc_ring_role *role = owner;
    return ipc_load_relaxed32(state_word(role->header, other(role))) == IPC_OWNER_LIVE;
}
