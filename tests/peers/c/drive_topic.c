/* drive: the commands of a topic's writer (publisher) and reader (subscriber). */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drive_parts.h"

static const char *const policies[] = {"reliable", "evict", "lossy", "latest"};
static const char *const joins[] = {"newest", "oldest", "last"};

static int index_of(const char *word, const char *const *words, int count)
{
    for (int i = 0; word != NULL && i < count; i++)
        if (strcmp(word, words[i]) == 0)
            return i;
    return 0;
}

static ipc_topic_options options_of_command(void)
{
    ipc_topic_options options = {0};
    options.block_size = (uint32_t)drive_option_number("block", 0);
    options.block_count = (uint32_t)drive_option_number("count", 0);
    options.max_readers = (uint32_t)drive_option_number("readers", 0);
    options.max_writers = (uint32_t)drive_option_number("writers", 0);
    options.single_writer = drive_option_number("single", 0) != 0;
    options.allowed_policies = (uint32_t)drive_option_number("allowed", 0);
    options.loan_budget = drive_budget_or_default();
    options.lifetime = drive_lifetime();
    options.open_mode = drive_open_mode();
    options.access = drive_access();
    options.wait_mode = drive_wait_mode();
    options.deadline = drive_deadline();
    options.policy = (ipc_policy)index_of(drive_option("policy"), policies, 4);
    options.join = (ipc_join)index_of(drive_option("join"), joins, 3);
    if (drive_option("ignore") != NULL)
        options.ignore = drive_objects[drive_option_number("ignore", 0)].handle;
    return options;
}

static void open_writer(void)
{
    const ipc_topic_options options = options_of_command();
    ipc_topic_writer *writer = NULL;
    const ipc_status status = ipc_topic_writer_open(drive_word(2), &options, &writer);
    if (status == IPC_OK)
        *drive_at(1) = (drive_object){.kind = PUBLISHER, .handle = writer};
    drive_answer(status);
}

static void open_reader(void)
{
    const ipc_topic_options options = options_of_command();
    ipc_topic_reader *reader = NULL;
    const ipc_status status = ipc_topic_reader_open(drive_word(2), &options, &reader);
    if (status == IPC_OK)
        *drive_at(1) = (drive_object){.kind = SUBSCRIBER, .handle = reader};
    drive_answer(status);
}

static void claim(drive_object *o)
{
    const uint32_t length = (uint32_t)drive_number(2);
    const ipc_status status = drive_option("timeout") != NULL
                                  ? ipc_topic_claim(o->handle, length, drive_deadline(), NULL, &o->block)
                                  : ipc_topic_try_claim(o->handle, length, &o->block);
    drive_answer_with_text(status);
}

/* write ID SEED LENGTH TYPE [key=K] [timeout=MS] */
static void write_pattern(drive_object *o)
{
    const uint32_t length = (uint32_t)drive_number(3);
    void *bytes = malloc(length + 1u);
    drive_fill_pattern(bytes, length, (uint32_t)drive_number(2));
    drive_answer_with_text(ipc_topic_publish(o->handle, bytes, length, (uint16_t)drive_number(4),
                                             drive_option_number("key", 0), drive_deadline(), NULL));
    free(bytes);
}

static void read_one(drive_object *o)
{
    ipc_message m;
    const ipc_status status = drive_option("timeout") != NULL ? ipc_topic_read(o->handle, drive_deadline(), NULL, &m)
                                                              : ipc_topic_try_read(o->handle, &m);
    if (status != IPC_OK) {
        drive_answer(status);
        return;
    }
    printf("0 type=%u length=%" PRIu32 " hash=%" PRIu32 " key=%" PRIu64 " position=%" PRIu64 " lost=%" PRIu64
           " writer=%" PRIu32 "\n",
           m.type, m.length, drive_hash(m.payload, m.length), m.key, m.position, m.lost, m.writer);
}

