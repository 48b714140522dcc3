/* Opening, leaving and waiting: the same for mutex, semaphore and event. */
#include "platform/fault.h"
#include "sync/sync.h"
#include "waiting/waiter.h"

#include <inttypes.h>

#define PARTICIPANTS 256u
#define BODY_OFFSET  (IPC_PARTICIPANT_OFFSET + PARTICIPANTS * IPC_PARTICIPANT_SIZE)

_Static_assert(BODY_OFFSET % IPC_REGION_BODY_ALIGNMENT == 0, "a body's place");

/* ---- the region -------------------------------------------------------------------------------------- */

ipc_status ipc_sync_check(const ipc_region *region, uint64_t size, uint32_t magic)
{
    if (region->geometry.body_size < size)
        return ipc_fail(IPC_E_CORRUPT, "%s has a body of %" PRIu64 " bytes, its kind has at least %" PRIu64,
                        region->path, region->geometry.body_size, size);
    const uint32_t found = *(const volatile uint32_t *)&ipc_sync_body_of(region)->magic;
    if (found != magic)
        return ipc_fail(IPC_E_CORRUPT, "%s has %08x where the magic %08x should be", region->path, found, magic);
    return IPC_OK;
}

void ipc_sync_wake(ipc_region *region)
{
    ipc_waiter_wake(&ipc_sync_body_of(region)->waiter);
}

bool ipc_sync_is_gone(const ipc_region *region, uint32_t owner, uint32_t gone)
{
    return owner == gone || owner == 0 || owner > region->geometry.participant_capacity ||
           ipc_load_acquire32(&ipc_region_participant(region, owner - 1)->state) != IPC_PARTICIPANT_LIVE; /* [live] */
}

static void write_body(const ipc_region *region, const ipc_sync_options *options, uint32_t permits)
{
    ipc_sync_body *body = ipc_sync_body_of(region);
    switch (region->kind->kind) {
    case IPC_KIND_MUTEX:
        body->magic = IPC_MUTEX_MAGIC;
        break;
    case IPC_KIND_SEMAPHORE:
        body->magic = IPC_SEMAPHORE_MAGIC;
        body->parameter = permits;
        break;
    default:
        body->magic = IPC_EVENT_MAGIC;
        body->parameter = options->manual_reset ? 1 : 0;
        ipc_store_relaxed32(&body->word, options->initially_set ? 1 : 0);
        break;
    }
}

static uint32_t permits_of(const ipc_sync_options *options)
{
    return options->permits == 0 ? 1 : options->permits;
}

static ipc_status create(void *owner, const char *path, const ipc_share *share, ipc_region **created)
{
    ipc_sync *sync = owner;
    ipc_lifetime lifetime = IPC_LIFETIME_DEFAULT;
    ipc_status status = ipc_region_new_lifetime(sync->kind, sync->options->lifetime, &lifetime);
    if (status != IPC_OK)
        return status;
    const uint32_t permits = permits_of(sync->options);
    const uint64_t size = sync->kind->kind == IPC_KIND_SEMAPHORE
                              ? IPC_SEMAPHORE_TABLE + permits * (uint64_t)sizeof(ipc_atomic32)
                              : IPC_SYNC_BODY_SIZE;
    const uint64_t total = (BODY_OFFSET + size + IPC_REGION_SIZE_UNIT - 1) & ~(uint64_t)(IPC_REGION_SIZE_UNIT - 1);
    const ipc_region_plan plan = {
        .participants = PARTICIPANTS,
        .role = IPC_ROLE_WRITER | IPC_ROLE_READER,
        .lifetime = lifetime,
        .body_offset = BODY_OFFSET,
        .body_size = total - BODY_OFFSET,
        .share = share,
        .total_size = total,
    };
    ipc_region *region = NULL;
    status = ipc_region_build(path, sync->kind, &plan, &region);
    if (status != IPC_OK)
        return status;
    region->owner = sync;
    write_body(region, sync->options, permits);
    status = ipc_region_link(region);
    if (status != IPC_OK) {
        ipc_region_discard(region);
        return status;
    }
    *created = region;
    return IPC_OK;
}

