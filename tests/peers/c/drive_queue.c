/* drive: the commands of one queue, and what a topic answers likewise. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drive_parts.h"

ipc_open_mode drive_open_mode(void)
{
    const char *open = drive_option("open");
    if (open == NULL || strcmp(open, "any") == 0)
        return IPC_OPEN_OR_CREATE;
    return strcmp(open, "create") == 0 ? IPC_CREATE_NEW : IPC_OPEN_EXISTING;
}

uint64_t drive_budget_or_default(void)
{
    const char *budget = drive_option("budget");
    return budget != NULL && strcmp(budget, "none") == 0 ? IPC_NO_LOANS : drive_option_number("budget", 0);
}

void drive_answer_with_text(ipc_status status)
{
    printf("%d | %s\n", status, ipc_last_error());
}

void drive_answer_participants(const ipc_participant_info *list, uint32_t count)
{
    printf("0 count=%" PRIu32, count);
    for (uint32_t i = 0; i < count; i++)
        printf(" pid%" PRIu32 "=%" PRIu32 " role%" PRIu32 "=%" PRIu32 " runtime%" PRIu32 "=%" PRIu32, i, list[i].pid, i,
               list[i].role, i, list[i].runtime);
    printf("\n");
}

void drive_answer_change(ipc_status status, const ipc_change *change)
{
    if (status != IPC_OK)
        drive_answer(status);
    else
        printf("0 kind=%d pid=%" PRIu32 " role=%" PRIu32 " runtime=%" PRIu32 "\n", (int)change->kind,
               change->participant.pid, change->participant.role, change->participant.runtime);
}

static void open_queue(void)
{
    ipc_queue_options options = {0};
    options.block_size = (uint32_t)drive_option_number("block", 0);
    options.block_count = (uint32_t)drive_option_number("count", 0);
    options.max_expansions = (uint32_t)drive_option_number("expansions", 0);
    options.min_expansion_distance = (uint32_t)drive_option_number("distance", 0);
    options.preallocate = drive_option_number("preallocate", 0) != 0;
    options.drop_orphans = drive_option_number("drop", 0) != 0;
    options.lifetime = drive_lifetime();
    options.participants = (uint32_t)drive_option_number("participants", 0);
    options.loan_budget = drive_budget_or_default();
    options.open_mode = drive_open_mode();
    options.access = drive_access();
    options.wait_mode = drive_wait_mode();
    options.deadline = drive_deadline();
    ipc_queue *queue = NULL;
    const ipc_status status = ipc_queue_open(drive_word(2), &options, &queue);
    if (status == IPC_OK)
        *drive_at(1) = (drive_object){.kind = QUEUE, .handle = queue, .held = calloc(DRIVE_HELD, sizeof(ipc_block))};
    drive_answer(status);
}

void drive_queue_close(drive_object *o)
{
    ipc_queue_close(o->handle);
    free(o->held);
}

static void claim(drive_object *o)
{
    const uint32_t length = (uint32_t)drive_number(2);
    const ipc_status status = drive_option("timeout") != NULL
                                  ? ipc_queue_claim(o->handle, length, drive_deadline(), NULL, &o->block)
                                  : ipc_queue_try_claim(o->handle, length, &o->block);
    drive_answer(status);
}

/* circle ID COUNT: as many claims, each abandoned. */
static void circle(drive_object *o)
{
    ipc_status status = IPC_OK;
    for (uint64_t i = drive_number(2); i != 0 && status == IPC_OK; i--) {
        status = ipc_queue_try_claim(o->handle, 8, &o->block);
        if (status == IPC_OK)
            ipc_queue_abandon(o->handle, &o->block);
    }
    drive_answer(status);
}

/* write ID SEED LENGTH TYPE [timeout=MS] */
static void write_pattern(drive_object *o)
{
    const uint32_t length = (uint32_t)drive_number(3);
    void *bytes = malloc(length + 1u);
    drive_fill_pattern(bytes, length, (uint32_t)drive_number(2));
    drive_answer(ipc_queue_send(o->handle, bytes, length, (uint16_t)drive_number(4), drive_deadline(), NULL));
    free(bytes);
}

