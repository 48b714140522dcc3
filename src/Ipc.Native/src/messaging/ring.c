/*
 * A ring in a region of its own: opening by name, the two roles, the peer.
 *
 * The roles are words in the ring's header, written under the region lock: participant index + 1, and what became of the last holder. A role whose
 * holder is dead is free. An end that waits watches its peer's process; it finds out whom to watch from the same words, so a peer that
 * attaches later (which wakes us) is watched from then on.
 */
#include "diagnostics/fault.h"
#include "messaging/ring.h"

#include <inttypes.h>
#include <stdlib.h>

#define PARTICIPANTS     16u /* two are used; a forked child may keep some occupied for a while */
#define BODY_OFFSET      (IPC_PARTICIPANT_OFFSET + PARTICIPANTS * IPC_PARTICIPANT_SIZE)
#define DATA_OFFSET      (BODY_OFFSET + IPC_RING_HEADER_SIZE)
#define DEFAULT_CAPACITY (1ull << 20)

/* For a creator: between two looks. */
#define LOOK_MIN_NS 1000000u
#define LOOK_MAX_NS 20000000u

_Static_assert(BODY_OFFSET % IPC_REGION_BODY_ALIGNMENT == 0, "a body's place");
_Static_assert(DATA_OFFSET % IPC_RING_DATA_ALIGN == 0, "a ring's place");

typedef struct ipc_ring_end {
    ipc_region *region;
    ipc_ring ring;
    uint32_t role;
    ipc_peer_state before; /* what had become of the last holder of our role */
    ipc_end *end;
    void (*abandon)(struct ipc_ring_end *end);

    ipc_mutex watching;
    ipc_watch watch;
    uint32_t watched;            /* owner word of the peer that `watch` looks at; 0 none */
    uint32_t watched_generation;
    union {
        ipc_ring_writer writer;
        ipc_ring_reader reader;
    } as;
} ring_end;

/* ---- the kind ------------------------------------------------------------------------------------------------------------ */

static ipc_ring_header *header_of(const ipc_region *region)
{
    return ipc_region_at(region, region->geometry.body_offset);
}

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
    const uint32_t owner = ipc_load_acquire32(owner_word(header_of(region), role));
    if (owner == 0 || owner > region->geometry.participant_capacity)
        return IPC_OK;
    const ipc_participant *holder = ipc_region_participant(region, owner - 1);
    if (ipc_load_acquire32(&holder->state) != IPC_PARTICIPANT_LIVE)
        return IPC_OK; /* the word outlived its owner: it means nothing */
    return ipc_fail(IPC_E_IN_USE, "%s has a %s already, process %u", region->path, role_name(role), ipc_load_relaxed32(&holder->pid));
}

static bool names(ipc_region *region, uint32_t index)
{
    const ipc_ring_header *header = header_of(region);
    return ipc_load_relaxed32(&header->writer) == index + 1 || ipc_load_relaxed32(&header->reader) == index + 1;
}

static void enter(ipc_region *region, uint32_t index, uint32_t role)
{
    ipc_ring_header *header = header_of(region);
    ring_end *end = region->owner;
    const uint32_t before = ipc_load_relaxed32(state_word(header, role));
    /* "live" with no holder: it died between taking the role and saying so, or between being cleaned up and being marked */
    end->before = before == IPC_OWNER_LIVE ? IPC_PEER_DEAD : before <= IPC_OWNER_DIED ? (ipc_peer_state)before : IPC_PEER_DEAD;
    ipc_store_relaxed32(owner_word(header, role), index + 1);
    ipc_store_release32(state_word(header, role), IPC_OWNER_LIVE);
}

static void clean_up(ipc_region *region, uint32_t index, bool died)
{
    ipc_ring_header *header = header_of(region);
    for (uint32_t role = IPC_ROLE_WRITER; role <= IPC_ROLE_READER; role++) {
        if (ipc_load_relaxed32(owner_word(header, role)) != index + 1)
            continue;
        ipc_store_release32(state_word(header, role), died ? IPC_OWNER_DIED : IPC_OWNER_LEFT); /* [close]: after what it published */
        ipc_store_release32(owner_word(header, role), 0);
    }
}

