/* A ring in a region of its own: opening by name, closing, waiting for the peer. The roles and the peer are
   ring_roles.h's. */
#include "rings/ring_region.h"

#include <stdlib.h>

#define PARTICIPANTS     16u /* two are used; a forked child may keep some occupied for a while */
#define BODY_OFFSET      (IPC_PARTICIPANT_OFFSET + PARTICIPANTS * IPC_PARTICIPANT_SIZE)
#define DATA_OFFSET      (BODY_OFFSET + IPC_RING_HEADER_SIZE)
#define DEFAULT_CAPACITY (1ull << 20)

_Static_assert(BODY_OFFSET % IPC_REGION_BODY_ALIGNMENT == 0, "a body's place");
_Static_assert(DATA_OFFSET % IPC_RING_DATA_ALIGN == 0, "a ring's place");

/* ---- opening ----------------------------------------------------------------------------------------- */

static uint64_t capacity_of(const ipc_ring_options *options)
{
    return options->capacity == 0 ? DEFAULT_CAPACITY : options->capacity;
}

/* The region's owner is the end; what it is to be made of stands in its options. */
static ipc_status create(void *owner, const char *path, const ipc_share *share, ipc_region **created)
{
    ipc_ring_end *end = owner;
    const uint64_t capacity = capacity_of(end->options);
    const uint64_t pool_offset = DATA_OFFSET + capacity;
    uint64_t budget = 0;
    ipc_lifetime lifetime = IPC_LIFETIME_DEFAULT;
    ipc_status status = ipc_pool_budget(end->options->loan_budget, &budget);
    if (status == IPC_OK)
        status = ipc_region_new_lifetime(&ipc_ring_kind, end->options->lifetime, &lifetime);
    if (status != IPC_OK)
        return status;
    const ipc_region_plan plan = {
        .participants = PARTICIPANTS,
        .role = end->role.role,
        .lifetime = lifetime,
        .body_offset = BODY_OFFSET,
        .body_size = IPC_RING_HEADER_SIZE + capacity + ipc_pool_size(budget),
        .share = share,
        .total_size = pool_offset + ipc_pool_size(budget),
        .reserved_size = pool_offset + ipc_pool_reserve(budget),
    };
    ipc_region *region = NULL;
    status = ipc_region_build(path, &ipc_ring_kind, &plan, &region);
    if (status != IPC_OK)
        return status;
    region->owner = end;
    ipc_ring_write_header(ipc_ring_region_header(region), capacity, DATA_OFFSET, budget == 0 ? 0 : pool_offset);
    if (budget != 0)
        ipc_pool_write_header(ipc_region_at(region, pool_offset), budget);
    ipc_ring_region_enter(region, region->index, end->role.role);
    status = ipc_region_link(region);
    if (status != IPC_OK) {
        ipc_region_discard(region);
        return status;
    }
    *created = region;
    return IPC_OK;
}

static ipc_status enter_region(const char *name, const ipc_ring_options *options, ipc_ring_end *end)
{
    const ipc_region_entrance entrance = {
        .name = name,
        .kind = &ipc_ring_kind,
        .owner = end,
        .role = end->role.role,
        .lifetime = options->lifetime,
        .mode = options->open_mode,
        .deadline = options->deadline,
        .cancel = options->cancel,
        .access = options->access,
        .create = create,
    };
    uint64_t budget = 0;
    ipc_status status = ipc_ring_check_capacity(capacity_of(options));
    if (status == IPC_OK)
        status = ipc_pool_budget(options->loan_budget, &budget);
    return status == IPC_OK ? ipc_region_enter(&entrance, &end->region) : status;
}

static void abandon(void *owner)
{
    ipc_ring_end *end = owner;
    ipc_ring_role_abandon(&end->role);
    end->abandon(end);
}

static ipc_status open_end(const char *name, const ipc_ring_options *options, uint32_t role, ipc_ring_end **opened)
{
    static const ipc_ring_options defaults;
    if (options == NULL)
        options = &defaults;
    ipc_ring_end *end = calloc(1, sizeof *end);
    if (end == NULL)
        return ipc_fail(IPC_E_NO_MEMORY, "no memory for a ring's handle");
    ipc_ring_role_begin(&end->role, role);
    end->options = options;
    ipc_waiter_prepare_process();
    ipc_status status = enter_region(name, options, end);
    end->options = NULL;
    if (status == IPC_OK)
        status = ipc_ring_locate(end->region, end->region->geometry.body_offset, &end->ring);
    if (status != IPC_OK) {
        ipc_ring_role_end(&end->role);
        ipc_region_leave(end->region);
        free(end);
        return status;
    }
    end->ring.owner = end->region->index + 1;
    ipc_ring_role_set(&end->role, end->region, end->ring.header);
    *opened = end;
    return IPC_OK;
}

static void close_end(ipc_ring_end *end)
{
    if (end->end != NULL && !end->region->forked) {
        ipc_end_close(end->end);
        if (end->role.role == IPC_ROLE_WRITER)
            ipc_ring_abandon(&end->as.writer); /* an open loan would be out of use until the next writer comes */
        else
            ipc_ring_reader_tell_read(&end->as.reader);
    }
    if (end->role.role == IPC_ROLE_READER)
        ipc_ring_reader_dispose(&end->as.reader);
    ipc_ring_role_end(&end->role);
    ipc_region_leave(end->region);
    free(end);
}

