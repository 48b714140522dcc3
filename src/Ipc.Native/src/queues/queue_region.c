/* The region of a queue: geometry, building, checking, and cleaning up after its participants (docs/wire-format.md
   section 9). */
#include "queues/queue_region.h"

#include "platform/error.h"
#include "platform/fault.h"
#include "waiting/waiter.h"

#include <inttypes.h>
#include <string.h>

static uint64_t rounded_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) & ~(unit - 1);
}

static ipc_queue_header *header_of(const ipc_region *region)
{
    return ipc_region_at(region, region->geometry.body_offset);
}

/* ---- creating ---------------------------------------------------------------------------------------- */

static void write_header(ipc_region *region, const ipc_queue_plan *plan, uint64_t segments_offset, uint64_t pool_offset)
{
    ipc_queue_header *header = header_of(region);
    header->magic = IPC_QUEUE_MAGIC;
    header->block_size = plan->block_size;
    header->slot_count = plan->slot_count;
    header->segment_limit = plan->segment_limit;
    header->stride = ipc_block_stride(plan->block_size);
    header->segments_offset = segments_offset;
    header->segment_stride = rounded_up(plan->slot_count * header->stride, IPC_QUEUE_SEGMENT_ALIGN);
    header->flags = plan->drops_orphans ? IPC_QUEUE_DROPS_ORPHANS : 0;
    header->min_expansion_distance = plan->min_expansion_distance;
    header->pool_offset = pool_offset;
    ipc_store_relaxed32(&header->segments, plan->preallocate ? plan->segment_limit : 1);
    ipc_store_relaxed64(&header->send, IPC_QUEUE_FIRST_TURN);
    ipc_store_relaxed64(&header->receive, IPC_QUEUE_FIRST_TURN);
    if (pool_offset != 0)
        ipc_pool_write_header(ipc_region_at(region, pool_offset), plan->loan_budget);
}

ipc_status ipc_queue_region_create(const char *path, const ipc_share *share, const ipc_queue_plan *plan, void *owner,
                                   ipc_region **created)
{
    const uint64_t body_offset = IPC_PARTICIPANT_OFFSET + (uint64_t)plan->participants * IPC_PARTICIPANT_SIZE;
    const uint64_t segments_offset =
        rounded_up(body_offset + IPC_QUEUE_HEADER_SIZE + (uint64_t)IPC_QUEUE_SEGMENT_HEADER * plan->segment_limit,
                   IPC_QUEUE_SEGMENT_ALIGN);
    const uint64_t segment_size =
        rounded_up(plan->slot_count * ipc_block_stride(plan->block_size), IPC_QUEUE_SEGMENT_ALIGN);
    const uint64_t segments_end = segments_offset + plan->segment_limit * segment_size;
    const uint64_t pool_offset = plan->loan_budget == 0 ? 0 : segments_end;
    const uint64_t total = segments_end + ipc_pool_size(plan->loan_budget);
    const ipc_region_plan region_plan = {
        .participants = plan->participants,
        .role = IPC_ROLE_WRITER | IPC_ROLE_READER,
        .lifetime = plan->lifetime,
        .share = share,
        .body_offset = body_offset,
        .body_size = total - body_offset,
        .total_size = total,
        .reserved_size = segments_offset + (plan->preallocate ? plan->segment_limit : 1) * segment_size,
        .reserved = {{pool_offset, ipc_pool_reserve(plan->loan_budget)}},
    };
    ipc_region *region = NULL;
    ipc_status status = ipc_region_build(path, &ipc_queue_kind, &region_plan, &region);
    if (status != IPC_OK)
        return status;
    region->owner = owner;
    write_header(region, plan, segments_offset, pool_offset);
    status = ipc_region_link(region);
    if (status != IPC_OK) {
        ipc_region_discard(region);
        return status;
    }
    *created = region;
    return IPC_OK;
}

/* ---- checking ---------------------------------------------------------------------------------------- */