static void wake(ipc_region *region)
{
    ipc_waiter_wake(&header_of(region)->data);
    ipc_waiter_wake(&header_of(region)->space);
}

static const ipc_region_kind ring_kind = {
    .kind = IPC_KIND_RING,
    .check_body = check_body,
    .admit = admit,
    .names = names,
    .enter = enter,
    .clean_up = clean_up,
    .wake = wake,
};

/* ---- the peer ---------------------------------------------------------------------------------------------------------------- */

static uint32_t other_role(const ring_end *end)
{
    return end->role == IPC_ROLE_WRITER ? IPC_ROLE_READER : IPC_ROLE_WRITER;
}

static ipc_peer_state peer_state(void *owner)
{
    const ring_end *end = owner;
    const uint32_t state = ipc_load_acquire32(state_word(end->ring.header, other_role(end))); /* [close] */
    return state <= IPC_OWNER_DIED ? (ipc_peer_state)state : IPC_PEER_NEVER;
}

/* On the watch thread. */
static bool peer_died(void *owner)
{
    ring_end *end = owner;
    return ipc_region_recover(end->region, end->watched - 1, end->watched_generation);
}

static void watch_peer(ring_end *end, uint32_t owner, const ipc_participant *entry, uint32_t generation)
{
    if (end->watched != 0)
        ipc_watch_remove(&end->watch);
    end->watched = owner;
    end->watched_generation = generation;
    const uint32_t pid = ipc_load_relaxed32(&entry->pid);
    const uint64_t names_pids = ipc_load_relaxed64(&entry->pid_namespace);
    const bool same = names_pids != 0 && names_pids == ipc_platform_pid_namespace();
    if (same && pid == ipc_platform_pid())
        return; /* both ends are ours: it does not die without us */
    if (ipc_watch_add(&end->watch, pid, ipc_load_relaxed64(&entry->start_time), same, peer_died, end) != IPC_OK)
        end->watched = 0;
}

static bool attend(void *owner)
{
    ring_end *end = owner;
    const uint32_t word = ipc_load_acquire32(owner_word(end->ring.header, other_role(end)));
    if (word == 0 || word > end->region->geometry.participant_capacity)
        return false;
    const ipc_participant *entry = ipc_region_participant(end->region, word - 1);
    const uint32_t generation = ipc_load_acquire32(&entry->generation);
    ipc_mutex_lock(&end->watching);
    if (word != end->watched || generation != end->watched_generation)
        watch_peer(end, word, entry, generation);
    const bool watched = end->watched == word;
    ipc_mutex_unlock(&end->watching);
    return watched;
}

static void peer_is_corrupt(void *owner)
{
    (void)owner; /* a ring has no words to say so with; the caller gets IPC_E_CORRUPT and closes */
}

/* ---- opening -------------------------------------------------------------------------------------------------------------------- */

static ipc_status create(const char *path, const ipc_ring_options *options, uint64_t capacity, ring_end *end, uint32_t role)
{
    const ipc_region_plan plan = {
        .participants = PARTICIPANTS,
        .role = role,
        .persistent = options->persistent,
        .body_offset = BODY_OFFSET,
        .body_size = IPC_RING_HEADER_SIZE + capacity,
        .total_size = DATA_OFFSET + capacity,
    };
    ipc_region *region = NULL;
    ipc_status status = ipc_region_build(path, &ring_kind, &plan, &region);
    if (status != IPC_OK)
        return status;
    region->owner = end;
    ipc_ring_write_header(header_of(region), capacity, DATA_OFFSET);
    enter(region, region->index, role);
    status = ipc_region_link(region);
    if (status != IPC_OK) {
        ipc_region_discard(region);
        return status;
    }
    end->region = region;
    return IPC_OK;
}

