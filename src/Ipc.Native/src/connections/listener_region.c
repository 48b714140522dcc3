/*
 * The listener's region. Its server is participant 0 and goes in with the region: a listener without a server is a
 * left-over, and a new server never moves into it but puts a new one in its place. Clients are participants 1 and up;
 * slot i belongs to participant i.
 */
#include "connections/listener_region.h"

#include "layout/ring_layout.h"
#include "platform/error.h"
#include "platform/fault.h"
#include "waiting/waiter.h"

#include <inttypes.h>
#include <stdio.h>

#define READY_IN_BODY 512u
#define SLOTS_IN_BODY 1024u /* at least: behind the ready bits */
#define TURNS         1000

static ipc_listener_body *body_of(const ipc_region *region)
{
    return ipc_region_at(region, region->geometry.body_offset);
}

static bool fits(const ipc_region *region, uint64_t offset, uint64_t size, uint64_t alignment)
{
    const uint64_t body = region->geometry.body_offset;
    const uint64_t end = body + region->geometry.body_size;
    return offset % alignment == 0 && offset >= body + IPC_LISTENER_BODY_SIZE && offset <= end && size <= end - offset;
}

ipc_status ipc_listener_locate(ipc_region *region, ipc_listener_view *view)
{
    const ipc_region_geometry *geometry = &region->geometry;
    if (geometry->body_size < IPC_LISTENER_BODY_SIZE)
        return ipc_fail(IPC_E_CORRUPT, "%s has %" PRIu64 " bytes for a listener's body of %u", region->path,
                        geometry->body_size, IPC_LISTENER_BODY_SIZE);
    ipc_listener_body *body = body_of(region);
    const uint32_t magic = *(volatile uint32_t *)&body->magic; /* once: the peer can still write it */
    const uint32_t slot_count = *(volatile uint32_t *)&body->slot_count;
    const uint64_t slots = *(volatile uint64_t *)&body->slots_offset;
    const uint64_t ready = *(volatile uint64_t *)&body->ready_offset;
    if (magic != IPC_LISTENER_MAGIC)
        return ipc_fail(IPC_E_CORRUPT, "%s has %08x where a listener's magic %08x should be", region->path, magic,
                        IPC_LISTENER_MAGIC);
    if (slot_count != geometry->participant_capacity || slot_count == 0 || slot_count % 64 != 0)
        return ipc_fail(IPC_E_CORRUPT, "%s has %u slots and %u participants; they must be the same multiple of 64",
                        region->path, slot_count, geometry->participant_capacity);
    if (!fits(region, slots, (uint64_t)slot_count * IPC_SLOT_SIZE, IPC_SLOT_SIZE) ||
        !fits(region, ready, slot_count / 8, 8))
        return ipc_fail(IPC_E_CORRUPT,
                        "%s has slots at %" PRIu64 " and ready bits at %" PRIu64 ", outside its body (%" PRIu64
                        "..%" PRIu64 ") or not on %u and 8 bytes",
                        region->path, slots, ready, geometry->body_offset, geometry->body_offset + geometry->body_size,
                        IPC_SLOT_SIZE);
    view->region = region;
    view->body = body;
    view->slots = ipc_region_at(region, slots);
    view->ready = ipc_region_at(region, ready);
    view->slot_count = slot_count;
    view->protocol = *(volatile uint32_t *)&body->protocol;
    view->max_ring_capacity = *(volatile uint64_t *)&body->max_ring_capacity;
    view->process_fences = ipc_waiter_process_fences();
    return IPC_OK;
}

void ipc_listener_connection_path(const ipc_region *region, uint64_t id, char *path, size_t size)
{
    (void)snprintf(path, size, "%.*s~%016" PRIx64, (int)(size - 20), region->path, id);
}

void ipc_listener_between_path(const ipc_region *region, char *path, size_t size)
{
    (void)snprintf(path, size, "%.*s~next", (int)(size - 20), region->path);
}

bool ipc_listener_look_for_successor(const ipc_listener_view *view, bool *followed)
{
    if (!ipc_region_try_lock(view->region, IPC_NOW))
        return false;
    *followed = !ipc_platform_file_is_named(view->region->file, view->region->path);
    IPC_FAULT_POINT("listener.follow.looked");
    if (!*followed)
        ipc_store_release32(&view->body->server_state, IPC_SERVER_OPEN); /* [follow] */
    ipc_region_unlock(view->region);
    return true;
}

