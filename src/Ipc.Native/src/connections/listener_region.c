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

#define READY_IN_BODY 512u /* 64 words at most */
#define SLOTS_IN_BODY 1024u
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
    if (ipc_load_acquire32(&body_of(region)->server_state) != IPC_SERVER_OPEN ||
        !ipc_region_is_alive(region, IPC_LISTENER_SERVER))
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

/* Closed first: whoever misses its request then knows that the server has gone, and has not refused it. */
static void withdraw_all(const ipc_listener_view *view)
{
    ipc_store_release32(&view->body->server_state, IPC_SERVER_CLOSED);
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
    withdraw_all(&view);
}

/* Requests that nobody answered: their names end with the region. */
static void retire(ipc_region *region)
{
    ipc_listener_view view = {0};
    if (ipc_listener_locate(region, &view) == IPC_OK)
        withdraw_all(&view);
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

static ipc_status build(const char *path, const ipc_share *share, uint32_t slot_count, uint64_t max_ring_capacity,
                        uint32_t protocol, ipc_region **region)
{
    const uint64_t body_offset = IPC_PARTICIPANT_OFFSET + (uint64_t)slot_count * IPC_PARTICIPANT_SIZE;
    const uint64_t body_size = SLOTS_IN_BODY + (uint64_t)slot_count * IPC_SLOT_SIZE;
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
    body->slots_offset = body_offset + SLOTS_IN_BODY;
    body->ready_offset = body_offset + READY_IN_BODY;
    body->max_ring_capacity = max_ring_capacity;
    body->protocol = protocol;
    ipc_store_relaxed32(&body->server_state, IPC_SERVER_OPEN);
    return IPC_OK;
}

/* Puts an end to a listener whose server is dead, whatever clients it still has. */
static ipc_status replace(const char *path, const ipc_share *share)
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
        if (live && ipc_region_is_alive(old, IPC_LISTENER_SERVER)) {
            status =
                ipc_fail(IPC_E_IN_USE, "%s has a server already, process %u: end that process, or use another name",
                         path, ipc_load_relaxed32(&ipc_region_participant(old, IPC_LISTENER_SERVER)->pid));
        } else if (!ipc_region_may_remove(old)) {
            status = ipc_region_not_ours(old, "has no server");
        } else {
            retire(old);
            ipc_region_retire(old);
            ipc_region_wake_all(old);
        }
        ipc_region_unlock(old);
    }
    ipc_region_discard(old);
    return status;
}

ipc_status ipc_listener_region_create(const char *path, const ipc_share *share, uint32_t slot_count,
                                      uint64_t max_ring_capacity, uint32_t protocol, ipc_region **region)
{
    ipc_region *made = NULL;
    ipc_status status = build(path, share, slot_count, max_ring_capacity, protocol, &made);
    if (status != IPC_OK)
        return status;
    for (int turn = 0; turn < TURNS; turn++) {
        IPC_FAULT_POINT("listener.open.before_link");
        status = ipc_region_link(made);
        if (status == IPC_OK) {
            *region = made;
            return IPC_OK;
        }
        if (status == IPC_E_EXISTS)
            status = replace(path, share);
        if (status != IPC_OK)
            break;
    }
    if (status == IPC_OK)
        status = ipc_fail(IPC_E_IN_USE, "%s is created and removed by others all the time", path);
    ipc_region_discard(made);
    return status;
}
