/* Opening and closing a queue, and what is neither sending nor receiving. */
#include "queues/queue.h"

#include <inttypes.h>
#include <stdlib.h>

#define DEFAULT_BLOCK_SIZE   1024u
#define DEFAULT_BLOCK_COUNT  1024u
#define DEFAULT_PARTICIPANTS 64u

/* Looks that a call may take besides two for each slot that there can be: others may be faster that often. */
#define SPARE_LOOKS (1ull << 16)

/* ---- opening ----------------------------------------------------------------------------------------- */

static uint32_t power_of_two(uint32_t value)
{
    uint32_t power = 1;
    while (power < value && power < 1u << 31)
        power <<= 1;
    return power;
}

static ipc_status make_plan(const ipc_queue_options *options, ipc_queue_plan *plan)
{
    const uint32_t size = options->block_size == 0 ? DEFAULT_BLOCK_SIZE : options->block_size;
    const uint32_t count = options->block_count == 0 ? DEFAULT_BLOCK_COUNT : options->block_count;
    plan->participants = options->participants == 0 ? DEFAULT_PARTICIPANTS : options->participants;
    if (size < IPC_BLOCK_SIZE_MIN || size > IPC_BLOCK_SIZE_MAX)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "a block has %u to %u bytes, not %u", IPC_BLOCK_SIZE_MIN,
                        IPC_BLOCK_SIZE_MAX, size);
    if (count < IPC_BLOCK_COUNT_MIN || count > IPC_BLOCK_COUNT_MAX)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "a segment has %u to %u blocks, not %u", IPC_BLOCK_COUNT_MIN,
                        IPC_BLOCK_COUNT_MAX, count);
    if (options->max_expansions >= IPC_QUEUE_SEGMENTS_MAX)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "a queue has 0 to %u expansions, not %u", IPC_QUEUE_SEGMENTS_MAX - 1,
                        options->max_expansions);
    if (plan->participants > IPC_PARTICIPANT_CAPACITY_MAX)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "a queue has 1 to %u participants, not %u",
                        IPC_PARTICIPANT_CAPACITY_MAX, plan->participants);
    plan->block_size = (size + 7) & ~7u;
    plan->slot_count = power_of_two(count);
    if (options->min_expansion_distance >= plan->slot_count)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "the least distance to an expansion is 0 to %u blocks, not %u",
                        plan->slot_count - 1, options->min_expansion_distance);
    plan->segment_limit = 1 + options->max_expansions;
    plan->min_expansion_distance = options->min_expansion_distance;
    plan->preallocate = options->preallocate;
    plan->drops_orphans = options->drop_orphans;
    ipc_status status = ipc_region_new_lifetime(&ipc_queue_kind, options->lifetime, &plan->lifetime);
    return status == IPC_OK ? ipc_pool_budget(options->loan_budget, &plan->loan_budget) : status;
}

static ipc_status create(void *owner, const char *path, const ipc_share *share, ipc_region **region)
{
    return ipc_queue_region_create(path, share, &((ipc_queue *)owner)->plan, owner, region);
}

static void abandon(void *owner)
{
    ipc_queue *queue = owner;
    queue->single = false; /* the mapping is zeroes: every call goes the long way and finds this */
    ipc_attachment_abandon(&queue->place);
}

static bool lock_growth(void *owner)
{
    return ipc_region_try_lock(owner, IPC_NOW);
}

static void unlock_growth(void *owner)
{
    ipc_region_unlock(owner);
}

static ipc_status start(ipc_queue *queue, const ipc_queue_options *options)
{
    ipc_region *region = queue->place.region;
    ipc_status status = ipc_queue_locate(region, &queue->view);
    if (status == IPC_OK)
        status = ipc_pool_locate(region, queue->view.pool_offset, &queue->pool);
    if (status == IPC_OK)
        status = ipc_attachment_start(&queue->place, options->wait_mode);
    if (status != IPC_OK)
        return status;
    queue->pool.growth_lock = lock_growth;
    queue->pool.growth_unlock = unlock_growth;
    queue->pool.growth_owner = region;
    ipc_platform_touch(queue->view.first.slots, queue->view.segment_stride);
    queue->owner = region->index + 1;
    queue->single = queue->view.segment_limit == 1;
    queue->process_fences = ipc_waiter_process_fences();
    queue->look_limit = SPARE_LOOKS + 2ull * queue->view.slot_count * queue->view.segment_limit;
    ipc_end_init(&queue->sending, options->wait_mode);
    ipc_end_init(&queue->receiving, options->wait_mode);
    queue->sending.single_threaded = options->single_threaded;
    queue->receiving.single_threaded = options->single_threaded;
    ipc_end_limit_spin(&queue->sending, options->spin_ns);
    ipc_end_limit_spin(&queue->receiving, options->spin_ns);
    ipc_end_show_spin(&queue->sending, &ipc_region_participant(region, region->index)->room_spin);
    ipc_end_show_spin(&queue->receiving, &ipc_region_participant(region, region->index)->spin);
    ipc_lag_init(&queue->sending_lag, options->wait_mode, queue->sending.spin_max_ns, queue->view.slot_count);
    ipc_lag_init(&queue->receiving_lag, options->wait_mode, queue->receiving.spin_max_ns, queue->view.slot_count);
    queue->sending.wakes[0] = &queue->view.header->space;
    queue->receiving.wakes[0] = &queue->view.header->data;
    queue->place.ends[0] = &queue->sending;
    queue->place.ends[1] = &queue->receiving;
    ipc_region_at_fork(region, abandon, queue);
    (void)ipc_attachment_attend(&queue->place);
    return IPC_OK;
}