bool ipc_listener_has_successor(const ipc_listener_view *view)
{
    return ipc_load_acquire32(&view->body->server_state) == IPC_SERVER_FOLLOWED && /* [follow] */
           !ipc_platform_file_is_named(view->region->file, view->region->path);
}

void ipc_listener_notify(const ipc_listener_view *view, uint32_t slot)
{
    (void)ipc_or64(&view->ready[slot / 64], 1ull << (slot % 64)); /* [ready] */
    ipc_waiter_signal(&view->body->doorbell, view->process_fences);
}

/* ---- the kind ---------------------------------------------------------------------------------------- */

static ipc_status check_body(ipc_region *region)
{
    ipc_listener_view view = {0};
    return ipc_listener_locate(region, &view);
}

static ipc_status admit(ipc_region *region, uint32_t role)
{
    (void)role;
    const uint32_t state = ipc_load_acquire32(&body_of(region)->server_state);
    if (state == IPC_SERVER_FOLLOWED) /* who wanted the name was killed on the way, perhaps: its server looks */
        ipc_waiter_wake(&body_of(region)->doorbell);
    if (state != IPC_SERVER_OPEN || !ipc_region_is_alive(region, IPC_LISTENER_SERVER))
        return ipc_fail(IPC_E_NOT_FOUND, "the server of %s has ended: start it, or wait for it with a deadline",
                        region->path);
    return IPC_OK;
}

static bool names(ipc_region *region, uint32_t index)
{
    ipc_listener_view view = {0};
    if (index == IPC_LISTENER_SERVER || ipc_listener_locate(region, &view) != IPC_OK || index >= view.slot_count)
        return true; /* not for a client */
    return ipc_load_acquire64(&view.slots[index].word) != IPC_SLOT_IDLE;
}

/* A connection that was being made is not: its name goes, then the word. If the server has just taken it, or freed the
   slot itself, the word is another one, and the slot is not ours to change. */
static void withdraw(const ipc_listener_view *view, uint32_t index)
{
    uint64_t word = ipc_load_acquire64(&view->slots[index].word); /* [slot] */
    if (ipc_slot_state(word) != IPC_SLOT_OPENING && ipc_slot_state(word) != IPC_SLOT_REQUESTED)
        return;
    char path[IPC_PATH_MAX];
    ipc_listener_connection_path(view->region, ipc_slot_id(word), path, sizeof path);
    (void)ipc_platform_file_unlink(path); /* another user's stays until that user comes again: connect_names.c */
    IPC_FAULT_POINT("listener.withdraw.unlinked");
    (void)ipc_cas64(&view->slots[index].word, &word, IPC_SLOT_IDLE); /* [slot] */
}

/* Of one that was killed while it took the name. Under the region lock, with which the name is taken; who has lost it has
   no business there. */
static void remove_between(const ipc_region *region)
{
    char path[IPC_PATH_MAX];
    if (!ipc_platform_can_replace() || !ipc_platform_file_is_named(region->file, region->path))
        return;
    ipc_listener_between_path(region, path, sizeof path);
    (void)ipc_platform_file_unlink(path);
}

/* Closed first: whoever misses its request then knows that the server has gone, and has not refused it. */
static void withdraw_all(const ipc_region *region, const ipc_listener_view *view)
{
    ipc_store_release32(&view->body->server_state, IPC_SERVER_CLOSED);
    remove_between(region);
    for (uint32_t i = 1; i < view->slot_count; i++)
        withdraw(view, i);
}

/* Whoever goes while it is asking takes its file with it; so does the server with those of all who ask: one that comes
   later finds the listener closed, under the region lock, before it names its file (connect.c). */
static void clean_up(ipc_region *region, uint32_t index, bool died)
{
    (void)died;
    ipc_listener_view view = {0};
    if (ipc_listener_locate(region, &view) != IPC_OK || index >= view.slot_count)
        return;
    if (index != IPC_LISTENER_SERVER) {
        withdraw(&view, index);
        return;
    }
    withdraw_all(region, &view);
}

