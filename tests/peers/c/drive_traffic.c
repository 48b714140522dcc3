/* drive: numbered traffic, and the storm. The form of a numbered record stands at the top of drive.c. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "drive_parts.h"
#include "ignore.h"
#include "numbered.h"

/* send ID FIRST COUNT MAX [batch=K] timeout=MS */
static void send_numbered(drive_object *o)
{
    const uint64_t first = drive_number(2), count = drive_number(3), batch = drive_option_number("batch", 1);
    const uint32_t max        = (uint32_t)drive_number(4);
    ipc_ring_writer *writer   = drive_writer_of(o);
    const ipc_deadline until  = drive_deadline();
    for (uint64_t n = first; n < first + count; n++) {
        const uint32_t length = numbered_length(n, max);
        void *payload;
        ipc_status status = ipc_ring_try_claim(writer, length, &payload);
        if (status == IPC_FULL) {
            ipc_ring_flush(writer); /* the reader can only make room if it sees what is there */
            status = ipc_ring_claim(writer, length, until, NULL, &payload);
        }
        if (status == IPC_OK) {
            fill_numbered(payload, length, n);
            status = (n - first) % batch == batch - 1 || n == first + count - 1
                ? ipc_ring_commit(writer, length, (uint16_t)n)
                : ipc_ring_commit_batched(writer, length, (uint16_t)n);
        }
        if (status != IPC_OK) {
            printf("%d at=%" PRIu64 " | %s\n", status, n, ipc_last_error());
            return;
        }
    }
    drive_answer(IPC_OK);
}

/* receive ID FIRST COUNT MAX [release=K] timeout=MS */
static void receive_numbered(drive_object *o)
{
    const uint64_t first = drive_number(2), count = drive_number(3), release = drive_option_number("release", 1);
    const uint32_t max        = (uint32_t)drive_number(4);
    ipc_ring_reader *reader   = drive_reader_of(o);
    const ipc_deadline until  = drive_deadline();
    uint64_t redelivered = 0;
    for (uint64_t n = first; n < first + count; n++) {
        ipc_record record;
        const ipc_status status = ipc_ring_read(reader, until, NULL, &record);
        if (status != IPC_OK) {
            printf("%d at=%" PRIu64 " | %s\n", status, n, ipc_last_error());
            return;
        }
        uint64_t found = 0;
        if (!is_numbered(record.payload, record.length, &found) || found != n || record.length != numbered_length(n, max) ||
            record.type != (uint16_t)n) {
            printf("%d at=%" PRIu64 " found=%" PRIu64 " length=%" PRIu32 " type=%u\n", DRIVE_WRONG_CONTENT, n, found, record.length,
                   record.type);
            return;
        }
        redelivered += record.redelivered;
        if ((n - first) % release == release - 1 || n == first + count - 1)
            ipc_ring_release(reader);
    }
    printf("0 redelivered=%" PRIu64 "\n", redelivered);
}

/* ping WRITER READER COUNT MAX timeout=MS: sends record n, waits until it comes back, COUNT times. */
static void ping(drive_object *o)
{
    const uint64_t count      = drive_number(3);
    const uint32_t max        = (uint32_t)drive_number(4);
    const ipc_deadline until  = drive_deadline();
    ipc_ring_writer *writer   = drive_writer_of(o);
    ipc_ring_reader *reader   = drive_reader_of(drive_at(2));
    for (uint64_t n = 0; n < count; n++) {
        const uint32_t length = numbered_length(n, max);
        void *payload;
        ipc_record record = { 0 };
        uint64_t found    = 0;
        ipc_status status = ipc_ring_claim(writer, length, until, NULL, &payload);
        if (status == IPC_OK) {
            fill_numbered(payload, length, n);
            status = ipc_ring_commit(writer, length, (uint16_t)n);
        }
        if (status == IPC_OK)
            status = ipc_ring_read(reader, until, NULL, &record);
        if (status != IPC_OK || !is_numbered(record.payload, record.length, &found) || found != n || record.length != length) {
            printf("%d at=%" PRIu64 " found=%" PRIu64 " | %s\n", status != IPC_OK ? status : DRIVE_WRONG_CONTENT, n, found, ipc_last_error());
            return;
        }
        ipc_ring_release(reader);
    }
    drive_answer(IPC_OK);
}