static ipc_status enter_region(const char *name, const ipc_queue_options *options, ipc_queue *queue)
{
    const ipc_region_entrance entrance = {
        .name = name,
        .kind = &ipc_queue_kind,
        .owner = queue,
        .role = IPC_ROLE_WRITER | IPC_ROLE_READER,
        .lifetime = options->lifetime,
        .mode = options->open_mode,
        .deadline = options->deadline,
        .cancel = options->cancel,
        .access = options->access,
        .create = create,
    };
    ipc_status status = make_plan(options, &queue->plan);
    return status == IPC_OK ? ipc_region_enter(&entrance, &queue->place.region) : status;
}

ipc_status ipc_queue_open(const char *name, const ipc_queue_options *options, ipc_queue **queue)
{
    static const ipc_queue_options defaults;
    if (options == NULL)
        options = &defaults;
    ipc_queue *made = calloc(1, sizeof *made);
    if (made == NULL)
        return ipc_fail(IPC_E_NO_MEMORY, "no memory for a queue's handle");
    ipc_waiter_prepare_process();
    ipc_status status = enter_region(name, options, made);
    if (status == IPC_OK)
        status = start(made, options);
    if (status != IPC_OK) {
        ipc_attachment_leave(&made->place);
        free(made);
        return status;
    }
    *queue = made;
    return IPC_OK;
}

void ipc_queue_close(ipc_queue *queue)
{
    if (queue == NULL)
        return;
    ipc_attachment_close(&queue->place);
    free(queue);
}

/* ---- the rest ---------------------------------------------------------------------------------------- */

void ipc_queue_stop(ipc_queue *queue)
{
    ipc_attachment_stop(&queue->place);
}

void ipc_queue_resume(ipc_queue *queue)
{
    ipc_attachment_resume(&queue->place);
}

void ipc_queue_trim_loans(ipc_queue *queue)
{
    if (!ipc_pool_exists(&queue->pool) || queue->place.region->forked)
        return;
    ipc_pool_trim(&queue->pool, queue->owner);
    ipc_waiter_signal(&queue->view.header->space, queue->process_fences); /* who found no block may find one now */
}

static uint64_t depth_of(const ipc_queue_view *view, uint32_t segment)
{
    const uint64_t head = ipc_load_relaxed64(&view->segments[segment].head);
    const uint64_t tail = ipc_load_relaxed64(&view->segments[segment].tail);
    if (tail <= head)
        return 0;
    return tail - head > view->slot_count ? view->slot_count : tail - head;
}

void ipc_queue_get_info(const ipc_queue *queue, ipc_queue_info *info)
{
    const ipc_queue_view *view = &queue->view;
    const uint32_t prepared = ipc_queue_prepared(view);
    *info = (ipc_queue_info){
        .block_size = view->block_size,
        .block_count = view->slot_count,
        .segments = prepared,
        .segment_limit = view->segment_limit,
        .participants = ipc_region_list(queue->place.region, NULL, 0),
        .participant_capacity = queue->place.region->geometry.participant_capacity,
        .growth_failures = ipc_load_relaxed32(&view->header->growth_failures),
        .redelivered = ipc_load_relaxed64(&view->header->redelivered),
        .dropped = ipc_load_relaxed64(&view->header->dropped),
    };
    for (uint32_t segment = 0; segment < prepared; segment++)
        info->depth += depth_of(view, segment);
    if (ipc_pool_exists(&queue->pool)) {
        ipc_pool_info pool;
        ipc_pool_get_info(&queue->pool, &pool);
        info->loan_budget = pool.budget;
        info->loans_present = pool.present;
        info->loans_exhausted = pool.exhausted;
    }
}

uint32_t ipc_queue_participants(const ipc_queue *queue, ipc_participant_info *array, uint32_t capacity)
{
    return ipc_attachment_participants((ipc_attachment *)(uintptr_t)&queue->place, array, capacity);
}

ipc_status ipc_queue_next_change(ipc_queue *queue, ipc_deadline deadline, ipc_cancel *cancel, ipc_change *change)
{
    return ipc_region_changes_next(&queue->place.changes, deadline, cancel, change);
}