/* Requests that nobody answered: their names end with the region. */
static void retire(ipc_region *region)
{
    ipc_listener_view view = {0};
    if (ipc_listener_locate(region, &view) == IPC_OK)
        withdraw_all(region, &view);
}

static void freed(ipc_region *region, uint32_t index)
{
    ipc_listener_view view = {0};
    if (index != IPC_LISTENER_SERVER && ipc_listener_locate(region, &view) == IPC_OK && index < view.slot_count)
        ipc_listener_notify(&view, index);
}

static void wake(ipc_region *region)
{
    ipc_waiter_wake(&body_of(region)->doorbell);
}

/* A client on its way in (its slot may still be idle), whom nobody watches; or out, if the server could not watch it. */
static bool suspect(ipc_region *region, uint32_t index)
{
    ipc_listener_view view = {0};
    if (index == IPC_LISTENER_SERVER || ipc_listener_locate(region, &view) != IPC_OK || index >= view.slot_count)
        return false;
    return ipc_slot_state(ipc_load_acquire64(&view.slots[index].word)) != IPC_SLOT_ATTACHED;
}

static bool retires(ipc_region *region, uint32_t index)
{
    (void)region;
    return index == IPC_LISTENER_SERVER; /* its clients may stay; nobody new comes */
}

const ipc_region_kind ipc_listener_kind = {
    .kind = IPC_KIND_LISTENER,
    .check_body = check_body,
    .admit = admit,
    .names = names,
    .clean_up = clean_up,
    .freed = freed,
    .wake = wake,
    .retires = retires,
    .retire = retire,
    .first_judges = true,
    .suspect = suspect,
};

/* ---- the server's region ----------------------------------------------------------------------------- */

static uint64_t slots_in_body(uint32_t slot_count)
{
    const uint64_t ready_end = READY_IN_BODY + slot_count / 8;
    return ready_end < SLOTS_IN_BODY ? SLOTS_IN_BODY : (ready_end + IPC_SLOT_SIZE - 1) / IPC_SLOT_SIZE * IPC_SLOT_SIZE;
}

static ipc_status build(const char *path, const ipc_share *share, const ipc_listener_plan *asked, ipc_region **region)
{
    const uint32_t slot_count = asked->slot_count;
    const uint64_t body_offset = IPC_PARTICIPANT_OFFSET + (uint64_t)slot_count * IPC_PARTICIPANT_SIZE;
    const uint64_t body_size = slots_in_body(slot_count) + (uint64_t)slot_count * IPC_SLOT_SIZE;
    const ipc_region_plan plan = {
        .participants = slot_count,
        .role = IPC_ROLE_SERVER,
        .lifetime = IPC_LIFETIME_WHILE_USED,
        .share = share,
        .body_offset = body_offset,
        .body_size = body_size,
        .total_size =
            (body_offset + body_size + IPC_REGION_SIZE_UNIT - 1) / IPC_REGION_SIZE_UNIT * IPC_REGION_SIZE_UNIT,
    };
    ipc_status status = ipc_region_build(path, &ipc_listener_kind, &plan, region);
    if (status != IPC_OK)
        return status;
    ipc_listener_body *body = body_of(*region);
    body->magic = IPC_LISTENER_MAGIC;
    body->slot_count = slot_count;
    body->slots_offset = body_offset + slots_in_body(slot_count);
    body->ready_offset = body_offset + READY_IN_BODY;
    body->max_ring_capacity = asked->max_ring_capacity;
    body->protocol = asked->protocol;
    body->hands_over = asked->take_over ? 1 : 0;
    ipc_store_relaxed32(&body->server_state, IPC_SERVER_OPEN);
    return IPC_OK;
}

/* Under the region lock of OLD, whose server lives and has the name: MADE has it from here on. Said first, and taken back
   by who is said it, if the name is still its own: so the two agree, whoever of them is killed. */
static ipc_status follow(ipc_region *old, ipc_region *made)
{
    char between[IPC_PATH_MAX];
    ipc_listener_between_path(old, between, sizeof between);
    ipc_store_release32(&body_of(old)->server_state, IPC_SERVER_FOLLOWED); /* [follow] */
    IPC_FAULT_POINT("listener.follow.said");
    const ipc_status status = ipc_platform_file_replace(made->file, made->temporary, between, old->path);
    if (status != IPC_OK) {
        ipc_store_release32(&body_of(old)->server_state, IPC_SERVER_OPEN); /* [follow] */
        return status;
    }
    made->temporary[0] = '\0';
    IPC_FAULT_POINT("listener.follow.renamed");
    return IPC_OK;
}

