/* A topic's writers and readers: opening by name, closing, numbers. */
#include "topics/topic.h"

#include <stdlib.h>
#include <string.h>

static const ipc_topic_options defaults;

/* ---- opening ----------------------------------------------------------------------------------------- */

static void abandon(void *owner)
{
    ipc_topic_end *end = owner;
    ipc_attachment_abandon(&end->place);
    if (end->abandon != NULL)
        end->abandon(end);
}

static ipc_status enter(const char *name, const ipc_topic_options *options, ipc_topic_end *end)
{
    const ipc_region_entrance entrance = {
        .name = name,
        .kind = &ipc_topic_kind,
        .owner = end,
        .role = end->role,
        .lifetime = options->lifetime,
        .mode = options->open_mode,
        .deadline = options->deadline,
        .cancel = options->cancel,
        .access = options->access,
        .create = ipc_topic_create,
    };
    ipc_status status = ipc_topic_check_options(options);
    return status == IPC_OK ? ipc_region_enter(&entrance, &end->place.region) : status;
}

static ipc_status open_end(const char *name, const ipc_topic_options *options, uint32_t role, ipc_topic_end *end)
{
    end->role = role;
    end->options = options;
    ipc_end_init(&end->end, options->wait_mode);
    ipc_end_limit_spin(&end->end, options->spin_ns);
    ipc_status status = enter(name, options, end);
    end->options = NULL;
    if (status == IPC_OK)
        status = ipc_attachment_start(&end->place, options->wait_mode);
    if (status != IPC_OK) {
        ipc_attachment_leave(&end->place);
        return status;
    }
    ipc_region *region = end->place.region;
    ipc_end_show_spin(&end->end, &ipc_region_participant(region, region->index)->spin);
    end->place.ends[0] = &end->end;
    end->end.wakes[1] = &ipc_region_header_of(region)->change;
    ipc_region_at_fork(region, abandon, end);
    return IPC_OK;
}

/* In a forked child: every claim looks for room first, and finds the writer closed. */
static void abandon_writer(ipc_topic_end *end)
{
    ipc_topic_writer *writer = (ipc_topic_writer *)(void *)((uint8_t *)end - offsetof(ipc_topic_writer, base));
    writer->minimum = UINT64_MAX;
}

ipc_status ipc_topic_writer_open(const char *name, const ipc_topic_options *options, ipc_topic_writer **writer)
{
    ipc_topic_writer *made = calloc(1, sizeof *made);
    if (made == NULL)
        return ipc_fail(IPC_E_NO_MEMORY, "no memory for a topic's writer");
    made->base.abandon = abandon_writer;
    ipc_status status = open_end(name, options == NULL ? &defaults : options, IPC_ROLE_WRITER, &made->base);
    if (status != IPC_OK) {
        free(made);
        return status;
    }
    ipc_topic_writer_start(made);
    (void)ipc_attachment_attend(&made->base.place);
    *writer = made;
    return IPC_OK;
}

ipc_status ipc_topic_reader_open(const char *name, const ipc_topic_options *options, ipc_topic_reader **reader)
{
    if (options == NULL)
        options = &defaults;
    ipc_topic_reader *made = calloc(1, sizeof *made);
    if (made == NULL)
        return ipc_fail(IPC_E_NO_MEMORY, "no memory for a topic's reader");
    ipc_status status = open_end(name, options, IPC_ROLE_READER, &made->base);
    if (status == IPC_OK) {
        status = ipc_topic_reader_start(made, options);
        if (status != IPC_OK)
            ipc_attachment_leave(&made->base.place);
    }
    if (status != IPC_OK) {
        ipc_topic_reader_finish(made);
        free(made);
        return status;
    }
    (void)ipc_attachment_attend(&made->base.place);
    *reader = made;
    return IPC_OK;
}

void ipc_topic_writer_close(ipc_topic_writer *writer)
{
    if (writer == NULL)
        return;
    ipc_attachment_close(&writer->base.place);
    free(writer);
}

void ipc_topic_reader_close(ipc_topic_reader *reader)
{
    if (reader == NULL)
        return;
    ipc_attachment_close(&reader->base.place);
    ipc_topic_reader_finish(reader);
    free(reader);
}

void ipc_topic_writer_stop(ipc_topic_writer *writer)
{
    ipc_attachment_stop(&writer->base.place);
}

void ipc_topic_writer_resume(ipc_topic_writer *writer)
{
    ipc_attachment_resume(&writer->base.place);
}

void ipc_topic_reader_stop(ipc_topic_reader *reader)
{
    ipc_attachment_stop(&reader->base.place);
}

void ipc_topic_reader_resume(ipc_topic_reader *reader)
{
    ipc_attachment_resume(&reader->base.place);
}

/* ---- numbers ----------------------------------------------------------------------------------------- */

static void get_info(const ipc_topic_end *end, ipc_topic_info *info)
{
    const ipc_topic *topic = &end->topic;
    memset(info, 0, sizeof *info);
    info->block_size = topic->block_size;
    info->block_count = topic->slot_count;
    info->max_readers = topic->max_readers;
    info->readers = ipc_topic_count_readers(topic);
    info->writers = ipc_topic_count_living(end->place.region, IPC_ROLE_WRITER, NULL);
    info->tail = ipc_load_acquire64(&topic->header->tail);
    info->evictions = ipc_load_relaxed64(&topic->header->evictions);
    if (ipc_pool_exists(&end->pool)) {
        ipc_pool_info loans;
        ipc_pool_get_info(&end->pool, &loans);
        info->loan_budget = loans.budget;
        info->loans_present = loans.present;
        info->loans_exhausted = loans.exhausted;
    }
}

void ipc_topic_writer_get_info(const ipc_topic_writer *writer, ipc_topic_info *info)
{
    ipc_topic_holder slowest;
    get_info(&writer->base, info);
    const uint64_t least = ipc_topic_scan(&writer->base.topic, &slowest);
    info->behind = least < info->tail ? info->tail - least : 0;
}

void ipc_topic_reader_get_info(const ipc_topic_reader *reader, ipc_topic_info *info)
{
    get_info(&reader->base, info);
    const uint64_t done = reader->is_waited_for ? reader->released : reader->position;
    info->behind = done < info->tail ? info->tail - done : 0;
    info->lost = reader->lost;
    info->conflated = reader->conflated;
}

/* ---- who is there ------------------------------------------------------------------------------------ */

uint32_t ipc_topic_writer_participants(const ipc_topic_writer *writer, ipc_participant_info *array, uint32_t capacity)
{
    return ipc_attachment_participants((ipc_attachment *)(uintptr_t)&writer->base.place, array, capacity);
}

uint32_t ipc_topic_reader_participants(const ipc_topic_reader *reader, ipc_participant_info *array, uint32_t capacity)
{
    return ipc_attachment_participants((ipc_attachment *)(uintptr_t)&reader->base.place, array, capacity);
}

ipc_status ipc_topic_writer_next_change(ipc_topic_writer *writer, ipc_deadline deadline, ipc_cancel *cancel,
                                        ipc_change *change)
{
    return ipc_region_changes_next(&writer->base.place.changes, deadline, cancel, change);
}

ipc_status ipc_topic_reader_next_change(ipc_topic_reader *reader, ipc_deadline deadline, ipc_cancel *cancel,
                                        ipc_change *change)
{
    return ipc_region_changes_next(&reader->base.place.changes, deadline, cancel, change);
}
