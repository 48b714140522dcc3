#include "rings/ring_region.h"

/* ---- the kind ---------------------------------------------------------------------------------------- */

static ipc_atomic32 *owner_word(ipc_ring_header *header, uint32_t role)
{
    return role == IPC_ROLE_WRITER ? &header->writer : &header->reader;
}

static ipc_atomic32 *state_word(ipc_ring_header *header, uint32_t role)
{
    return role == IPC_ROLE_WRITER ? &header->writer_state : &header->reader_state;
}

static const char *role_name(uint32_t role)
{
    return role == IPC_ROLE_WRITER ? "writer" : "reader";
}

static ipc_status check_body(ipc_region *region)
{
    ipc_ring ring;
    return ipc_ring_locate(region, region->geometry.body_offset, &ring);
}

static ipc_status admit(ipc_region *region, uint32_t role)
{
    const uint32_t owner = ipc_load_acquire32(owner_word(ipc_ring_region_header(region), role));
    if (owner == 0 || owner > region->geometry.participant_capacity)
        return IPC_OK;
    const ipc_participant *holder = ipc_region_participant(region, owner - 1);
    if (ipc_load_acquire32(&holder->state) != IPC_PARTICIPANT_LIVE)
        return IPC_OK; /* the word outlived its owner: it means nothing */
    return ipc_fail(IPC_E_IN_USE, "%s has a %s already, process %u: end that process, or use another name",
                    region->path, role_name(role), ipc_load_relaxed32(&holder->pid));
}

static bool names(ipc_region *region, uint32_t index)
{
    const ipc_ring_header *header = ipc_ring_region_header(region);
    return ipc_load_relaxed32(&header->writer) == index + 1 || ipc_load_relaxed32(&header->reader) == index + 1;
}

void ipc_ring_region_enter(ipc_region *region, uint32_t index, uint32_t role)
{
    ipc_ring_header *header = ipc_ring_region_header(region);
    ipc_ring_end *end = region->owner;
    const uint32_t before = ipc_load_relaxed32(state_word(header, role));
    /* "live" with no holder: it died between taking the role and saying so, or between being cleaned up and being
       marked */
    end->before = before == IPC_OWNER_LIVE   ? IPC_PEER_DEAD
                  : before <= IPC_OWNER_DIED ? (ipc_peer_state)before
                                             : IPC_PEER_DEAD;
    ipc_store_relaxed32(owner_word(header, role), index + 1);
    ipc_store_release32(state_word(header, role), IPC_OWNER_LIVE);
}

static void clean_up(ipc_region *region, uint32_t index, bool died)
{
    ipc_ring_header *header = ipc_ring_region_header(region);
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

static void wake(ipc_region *region)
{
    ipc_waiter_wake(&ipc_ring_region_header(region)->data);
    ipc_waiter_wake(&ipc_ring_region_header(region)->space);
}

/* Is there a record at the read position? What is behind it was published with it or later. Damage is nothing that
   anybody could receive. */
static bool holds_messages(ipc_region *region)
{
    ipc_ring ring;
    if (ipc_ring_locate(region, region->geometry.body_offset, &ring) != IPC_OK)
        return false;
    uint64_t position = ipc_load_acquire64(&ring.header->read_position); /* [release] */
    for (int paddings = 0; paddings < 2; paddings++) {
        ipc_record_view view;
        if (position % IPC_LINE != 0 || position > IPC_POSITION_MAX)
            return false;
        const uint64_t word = ipc_load_acquire64(ipc_record_at(ring.data, ring.capacity, position)); /* [publish] */
        if (!ipc_record_decode_any(&ring, word, position, &view))
            return false; /* zero, or no record */
        if (!view.padding)
            return true;
        position += view.size;
    }
    return false;
}

const ipc_region_kind ipc_ring_kind = {
    .kind = IPC_KIND_RING,
    .check_body = check_body,
    .admit = admit,
    .names = names,
    .enter = ipc_ring_region_enter,
    .clean_up = clean_up,
    .wake = wake,
    .holds_messages = holds_messages,
};

/* ---- the peer ---------------------------------------------------------------------------------------- */

static uint32_t other_role(const ipc_ring_end *end)
{
    return end->role == IPC_ROLE_WRITER ? IPC_ROLE_READER : IPC_ROLE_WRITER;
}

ipc_peer_state ipc_ring_end_peer_state(void *owner)
{
    const ipc_ring_end *end = owner;
    const uint32_t state = ipc_load_acquire32(state_word(end->ring.header, other_role(end))); /* [close] */
    return state <= IPC_OWNER_DIED ? (ipc_peer_state)state : IPC_PEER_NEVER;
}

/* On the watch thread. */
static ipc_watch_answer peer_died(void *owner)
{
    ipc_ring_end *end = owner;
    return ipc_region_recover(end->region, end->watched - 1, end->watched_generation);
}

static void watch_peer(ipc_ring_end *end, uint32_t owner, uint32_t generation)
{
    if (end->watched != 0)
        ipc_watch_remove(&end->watch);
    end->watched = owner;
    end->watched_generation = generation;
    ipc_region_process process;
    ipc_region_process_to_watch(end->region, owner - 1, &process);
    /* Who has given up lives: the lock of its entry has to be asked, at once and again. */
    const bool same = process.is_here && !ipc_region_has_given_up(end->region, owner - 1);
    if (same && process.pid == ipc_platform_pid())
        return; /* both ends are ours: it does not die without us */
    if (ipc_watch_add(&end->watch, process.pid, process.start_time, same, peer_died, end) != IPC_OK)
        end->watched = 0;
}

bool ipc_ring_end_attend(void *owner)
{
    ipc_ring_end *end = owner;
    const uint32_t word = ipc_load_acquire32(owner_word(end->ring.header, other_role(end)));
    if (word == 0 || word > end->region->geometry.participant_capacity)
        return false;
    const ipc_participant *entry = ipc_region_participant(end->region, word - 1);
    const uint32_t generation = ipc_load_acquire32(&entry->generation);
    /* Before the look at the entry: who gives up in between moves it again. */
    const uint32_t change = ipc_load_acquire32(&ipc_region_header_of(end->region)->change.word) | IPC_WAITER_SLEEPING;
    ipc_mutex_lock(&end->watching);
    if (word != end->watched || generation != end->watched_generation || change != end->watched_at) {
        watch_peer(end, word, generation);
        end->watched_at = change;
    }
    const bool watched = end->watched == word;
    ipc_mutex_unlock(&end->watching);
    if (!watched) /* no descriptors, no thread: who waits asks the lock himself, whenever it wakes to look around */
        (void)ipc_region_recover(end->region, word - 1, generation);
    return watched;
}

bool ipc_ring_end_peer_is_live(const void *owner)
{
    const ipc_ring_end *end = owner;
    return ipc_load_relaxed32(state_word(end->ring.header, other_role(end))) == IPC_OWNER_LIVE;
}