static ipc_status open_or_create(const char *path, const ipc_ring_options *options, uint64_t capacity, ring_end *end, uint32_t role)
{
    for (int turn = 0; turn < 1000; turn++) { /* each turn somebody else made or removed it in between */
        ipc_status status = ipc_region_attach(path, &ring_kind, end, role, &end->region);
        if (status != IPC_E_NOT_FOUND)
            return status;
        status = create(path, options, capacity, end, role);
        if (status != IPC_E_EXISTS)
            return status;
    }
    return ipc_fail(IPC_E_IN_USE, "%s is created and removed by others all the time", path);
}

static ipc_status create_new(const char *path, const ipc_ring_options *options, uint64_t capacity, ring_end *end, uint32_t role)
{
    for (int turn = 0; turn < 1000; turn++) {
        ipc_status status = create(path, options, capacity, end, role);
        if (status != IPC_E_EXISTS)
            return status;
        status = ipc_region_reap(path);
        if (status != IPC_OK)
            return status;
    }
    return ipc_fail(IPC_E_EXISTS, "%s is created by others all the time", path);
}

static ipc_status open_existing(const char *path, const ipc_ring_options *options, ring_end *end, uint32_t role)
{
    uint64_t pause = LOOK_MIN_NS;
    for (;;) {
        ipc_status status = ipc_region_attach(path, &ring_kind, end, role, &end->region);
        if (status != IPC_E_NOT_FOUND)
            return status;
        if (ipc_cancel_is_triggered(options->cancel))
            return IPC_CANCELLED;
        const ipc_deadline next = ipc_deadline_after(pause);
        if (ipc_platform_now() >= options->deadline)
            return status;
        ipc_cancel_pause(options->cancel, next < options->deadline ? next : options->deadline);
        pause = pause * 2 > LOOK_MAX_NS ? LOOK_MAX_NS : pause * 2;
    }
}

static ipc_status enter_region(const char *name, const ipc_ring_options *options, ring_end *end, uint32_t role)
{
    char path[IPC_PATH_MAX];
    const uint64_t capacity = options->capacity == 0 ? DEFAULT_CAPACITY : options->capacity;
    ipc_status status = ipc_ring_check_capacity(capacity);
    if (status == IPC_OK)
        status = ipc_region_path(name, NULL, path, sizeof path);
    if (status != IPC_OK)
        return status;
    switch (options->open_mode) {
    case IPC_OPEN_OR_CREATE:
        return open_or_create(path, options, capacity, end, role);
    case IPC_CREATE:
        return create_new(path, options, capacity, end, role);
    case IPC_OPEN:
        return open_existing(path, options, end, role);
    }
    return ipc_fail(IPC_E_ARGUMENT, "open_mode %d is none of the three", (int)options->open_mode);
}

static void abandon(void *owner)
{
    ring_end *end = owner;
    ipc_mutex_init(&end->watching); /* another thread of the parent may have held it */
    end->abandon(end);
}

static ipc_status open_end(const char *name, const ipc_ring_options *options, uint32_t role, ring_end **opened)
{
    static const ipc_ring_options defaults;
    if (options == NULL)
        options = &defaults;
    ring_end *end = calloc(1, sizeof *end);
    if (end == NULL)
        return ipc_fail(IPC_E_NO_MEMORY, "no memory for a ring's handle");
    end->role = role;
    ipc_mutex_init(&end->watching);
    ipc_waiter_prepare_process();
    ipc_status status = enter_region(name, options, end, role);
    if (status == IPC_OK)
        status = ipc_ring_locate(end->region, end->region->geometry.body_offset, &end->ring);
    if (status != IPC_OK) {
        ipc_region_leave(end->region);
        ipc_mutex_destroy(&end->watching);
        free(end);
        return status;
    }
    *opened = end;
    return IPC_OK;
}

static void close_end(ring_end *end)
{
    if (end->end != NULL && !end->region->forked)
        ipc_end_close(end->end);
    if (end->watched != 0)
        ipc_watch_remove(&end->watch);
    ipc_region_leave(end->region);
    ipc_mutex_destroy(&end->watching);
    free(end);
}

static ipc_wait_mode wait_mode(const ipc_ring_options *options)
{
    return options == NULL ? IPC_WAIT_ADAPTIVE : options->wait_mode;
}