/* pong WRITER READER COUNT timeout=MS: sends back what comes, COUNT times. */
static void pong(drive_object *o)
{
    const uint64_t count     = drive_number(3);
    const ipc_deadline until = drive_deadline();
    ipc_ring_reader *reader  = drive_reader_of(drive_at(2));
    for (uint64_t n = 0; n < count; n++) {
        ipc_record record;
        ipc_status status = ipc_ring_read(reader, until, NULL, &record);
        if (status == IPC_OK)
            status = ipc_ring_write(drive_writer_of(o), record.payload, record.length, record.type, until, NULL);
        if (status != IPC_OK) {
            printf("%d at=%" PRIu64 " | %s\n", status, n, ipc_last_error());
            return;
        }
        ipc_ring_release(reader);
    }
    drive_answer(IPC_OK);
}

/* ---- the storm: a rising sequence whose two ends may be killed at any instruction --------------------------------------- */

/* storm-write ID SIDE FROM TO MAX: says what it tries before, what it has done after each record. */
static void storm_write(drive_object *o)
{
    volatile uint64_t *side = drive_open_side(drive_word(2));
    const uint64_t from = drive_number(3), to = drive_number(4);
    const uint32_t max = (uint32_t)drive_number(5);
    for (uint64_t n = from; side != NULL && n < to; n++) {
        const uint32_t length = numbered_length(n, max);
        void *payload;
        side[0] = n;
        const ipc_status status = ipc_ring_claim(drive_writer_of(o), length, ipc_deadline_after(600000000000u), NULL, &payload);
        if (status == IPC_PEER_DIED || status == IPC_PEER_CLOSED) { /* full, and its reader is being replaced */
            ignore(ipc_ring_writer_wait_for_peer(drive_writer_of(o), ipc_deadline_after(600000000000u), NULL));
            n--;
            continue;
        }
        if (status != IPC_OK) {
            printf("%d at=%" PRIu64 " | %s\n", status, n, ipc_last_error());
            return;
        }
        fill_numbered(payload, length, n);
        ignore(ipc_ring_commit(drive_writer_of(o), length, (uint16_t)n));
        side[1] = n;
    }
    drive_answer(side != NULL ? IPC_OK : IPC_E_SYSTEM_ERROR);
}

/* storm-read ID SIDE TO: reads up to number TO - 1. What comes twice must be flagged, nothing may be missing. */
static void storm_read(drive_object *o)
{
    volatile uint64_t *side = drive_open_side(drive_word(2));
    const uint64_t to = drive_number(3);
    uint64_t redelivered = 0;
    while (side != NULL && side[1] + 1 < to) {
        ipc_record record;
        const ipc_status status = ipc_ring_read(drive_reader_of(o), ipc_deadline_after(600000000000u), NULL, &record);
        if (status == IPC_PEER_DIED || status == IPC_PEER_CLOSED) { /* empty, and its writer is being replaced */
            ignore(ipc_ring_reader_wait_for_peer(drive_reader_of(o), ipc_deadline_after(600000000000u), NULL));
            continue;
        }
        if (status != IPC_OK) {
            printf("%d at=%" PRIu64 " | %s\n", status, side[1], ipc_last_error());
            return;
        }
        uint64_t n = 0;
        const uint64_t done = side[1];
        const int whole     = is_numbered(record.payload, record.length, &n);
        if (!whole || n > done + 1 || (n <= done && !record.redelivered)) {
            printf("%d at=%" PRIu64 " found=%" PRIu64 " whole=%d redelivered=%d\n", DRIVE_WRONG_CONTENT, done, n, whole,
                   record.redelivered);
            return;
        }
        redelivered += n <= done;
        if (n == done + 1)
            side[1] = n;
        ipc_ring_release(drive_reader_of(o));
    }
    if (side == NULL)
        drive_answer(IPC_E_SYSTEM_ERROR);
    else
        printf("0 redelivered=%" PRIu64 "\n", redelivered);
}

bool drive_traffic(const char *command, drive_object *o)
{
#define IS(text) (strcmp(command, text) == 0)
    if (IS("send"))
        send_numbered(o);
    else if (IS("receive"))
        receive_numbered(o);
    else if (IS("ping"))
        ping(o);
    else if (IS("pong"))
        pong(o);
    else if (IS("storm-write"))
        storm_write(o);
    else if (IS("storm-read"))
        storm_read(o);
    else
        return false;
    return true;
#undef IS
}