/* ---- opening and leaving ----------------------------------------------------------------------------- */

/* In a forked child: the mapping is zeroes, and the word could be taken; but nothing is ever taken when closed. */
static void abandon(void *owner)
{
    ipc_sync *sync = owner;
    ipc_attachment_abandon(&sync->place);
}

static ipc_status start(ipc_sync *sync, const ipc_sync_options *options)
{
    ipc_region *region = sync->place.region;
    ipc_status status = ipc_attachment_start(&sync->place, options->wait_mode);
    if (status != IPC_OK)
        return status;
    sync->body = ipc_sync_body_of(region);
    sync->table = ipc_region_at(region, region->geometry.body_offset + IPC_SEMAPHORE_TABLE);
    sync->parameter = *(const volatile uint32_t *)&sync->body->parameter;
    sync->owner = region->index + 1;
    sync->process_fences = ipc_waiter_process_fences();
    ipc_end_init(&sync->end, options->wait_mode);
    ipc_end_limit_spin(&sync->end, options->spin_ns);
    ipc_end_show_spin(&sync->end, &ipc_region_participant(region, region->index)->spin);
    sync->end.wakes[0] = &sync->body->waiter;
    sync->place.ends[0] = &sync->end;
    ipc_region_at_fork(region, abandon, sync);
    (void)ipc_attachment_attend(&sync->place);
    return IPC_OK;
}

ipc_status ipc_sync_open(ipc_sync *sync, const char *name, const ipc_sync_options *options, const ipc_region_kind *kind)
{
    static const ipc_sync_options defaults;
    if (options == NULL)
        options = &defaults;
    if (permits_of(options) > IPC_SEMAPHORE_PERMITS_MAX)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "a semaphore of %u permits was asked for; 1 to %u are possible",
                        options->permits, IPC_SEMAPHORE_PERMITS_MAX);
    sync->kind = kind;
    sync->options = options;
    ipc_waiter_prepare_process();
    const ipc_region_entrance entrance = {
        .name = name,
        .kind = kind,
        .owner = sync,
        .role = IPC_ROLE_WRITER | IPC_ROLE_READER,
        .lifetime = options->lifetime,
        .mode = options->open_mode,
        .deadline = options->deadline,
        .cancel = options->cancel,
        .access = options->access,
        .create = create,
    };
    ipc_status status = ipc_region_enter(&entrance, &sync->place.region);
    sync->options = NULL;
    if (status == IPC_OK)
        status = start(sync, options);
    if (status != IPC_OK)
        ipc_attachment_leave(&sync->place);
    return status;
}

void ipc_sync_close(ipc_sync *sync)
{
    ipc_attachment_close(&sync->place);
}

/* ---- waiting ----------------------------------------------------------------------------------------- */

static bool attend(void *subject)
{
    return ipc_attachment_attend(&((ipc_sync *)subject)->place);
}

/* A holder that has called exec() lives on under its number, so that nobody is told of an end; but what it was is gone,
   and its locks with it. So who sleeps for what another one holds looks whether that is still there: seldom, for one
   call of the system each time. */