static ipc_wait_mode wait_mode(const ipc_ring_options *options)
{
    return options == NULL ? IPC_WAIT_ADAPTIVE : options->wait_mode;
}

static uint64_t spin_ns(const ipc_ring_options *options)
{
    return options == NULL ? 0 : options->spin_ns;
}

static void peer_is_corrupt(void *owner)
{
    (void)owner; /* a ring has no words to say so with; the caller gets IPC_E_CORRUPT and closes */
}

static ipc_ring_peer peer_of(ipc_ring_end *end)
{
    const ipc_ring_peer peer = {
        .state = ipc_ring_role_peer_state,
        .attend = ipc_ring_role_attend,
        .corrupt = peer_is_corrupt,
        .owner = &end->role,
        .processors = ipc_ring_role_processors(&end->role),
    };
    return peer;
}

static void finish(ipc_ring_end *end, ipc_end *wait_end, void (*abandon_end)(ipc_ring_end *end))
{
    end->end = wait_end;
    end->end->wakes[1] = &ipc_region_header_of(end->region)->change;
    end->abandon = abandon_end;
    ipc_region_at_fork(end->region, abandon, end);
    (void)ipc_ring_role_attend(&end->role);
}

static void abandon_writer(ipc_ring_end *end)
{
    ipc_ring_writer_abandon(&end->as.writer);
}

static void abandon_reader(ipc_ring_end *end)
{
    ipc_ring_reader_abandon(&end->as.reader);
}

ipc_status ipc_ring_writer_open(const char *name, const ipc_ring_options *options, ipc_ring_writer **writer)
{
    ipc_ring_end *end = NULL;
    ipc_status status = open_end(name, options, IPC_ROLE_WRITER, &end);
    if (status != IPC_OK || end == NULL)
        return status;
    const ipc_ring_peer peer = peer_of(end);
    status =
        ipc_ring_writer_start(&end->as.writer, &end->ring, end->before == IPC_PEER_NEVER, wait_mode(options), &peer);
    if (status != IPC_OK) {
        close_end(end);
        return status;
    }
    if (end->before != IPC_PEER_NEVER)
        ipc_ring_writer_sweep(&end->as.writer);
    end->as.writer.region_end = end;
    ipc_end_limit_spin(&end->as.writer.end, spin_ns(options));
    ipc_end_show_spin(&end->as.writer.end, &end->as.writer.header->writer_spin);
    finish(end, &end->as.writer.end, abandon_writer);
    *writer = &end->as.writer;
    return IPC_OK;
}

ipc_status ipc_ring_reader_open(const char *name, const ipc_ring_options *options, ipc_ring_reader **reader)
{
    ipc_ring_end *end = NULL;
    ipc_status status = open_end(name, options, IPC_ROLE_READER, &end);
    if (status != IPC_OK || end == NULL)
        return status;
    const ipc_ring_peer peer = peer_of(end);
    status =
        ipc_ring_reader_start(&end->as.reader, &end->ring, end->before == IPC_PEER_DEAD, wait_mode(options), &peer);
    if (status != IPC_OK) {
        close_end(end);
        return status;
    }
    if (end->before != IPC_PEER_NEVER)
        ipc_ring_reader_sweep(&end->as.reader);
    end->as.reader.region_end = end;
    ipc_end_limit_spin(&end->as.reader.end, spin_ns(options));
    ipc_end_show_spin(&end->as.reader.end, &end->as.reader.header->reader_spin);
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

/* ---- waiting for the peer ---------------------------------------------------------------------------- */

static ipc_status check_peer(void *subject)
{
    ipc_ring_end *end = subject;
    (void)ipc_ring_role_attend(&end->role);                    /* is it really alive? the watch will tell us */
    if (ipc_ring_role_peer_state(&end->role) == IPC_PEER_LIVE) /* [close] */
        return IPC_OK;
    /* [publish], after [close]: a writer may have come, published and died since the last look; dead by then, published
       by now. */
    return end->role.role == IPC_ROLE_READER && ipc_ring_is_readable(&end->as.reader) ? IPC_OK : IPC_EMPTY;
}

static bool attend_peer(void *subject)
{
    ipc_ring_end *end = subject;
    return ipc_ring_role_attend(&end->role);
}

static bool peer_is_live(const void *subject)
{
    const ipc_ring_end *end = subject;
    return ipc_ring_role_peer_is_live(&end->role);
}

static ipc_status wait_for_peer(ipc_ring_end *end, ipc_deadline deadline, ipc_cancel *cancel)
{
    if (end == NULL)
        return ipc_fail(IPC_E_INVALID_STATE, "a connection's ring has its peer from the beginning");
    const ipc_wait wait = {
        .end = end->end,
        .waiter = &ipc_region_header_of(end->region)->change,
        .check = check_peer,
        .attend = attend_peer,
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