/* read ID [timeout=MS]: what is received stays held until `release ID`, which releases the oldest. */
static void read_one(drive_object *o)
{
    if (o->holding == DRIVE_HELD) {
        printf("%d | too many are held\n", IPC_E_INVALID_STATE);
        return;
    }
    ipc_block *b = &o->held[o->holding];
    const ipc_status status = drive_option("timeout") != NULL ? ipc_queue_receive(o->handle, drive_deadline(), NULL, b)
                                                              : ipc_queue_try_receive(o->handle, b);
    if (status != IPC_OK) {
        drive_answer(status);
        return;
    }
    o->holding++;
    printf("0 type=%u length=%" PRIu32 " hash=%" PRIu32 " redelivered=%d\n", b->type, b->length,
           drive_hash(b->payload, b->length), b->redelivered);
}

static void release(drive_object *o)
{
    if (o->holding == 0) {
        printf("%d | nothing is held\n", IPC_E_INVALID_STATE);
        return;
    }
    ipc_queue_release(o->handle, &o->held[0]);
    o->holding--;
    memmove(o->held, o->held + 1, o->holding * sizeof *o->held);
    drive_answer(IPC_OK);
}

static void show_info(const drive_object *o)
{
    ipc_queue_info i;
    ipc_queue_get_info(o->handle, &i);
    printf("0 block=%" PRIu32 " count=%" PRIu32 " segments=%" PRIu32 " limit=%" PRIu32 " participants=%" PRIu32
           " capacity=%" PRIu32 " depth=%" PRIu64 " redelivered=%" PRIu64 " dropped=%" PRIu64 " failures=%" PRIu32
           " budget=%" PRIu64 " present=%" PRIu64 " exhausted=%" PRIu64 "\n",
           i.block_size, i.block_count, i.segments, i.segment_limit, i.participants, i.participant_capacity, i.depth,
           i.redelivered, i.dropped, i.growth_failures, i.loan_budget, i.loans_present, i.loans_exhausted);
}

static void show_participants(const drive_object *o)
{
    ipc_participant_info list[256];
    drive_answer_participants(list, ipc_queue_participants(o->handle, list, 256));
}

static void next_change(drive_object *o)
{
    ipc_change change;
    const ipc_status status = ipc_queue_next_change(o->handle, drive_deadline(), NULL, &change);
    drive_answer_change(status, &change);
}

static bool block_commands(const char *command, drive_object *o)
{
#define IS(text) (strcmp(command, text) == 0)
    if (IS("claim"))
        claim(o);
    else if (IS("circle"))
        circle(o);
    else if (IS("fill")) {
        drive_fill_pattern(o->block.payload, o->block.length, (uint32_t)drive_number(2));
        drive_answer(IPC_OK);
    } else if (IS("commit"))
        drive_answer(ipc_queue_commit(o->handle, &o->block, (uint32_t)drive_number(2), (uint16_t)drive_number(3)));
    else if (IS("abandon")) {
        ipc_queue_abandon(o->handle, &o->block);
        drive_answer(IPC_OK);
    } else if (IS("write"))
        write_pattern(o);
    else if (IS("read"))
        read_one(o);
    else if (IS("release"))
        release(o);
    else
        return false;
    return true;
}

bool drive_queue(const char *command, drive_object *o)
{
    if (IS("open-queue")) {
        open_queue();
        return true;
    }
    if (o->kind != QUEUE)
        return false;
    if (block_commands(command, o) || drive_queue_stream(command, o))
        return true;
    if (IS("wait"))
        drive_answer(ipc_queue_wait(o->handle, drive_deadline(), NULL));
    else if (IS("stop") || IS("resume") || IS("trim")) {
        (IS("stop") ? ipc_queue_stop : IS("trim") ? ipc_queue_trim_loans : ipc_queue_resume)(o->handle);
        drive_answer(IPC_OK);
    } else if (IS("info"))
        show_info(o);
    else if (IS("participants"))
        show_participants(o);
    else if (IS("change"))
        next_change(o);
    else
        return false;
    return true;
#undef IS
}