static ipc_armed ask_for_holders(void *subject)
{
    ipc_sync *sync = subject;
    const uint64_t now = ipc_platform_now();
    if (now - ipc_load_relaxed64(&sync->asked_at) < IPC_SYNC_ASK_NS)
        return IPC_ARMED_SETTLED; /* there is nothing to arm */
    ipc_store_relaxed64(&sync->asked_at, now);
    ipc_region *region = sync->place.region;
    const bool is_mutex = sync->kind->kind == IPC_KIND_MUTEX;
    uint64_t asked[IPC_PARTICIPANT_CAPACITY_MAX / 64] = {0};
    for (uint32_t i = 0; i < (is_mutex ? 1 : sync->parameter); i++) {
        const uint32_t owner = ipc_load_relaxed32(is_mutex ? &sync->body->word : &sync->table[i]);
        const uint32_t index = owner - 1;
        if (owner == 0 || owner > region->geometry.participant_capacity || index == region->index ||
            (asked[index / 64] >> index % 64 & 1) != 0)
            continue;
        asked[index / 64] |= 1ull << index % 64;
        if (ipc_region_has_no_lock(region, index))
            (void)ipc_region_recover(region, index,
                                     ipc_load_relaxed32(&ipc_region_participant(region, index)->generation));
    }
    return IPC_ARMED_SETTLED;
}

static ipc_status acquire(ipc_sync *sync, ipc_status (*take)(void *sync), bool (*may_take)(const void *sync),
                          bool (*put_back)(ipc_sync *sync, bool abandoned), ipc_deadline deadline, ipc_cancel *cancel)
{
    if (ipc_sync_is_closed(sync))
        return ipc_ended(IPC_CLOSED);
    ipc_status status = take(sync);
    if (status == IPC_EMPTY) {
        const bool is_held = sync->kind->kind != IPC_KIND_EVENT;
        const ipc_wait wait = {
            .end = &sync->end,
            .waiter = &sync->body->waiter,
            .check = take,
            .attend = attend,
            .subject = sync,
            .deadline = deadline,
            .cancel = cancel,
            .arm = is_held ? ask_for_holders : NULL,
            .longest_sleep_ns = is_held ? IPC_SYNC_ASK_NS : 0,
        };
        status = ipc_wait_until(&wait, may_take);
    }
    if ((status == IPC_OK || status == IPC_ABANDONED) && ipc_sync_is_closed(sync)) {
        (void)put_back(sync, status == IPC_ABANDONED);
        return ipc_ended(IPC_CLOSED);
    }
    return status;
}

ipc_status ipc_sync_acquire(ipc_sync *sync, ipc_status (*take)(void *sync), bool (*may_take)(const void *sync),
                            bool (*put_back)(ipc_sync *sync, bool abandoned), ipc_deadline deadline, ipc_cancel *cancel)
{
    /* Close waits until nobody is inside: also for who has just got it, and looks whether it may have it. */
    (void)ipc_add32(&sync->end.inside, 1);
    ipc_status status = acquire(sync, take, may_take, put_back, deadline, cancel);
    (void)ipc_add32(&sync->end.inside, UINT32_MAX);
    return status;
}

/* ---- arming ------------------------------------------------------------------------------------------ */

typedef struct look {
    ipc_sync *sync;
    bool (*may_take)(const void *sync);
} look;

static ipc_status check_look(void *subject)
{
    const look *looks = subject;
    return looks->may_take(looks->sync) ? IPC_OK : IPC_EMPTY;
}

static bool attend_look(void *subject)
{
    return attend(((look *)subject)->sync);
}

static ipc_armed ask_for_holders_look(void *subject)
{
    return ask_for_holders(((look *)subject)->sync);
}

ipc_status ipc_sync_arm(ipc_sync *sync, bool (*may_take)(const void *sync), ipc_deadline deadline, ipc_cancel *cancel,
                        ipc_ready_handle *handle)
{
    look looks = {sync, may_take};
    const bool is_held = sync->kind->kind != IPC_KIND_EVENT;
    const ipc_wait wait = {
        .end = &sync->end,
        .waiter = &sync->body->waiter,
        .check = check_look,
        .attend = attend_look,
        .subject = &looks,
        .deadline = deadline,
        .cancel = cancel,
        .arm = is_held ? ask_for_holders_look : NULL,
        .longest_sleep_ns = is_held ? IPC_SYNC_ASK_NS : 0,
    };
    return ipc_wait_arm(&wait, handle);
}