static ipc_ring_peer peer_of(ring_end *end)
{
    const ipc_ring_peer peer = {.state = peer_state, .attend = attend, .corrupt = peer_is_corrupt, .owner = end};
    return peer;
}

static void finish(ring_end *end, ipc_end *wait_end, void (*abandon_end)(ring_end *end))
{
    end->end = wait_end;
    end->end->wakes[1] = &ipc_region_header_of(end->region)->change;
    end->abandon = abandon_end;
    end->region->abandon = abandon;
    (void)attend(end);
}

static void abandon_writer(ring_end *end)
{
    ipc_ring_writer_abandon(&end->as.writer);
}

static void abandon_reader(ring_end *end)
{
    ipc_ring_reader_abandon(&end->as.reader);
}

ipc_status ipc_ring_writer_open(const char *name, const ipc_ring_options *options, ipc_ring_writer **writer)
{
    ring_end *end = NULL;
    ipc_status status = open_end(name, options, IPC_ROLE_WRITER, &end);
    if (status != IPC_OK || end == NULL)
        return status;
    const ipc_ring_peer peer = peer_of(end);
    status = ipc_ring_writer_start(&end->as.writer, &end->ring, end->before == IPC_PEER_NEVER, wait_mode(options), &peer);
    if (status != IPC_OK) {
        close_end(end);
        return status;
    }
    end->as.writer.region_end = end;
    finish(end, &end->as.writer.end, abandon_writer);
    *writer = &end->as.writer;
    return IPC_OK;
}

ipc_status ipc_ring_reader_open(const char *name, const ipc_ring_options *options, ipc_ring_reader **reader)
{
    ring_end *end = NULL;
    ipc_status status = open_end(name, options, IPC_ROLE_READER, &end);
    if (status != IPC_OK || end == NULL)
        return status;
    const ipc_ring_peer peer = peer_of(end);
    status = ipc_ring_reader_start(&end->as.reader, &end->ring, end->before == IPC_PEER_DEAD, wait_mode(options), &peer);
    if (status != IPC_OK) {
        close_end(end);
        return status;
    }
    end->as.reader.region_end = end;
    finish(end, &end->as.reader.end, abandon_reader);
    *reader = &end->as.reader;
    return IPC_OK;
}

void ipc_ring_writer_close(ipc_ring_writer *writer)
{
    if (writer != NULL && writer->region_end != NULL)
        close_end(writer->region_end);
}

void ipc_ring_reader_close(ipc_ring_reader *reader)
{
    if (reader != NULL && reader->region_end != NULL)
        close_end(reader->region_end);
}

/* ---- waiting for the peer ---------------------------------------------------------------------------------------------------------- */

static bool peer_is_live(const void *subject)
{
    const ring_end *end = subject;
    return ipc_load_relaxed32(state_word(end->ring.header, other_role(end))) == IPC_OWNER_LIVE;
}

static ipc_status check_peer(void *subject)
{
    (void)attend(subject); /* is it really alive? the watch will tell us */
    return peer_state(subject) == IPC_PEER_LIVE ? IPC_OK : IPC_EMPTY;
}

static ipc_status wait_for_peer(ring_end *end, ipc_deadline deadline, ipc_cancel *cancel)
{
    if (end == NULL)
        return ipc_fail(IPC_E_STATE, "a connection's ring has its peer from the beginning");
    const ipc_wait wait = {
        .end = end->end,
        .waiter = &ipc_region_header_of(end->region)->change,
        .check = check_peer,
        .attend = attend,
        .subject = end,
        .deadline = deadline,
        .cancel = cancel,
    };
    return ipc_wait_until(&wait, peer_is_live);
}

ipc_status ipc_ring_writer_wait_for_peer(ipc_ring_writer *writer, ipc_deadline deadline, ipc_cancel *cancel)
{
    return wait_for_peer(writer->region_end, deadline, cancel);
}

ipc_status ipc_ring_reader_wait_for_peer(ipc_ring_reader *reader, ipc_deadline deadline, ipc_cancel *cancel)
{
    return wait_for_peer(reader->region_end, deadline, cancel);
}