static void show_info(const drive_object *o)
{
    ipc_topic_info i;
    if (o->kind == PUBLISHER)
        ipc_topic_writer_get_info(o->handle, &i);
    else
        ipc_topic_reader_get_info(o->handle, &i);
    printf("0 block=%" PRIu32 " count=%" PRIu32 " readers=%" PRIu32 " writers=%" PRIu32 " max=%" PRIu32 " tail=%" PRIu64
           " evictions=%" PRIu64 " lost=%" PRIu64 " behind=%" PRIu64 " budget=%" PRIu64 " present=%" PRIu64
           " exhausted=%" PRIu64 "\n",
           i.block_size, i.block_count, i.readers, i.writers, i.max_readers, i.tail, i.evictions, i.lost, i.behind,
           i.loan_budget, i.loans_present, i.loans_exhausted);
}

static void show_participants(const drive_object *o)
{
    ipc_participant_info list[256];
    drive_answer_participants(list, o->kind == PUBLISHER ? ipc_topic_writer_participants(o->handle, list, 256)
                                                         : ipc_topic_reader_participants(o->handle, list, 256));
}

static void next_change(drive_object *o)
{
    ipc_change change;
    const ipc_status status = o->kind == PUBLISHER
                                  ? ipc_topic_writer_next_change(o->handle, drive_deadline(), NULL, &change)
                                  : ipc_topic_reader_next_change(o->handle, drive_deadline(), NULL, &change);
    drive_answer_change(status, &change);
}

#define IS(text) (strcmp(command, text) == 0)

static bool writer_commands(const char *command, drive_object *o)
{
    if (IS("claim"))
        claim(o);
    else if (IS("fill")) {
        drive_fill_pattern(o->block.payload, o->block.length, (uint32_t)drive_number(2));
        drive_answer(IPC_OK);
    } else if (IS("commit"))
        drive_answer(ipc_topic_commit(o->handle, &o->block, (uint32_t)drive_number(2), (uint16_t)drive_number(3),
                                      drive_option_number("key", 0)));
    else if (IS("abandon")) {
        ipc_topic_abandon(o->handle, &o->block);
        drive_answer(IPC_OK);
    } else if (IS("write"))
        write_pattern(o);
    else if (IS("wait-readers")) /* wait-readers ID COUNT timeout=MS */
        drive_answer(ipc_topic_writer_wait_for_readers(o->handle, (uint32_t)drive_number(2), drive_deadline(), NULL));
    else if (IS("stop") || IS("resume") || IS("trim")) {
        (IS("stop")   ? ipc_topic_writer_stop
         : IS("trim") ? ipc_topic_writer_trim_loans
                      : ipc_topic_writer_resume)(o->handle);
        drive_answer(IPC_OK);
    } else
        return false;
    return true;
}

static bool reader_commands(const char *command, drive_object *o)
{
    if (IS("read"))
        read_one(o);
    else if (IS("release"))
        drive_answer(ipc_topic_release(o->handle));
    else if (IS("rejoin")) /* rejoin ID newest|oldest|last */
        drive_answer(ipc_topic_rejoin(o->handle, (ipc_join)index_of(drive_word(2), joins, 3)));
    else if (IS("wait"))
        drive_answer(ipc_topic_wait(o->handle, drive_deadline(), NULL));
    else if (IS("stop") || IS("resume")) {
        (IS("stop") ? ipc_topic_reader_stop : ipc_topic_reader_resume)(o->handle);
        drive_answer(IPC_OK);
    } else
        return false;
    return true;
}

bool drive_topic(const char *command, drive_object *o)
{
    if (IS("open-publisher")) {
        open_writer();
        return true;
    }
    if (IS("open-subscriber")) {
        open_reader();
        return true;
    }
    if (o->kind != PUBLISHER && o->kind != SUBSCRIBER)
        return false;
    if (o->kind == PUBLISHER ? writer_commands(command, o) : reader_commands(command, o))
        return true;
    if (drive_topic_stream(command, o))
        return true;
    if (IS("info"))
        show_info(o);
    else if (IS("participants"))
        show_participants(o);
    else if (IS("change"))
        next_change(o);
    else
        return false;
    return true;
}
