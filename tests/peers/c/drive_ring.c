/* drive: the commands of one ring end. A command is a call of the library, its answer is what the call returned. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drive_parts.h"

void drive_fill_pattern(void *memory, uint32_t length, uint32_t seed)
{
    unsigned char *bytes = memory;
    for (uint32_t i = 0; i < length; i++)
        bytes[i] = (unsigned char)(seed * 17u + i * 3u + (i >> 8));
}

uint32_t drive_hash(const void *bytes, uint32_t length)
{
    const unsigned char *b = bytes;
    uint32_t h = 2166136261u;
    for (uint32_t i = 0; i < length; i++)
        h = (h ^ b[i]) * 16777619u;
    return h;
}

ipc_ring_writer *drive_writer_of(const drive_object *o)
{
    if (o->kind == WRITER)
        return o->handle;
    return o->kind == CONNECTION ? ipc_connection_writer(o->handle) : NULL;
}

ipc_ring_reader *drive_reader_of(const drive_object *o)
{
    if (o->kind == READER)
        return o->handle;
    return o->kind == CONNECTION ? ipc_connection_reader(o->handle) : NULL;
}

static void open_ring(drive_kind end)
{
    drive_object *o = drive_at(1);
    ipc_ring_options options = { 0 };
    options.capacity   = drive_option_number("capacity", 0);
    options.access = drive_access();
    options.wait_mode  = drive_wait_mode();
    options.lifetime = drive_lifetime();
    options.loan_budget = drive_loan_budget();
    options.deadline   = drive_deadline();
    const char *open = drive_option("open");
    if (open != NULL && strcmp(open, "any") != 0)
        options.open_mode = strcmp(open, "create") == 0 ? IPC_CREATE_NEW : IPC_OPEN_EXISTING;
    ipc_status status;
    void *handle = NULL;
    if (end == WRITER) {
        ipc_ring_writer *writer = NULL;
        status = ipc_ring_writer_open(drive_word(2), &options, &writer);
        handle = writer;
    } else {
        ipc_ring_reader *reader = NULL;
        status = ipc_ring_reader_open(drive_word(2), &options, &reader);
        handle = reader;
    }
    if (status == IPC_OK)
        *o = (drive_object){ .kind = end, .handle = handle };
    drive_answer(status);
}

static void claim(drive_object *o)
{
    const uint32_t length = (uint32_t)drive_number(2);
    const ipc_status status = drive_option("timeout") != NULL
        ? ipc_ring_claim(drive_writer_of(o), length, drive_deadline(), NULL, &o->claim)
        : ipc_ring_try_claim(drive_writer_of(o), length, &o->claim);
    if (status == IPC_OK)
        o->claimed = length;
    drive_answer(status);
}

static void extend(drive_object *o)
{
    const uint32_t length   = (uint32_t)drive_number(2);
    const ipc_status status = ipc_ring_try_extend_claim(drive_writer_of(o), length, &o->claim);
    if (status == IPC_OK)
        o->claimed = length;
    drive_answer(status);
}

static void write_pattern(drive_object *o)
{
    const uint32_t length = (uint32_t)drive_number(3);
    unsigned char *bytes  = malloc(length + 1u);
    if (bytes == NULL) {
        drive_answer(IPC_E_NO_MEMORY);
        return;
    }
    drive_fill_pattern(bytes, length, (uint32_t)drive_number(2));
    drive_answer(ipc_ring_write(drive_writer_of(o), bytes, length, (uint16_t)drive_number(4), drive_deadline(), NULL));
    free(bytes);
}

static void read_one(drive_object *o)
{
    ipc_record record;
    const ipc_status status = drive_option("timeout") != NULL ? ipc_ring_read(drive_reader_of(o), drive_deadline(), NULL, &record)
                                                        : ipc_ring_try_read(drive_reader_of(o), &record);
    if (status != IPC_OK)
        drive_answer(status);
    else
        printf("0 type=%u length=%" PRIu32 " hash=%" PRIu32 " redelivered=%d\n", record.type, record.length,
               drive_hash(record.payload, record.length), record.redelivered);
}

static void show_peer(const drive_object *o)
{
    printf("0 state=%d\n", o->kind == WRITER ? (int)ipc_ring_writer_peer(o->handle) : (int)ipc_ring_reader_peer(o->handle));
}

static void wait_for_peer(const drive_object *o)
{
    drive_answer(o->kind == WRITER ? ipc_ring_writer_wait_for_peer(o->handle, drive_deadline(), NULL)
                                   : ipc_ring_reader_wait_for_peer(o->handle, drive_deadline(), NULL));
}

static void show_capacity(const drive_object *o)
{
    if (drive_writer_of(o) != NULL)
        printf("0 capacity=%" PRIu64 " max=%" PRIu32 "\n", ipc_ring_writer_capacity(drive_writer_of(o)),
               ipc_ring_writer_max_payload(drive_writer_of(o)));
    else
        printf("0 capacity=%" PRIu64 "\n", ipc_ring_reader_capacity(drive_reader_of(o)));
}

static void show_wakes(const drive_object *o)
{
    printf("0 wakes=%" PRIu64 "\n", ipc_ring_writer_wakes(drive_writer_of(o)));
}

static void stop(const drive_object *o, bool stops)
{
    if (o->kind == WRITER)
        (stops ? ipc_ring_writer_stop : ipc_ring_writer_resume)(o->handle);
    else
        (stops ? ipc_ring_reader_stop : ipc_ring_reader_resume)(o->handle);
    drive_answer(IPC_OK);
}

bool drive_ring(const char *command, drive_object *o)
{
#define IS(text) (strcmp(command, text) == 0)
    if (IS("open-writer"))
        open_ring(WRITER);
    else if (IS("open-reader"))
        open_ring(READER);
    else if (IS("claim"))
        claim(o);
    else if (IS("extend"))
        extend(o);
    else if (IS("fill")) {
        drive_fill_pattern(o->claim, o->claimed, (uint32_t)drive_number(2));
        drive_answer(IPC_OK);
    } else if (IS("commit"))
        drive_answer(ipc_ring_commit(drive_writer_of(o), (uint32_t)drive_number(2), (uint16_t)drive_number(3)));
    else if (IS("batch"))
        drive_answer(ipc_ring_commit_batched(drive_writer_of(o), (uint32_t)drive_number(2), (uint16_t)drive_number(3)));
    else if (IS("flush")) {
        ipc_ring_flush(drive_writer_of(o));
        drive_answer(IPC_OK);
    } else if (IS("abandon")) {
        ipc_ring_abandon(drive_writer_of(o));
        drive_answer(IPC_OK);
    } else if (IS("trim") && drive_writer_of(o) != NULL) {
        ipc_ring_writer_trim_loans(drive_writer_of(o));
        drive_answer(IPC_OK);
    } else if (IS("write"))
        write_pattern(o);
    else if (IS("read"))
        read_one(o);
    else if (IS("release")) {
        ipc_ring_release(drive_reader_of(o));
        drive_answer(IPC_OK);
    } else if (IS("wait"))
        drive_answer(ipc_ring_wait(drive_reader_of(o), drive_deadline(), NULL));
    else if (IS("peer"))
        show_peer(o);
    else if (IS("wait-peer"))
        wait_for_peer(o);
    else if (IS("capacity"))
        show_capacity(o);
    else if (IS("wakes") && drive_writer_of(o) != NULL)
        show_wakes(o);
    else if (IS("stop") && o->kind != LISTENER)
        stop(o, true);
    else if (IS("resume") && o->kind != LISTENER)
        stop(o, false);
    else
        return false;
    return true;
#undef IS
}