static bool is_power_of_two(uint32_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

/* Each field once: the peer can still write it. */
static void read_header(const ipc_queue_header *header, ipc_queue_header *copy)
{
    const volatile ipc_queue_header *shared = header;
    copy->magic = shared->magic;
    copy->block_size = shared->block_size;
    copy->slot_count = shared->slot_count;
    copy->segment_limit = shared->segment_limit;
    copy->stride = shared->stride;
    copy->segments_offset = shared->segments_offset;
    copy->segment_stride = shared->segment_stride;
    copy->flags = shared->flags;
    copy->min_expansion_distance = shared->min_expansion_distance;
    copy->pool_offset = shared->pool_offset;
}

static ipc_status check_geometry(const ipc_region *region, const ipc_queue_header *copy)
{
    const char *path = region->path;
    if (copy->magic != IPC_QUEUE_MAGIC)
        return ipc_fail(IPC_E_CORRUPT, "%s has %08x where a queue's magic %08x should be", path, copy->magic,
                        IPC_QUEUE_MAGIC);
    if (copy->block_size < IPC_BLOCK_SIZE_MIN || copy->block_size > IPC_BLOCK_SIZE_MAX || copy->block_size % 8 != 0)
        return ipc_fail(IPC_E_CORRUPT, "%s has blocks of %u bytes, not a multiple of 8 from %u to %u", path,
                        copy->block_size, IPC_BLOCK_SIZE_MIN, IPC_BLOCK_SIZE_MAX);
    if (copy->slot_count < IPC_BLOCK_COUNT_MIN || copy->slot_count > IPC_BLOCK_COUNT_MAX ||
        !is_power_of_two(copy->slot_count))
        return ipc_fail(IPC_E_CORRUPT, "%s has segments of %u blocks, not a power of two from %u to %u", path,
                        copy->slot_count, IPC_BLOCK_COUNT_MIN, IPC_BLOCK_COUNT_MAX);
    if (copy->segment_limit < 1 || copy->segment_limit > IPC_QUEUE_SEGMENTS_MAX)
        return ipc_fail(IPC_E_CORRUPT, "%s has up to %u segments, 1 to %u are possible", path, copy->segment_limit,
                        IPC_QUEUE_SEGMENTS_MAX);
    if (copy->stride != ipc_block_stride(copy->block_size) ||
        copy->segment_stride != rounded_up(copy->slot_count * copy->stride, IPC_QUEUE_SEGMENT_ALIGN))
        return ipc_fail(IPC_E_CORRUPT,
                        "%s has slots of %" PRIu64 " and segments of %" PRIu64
                        " bytes, which does not fit %u blocks of %u bytes",
                        path, copy->stride, copy->segment_stride, copy->slot_count, copy->block_size);
    if (copy->min_expansion_distance >= copy->slot_count)
        return ipc_fail(IPC_E_CORRUPT, "%s grows at %u free blocks of %u", path, copy->min_expansion_distance,
                        copy->slot_count);
    return IPC_OK;
}

static ipc_status check_places(const ipc_region *region, const ipc_queue_header *copy)
{
    const uint64_t body = region->geometry.body_offset;
    const uint64_t end = body + region->geometry.body_size;
    const uint64_t headers_end =
        body + IPC_QUEUE_HEADER_SIZE + (uint64_t)IPC_QUEUE_SEGMENT_HEADER * copy->segment_limit;
    const uint64_t from = copy->segments_offset;
    const uint64_t size = copy->segment_limit * copy->segment_stride;
    if (from % IPC_QUEUE_SEGMENT_ALIGN != 0 || from < headers_end || from > end || size > end - from)
        return ipc_fail(IPC_E_CORRUPT,
                        "%s has %" PRIu64 " bytes of segments at %" PRIu64 ", outside %" PRIu64 "..%" PRIu64
                        " or not on %u bytes",
                        region->path, size, from, headers_end, end, IPC_QUEUE_SEGMENT_ALIGN);
    if (copy->pool_offset != 0 && copy->pool_offset < from + size)
        return ipc_fail(IPC_E_CORRUPT, "%s has its pool at %" PRIu64 ", within its segments (%" PRIu64 "..%" PRIu64 ")",
                        region->path, copy->pool_offset, from, from + size);
    return IPC_OK;
}

ipc_status ipc_queue_locate(const ipc_region *region, ipc_queue_view *view)
{
    if (region->geometry.body_size < IPC_QUEUE_HEADER_SIZE)
        return ipc_fail(IPC_E_CORRUPT, "%s has %" PRIu64 " bytes for a queue's header of %u", region->path,
                        region->geometry.body_size, IPC_QUEUE_HEADER_SIZE);
    ipc_queue_header copy = {0};
    read_header(header_of(region), &copy);
    ipc_status status = check_geometry(region, &copy);
    if (status == IPC_OK)
        status = check_places(region, &copy);
    if (status != IPC_OK)
        return status;
    view->header = header_of(region);
    view->segments = ipc_region_at(region, region->geometry.body_offset + IPC_QUEUE_HEADER_SIZE);
    view->first.slots = ipc_region_at(region, copy.segments_offset);
    view->first.stride = copy.stride;
    view->first.mask = copy.slot_count - 1;
    view->first.shift = 0;
    while (1u << view->first.shift < copy.slot_count)
        view->first.shift++;
    view->segment_stride = copy.segment_stride;
    view->block_size = copy.block_size;
    view->slot_count = copy.slot_count;
    view->segment_limit = copy.segment_limit;
    view->min_expansion_distance = copy.min_expansion_distance;
    view->drops_orphans = (copy.flags & IPC_QUEUE_DROPS_ORPHANS) != 0;
    view->pool_offset = copy.pool_offset;
    return IPC_OK;
}

static ipc_status check_body(ipc_region *region)
{
    ipc_queue_view view = {0};
    ipc_pool pool = {0};
    ipc_status status = ipc_queue_locate(region, &view);
    return status == IPC_OK ? ipc_pool_locate(region, view.pool_offset, &pool) : status;
}

static ipc_status admit(ipc_region *region, uint32_t role)
{
    (void)region; /* everybody is equal here; the table is the limit */
    (void)role;
    return IPC_OK;
}

static void wake(ipc_region *region)
{
    ipc_waiter_wake(&header_of(region)->data);
    ipc_waiter_wake(&header_of(region)->space);
}

/* ---- cleaning up ------------------------------------------------------------------------------------- */

bool ipc_queue_descriptor(ipc_block_slot *slot, uint64_t word, ipc_loan_descriptor *copy)
{
    const volatile ipc_block_slot *shared = slot;
    const uint32_t phase = ipc_slot_phase(word);
    if (phase != IPC_PHASE_WRITING && phase != IPC_PHASE_READY && phase != IPC_PHASE_READING)
        return false;
    if ((shared->flags & IPC_BLOCK_HAS_LOAN) == 0 ||
        ipc_load_acquire32(ipc_slot_loan_lap(slot)) != ipc_slot_lap(word)) /* [loan]: before the descriptor */
        return false;
    memcpy(copy, ipc_slot_payload(slot), sizeof *copy);
    return true;
}

/* Does the slot at file offset `holder` name this loan? */
static bool names_loan(void *context, uint64_t holder, const ipc_loan_descriptor *descriptor)
{
    const ipc_region *region = context;
    ipc_queue_view view;
    if (ipc_queue_locate(region, &view) != IPC_OK)
        return true; /* it says nothing about anybody */
    const uint64_t from = (uint64_t)(view.first.slots - region->base);
    const uint64_t place = holder - from;
    if (holder < from || place / view.segment_stride >= ipc_queue_prepared(&view))
        return false;
    const uint64_t in_segment = place % view.segment_stride;
    if (in_segment % view.first.stride != 0 || in_segment / view.first.stride >= view.slot_count)
        return false;
    ipc_block_slot *slot = ipc_region_at(region, holder);
    ipc_loan_descriptor named;
    return ipc_queue_descriptor(slot, ipc_load_acquire64(&slot->state), &named) && named.klass == descriptor->klass &&
           named.index == descriptor->index && named.generation == descriptor->generation;
}

/* An owner without a live entry is as dead as the one that is being cleaned up after. */
static bool is_gone(const ipc_region *region, uint32_t owner, uint32_t index)
{
    if (owner == index + 1 || owner == 0 || owner > region->geometry.participant_capacity)
        return true;
    return ipc_load_acquire32(&ipc_region_participant(region, owner - 1)->state) != IPC_PARTICIPANT_LIVE; /* [live] */
}

/* True: the slot was changed. */
static bool repair(const ipc_region *region, const ipc_queue_view *view, ipc_block_slot *slot, uint32_t index)
{
    uint64_t word = ipc_load_acquire64(&slot->state);
    const uint32_t phase = ipc_slot_phase(word);
    if ((phase != IPC_PHASE_WRITING && phase != IPC_PHASE_READING) || !is_gone(region, ipc_slot_owner(word), index))
        return false;
    uint64_t repaired = ipc_queue_freed(word); /* nothing was sent */
    ipc_atomic64 *count = NULL;
    if (phase == IPC_PHASE_READING && view->drops_orphans) {
        count = &view->header->dropped;
    } else if (phase == IPC_PHASE_READING) {
        repaired = ipc_slot_word(ipc_slot_lap(word), 0, IPC_SLOT_REDELIVERED, IPC_PHASE_READY);
        count = &view->header->redelivered;
    }
    if (!ipc_queue_change(slot, &word, repaired))
        return false;
    if (count != NULL)
        (void)ipc_add64(count, 1);
    IPC_FAULT_POINT("queue.recover.slot");
    return true;
}

static void clean_up(ipc_region *region, uint32_t index, bool died)
{
    ipc_queue_view view = {0};
    ipc_pool pool = {0};
    bool changed = died; /* a dead one may have been cleaned up after by one that died over it */
    if (ipc_queue_locate(region, &view) != IPC_OK || ipc_pool_locate(region, view.pool_offset, &pool) != IPC_OK)
        return;
    const uint32_t prepared = ipc_queue_prepared(&view);
    for (uint32_t segment = 0; segment < prepared; segment++) {
        const ipc_slot_ring ring = ipc_queue_slots(&view, segment);
        for (uint32_t i = 0; i < view.slot_count; i++)
            changed = repair(region, &view, ipc_slot_at(&ring, i), index) || changed;
    }
    if (ipc_pool_exists(&pool))
        ipc_pool_recover(&pool, index + 1, names_loan, region);
    IPC_FAULT_POINT("queue.recover.before_orphans");
    if (changed)
        (void)ipc_add64(&view.header->orphans, 1); /* [orphans]: after every slot of this recovery */
}

/* Ready is the only state of a message that was committed and not released: what the dead were writing was never sent,
   what they were reading is Ready again. */
static bool holds_messages(ipc_region *region)
{
    ipc_queue_view view = {0};
    if (ipc_queue_locate(region, &view) != IPC_OK)
        return false;
    const uint32_t prepared = ipc_queue_prepared(&view);
    for (uint32_t segment = 0; segment < prepared; segment++) {
        const ipc_slot_ring ring = ipc_queue_slots(&view, segment);
        for (uint32_t i = 0; i < view.slot_count; i++) {
            if (ipc_slot_phase(ipc_load_acquire64(&ipc_slot_at(&ring, i)->state)) == IPC_PHASE_READY)
                return true;
        }
    }
    return false;
}

const ipc_region_kind ipc_queue_kind = {
    .kind = IPC_KIND_QUEUE,
    .check_body = check_body,
    .admit = admit,
    .clean_up = clean_up,
    .wake = wake,
    .holds_messages = holds_messages,
};