/* Its server lives. */
static ipc_status succeed(ipc_region *old, ipc_region *made, bool take_over)
{
    const uint32_t pid = ipc_load_relaxed32(&ipc_region_participant(old, IPC_LISTENER_SERVER)->pid);
    if (!take_over)
        return ipc_fail(IPC_E_IN_USE, "%s has a server already, process %u: end that process, or use another name",
                        old->path, pid);
    if (!ipc_region_may_remove(old))
        return ipc_region_not_ours(old, "has a server");
    if (*(volatile uint32_t *)&body_of(old)->hands_over != 1)
        return ipc_fail(IPC_E_IN_USE,
                        "%s has a server already, process %u, which was not opened with take_over and would not learn "
                        "that it is followed: end that process, or use another name",
                        old->path, pid);
    return follow(old, made);
}

/* Puts an end to a listener whose server is dead, whatever clients it still has; or takes its name. IPC_OK: the name is
   free, or ours if HAS_NAME says so. */
static ipc_status replace(const char *path, const ipc_share *share, ipc_region *made, bool take_over, bool *has_name)
{
    ipc_region *old = NULL;
    ipc_share to_remove = *share;
    to_remove.takes_open = true; /* nothing in it is believed but that it has a server, or not */
    ipc_status status =
        ipc_region_open(path, &to_remove, &ipc_listener_kind, NULL, ipc_deadline_after(IPC_REGION_LOCK_TIMEOUT_NS), &old);
    if (status == IPC_E_NOT_FOUND)
        return IPC_OK;
    if (status == IPC_E_WRONG_KIND) {
        status = ipc_region_reap(path, share, NULL);
        return status == IPC_E_EXISTS
                   ? ipc_fail(IPC_E_WRONG_KIND, "%s is in use and is not a listener: choose another name", path)
                   : status;
    }
    if (status != IPC_OK)
        return status;

    status = ipc_region_lock(old, ipc_deadline_after(IPC_REGION_LOCK_TIMEOUT_NS));
    if (status == IPC_OK) {
        const bool live = ipc_load_acquire32(&ipc_region_header_of(old)->state) == IPC_REGION_LIVE;
        const bool named = ipc_platform_file_is_named(old->file, old->path);
        if (live && named && ipc_region_is_alive(old, IPC_LISTENER_SERVER)) {
            status = succeed(old, made, take_over);
            *has_name = status == IPC_OK;
        } else if (named && !ipc_region_may_remove(old)) {
            status = ipc_region_not_ours(old, "has no server");
        } else if (named) {
            retire(old);
            ipc_region_retire(old);
            ipc_region_wake_all(old);
        } /* else another server was faster */
        ipc_region_unlock(old);
    }
    if (*has_name)
        ipc_region_wake_all(old); /* now that the lock is free: it looks whose the name is */
    ipc_region_discard(old);
    return status;
}

ipc_status ipc_listener_region_create(const char *path, const ipc_share *share, const ipc_listener_plan *plan,
                                      ipc_region **region)
{
    ipc_region *made = NULL;
    if (plan->take_over && !ipc_platform_can_replace())
        return ipc_fail(IPC_E_INVALID_ARGUMENT,
                        "take_over is not possible on this system: stop the server of %s, then open it", path);
    ipc_status status = build(path, share, plan, &made);
    if (status != IPC_OK)
        return status;
    for (int turn = 0; turn < TURNS; turn++) {
        bool has_name = false;
        IPC_FAULT_POINT("listener.open.before_link");
        status = ipc_region_link(made);
        if (status == IPC_E_EXISTS)
            status = replace(path, share, made, plan->take_over, &has_name);
        else if (status == IPC_OK)
            has_name = true;
        if (has_name) {
            *region = made;
            return IPC_OK;
        }
        if (status != IPC_OK)
            break;
    }
    if (status == IPC_OK)
        status = ipc_fail(IPC_E_IN_USE, "%s is created and removed by others all the time", path);
    ipc_region_discard(made);
    return status;
}
