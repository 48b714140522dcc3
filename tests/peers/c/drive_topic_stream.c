/* drive: numbered traffic through a topic. Number n of sender s is s * 2^32 + i, its key is s. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "drive_parts.h"
#include "numbered.h"

enum { SENDERS = 256 };

/* stream ID SENDER COUNT MAX timeout=MS */
static void send_all(drive_object *o)
{
    const uint64_t sender = drive_number(2), count = drive_number(3);
    const uint32_t max = (uint32_t)drive_number(4);
    const ipc_deadline until = drive_deadline();
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t n = sender << 32 | i;
        const uint32_t length = numbered_length(n, max);
        ipc_block block;
        ipc_status status = ipc_topic_claim(o->handle, length, until, NULL, &block);
        if (status == IPC_OK) {
            fill_numbered(block.payload, length, n);
            status = ipc_topic_commit(o->handle, &block, length, (uint16_t)(n & 1023), sender);
        }
        if (status != IPC_OK) {
            printf("%d at=%" PRIu64 " | %s\n", status, i, ipc_last_error());
            return;
        }
    }
    drive_answer(IPC_OK);
}

/*
 * collect ID MAX ENDS [gaps=1] timeout=MS: until so many end marks have come. Of each sender the numbers must rise,
 * without gaps from the first that is seen unless gaps=1. The sum is over the numbers that came; missing counts the
 * gaps.
 */
static void collect_all(drive_object *o)
{
    const uint32_t max = (uint32_t)drive_number(2), ends = (uint32_t)drive_number(3);
    const bool gaps = drive_option_number("gaps", 0) != 0;
    const ipc_deadline until = drive_deadline();
    uint64_t next[SENDERS] = {0}, count = 0, missing = 0, lost = 0;
    uint32_t sum = 0;
    for (uint32_t ended = 0; ended < ends;) {
        ipc_message m;
        uint64_t n = 0;
        ipc_status status = ipc_topic_read(o->handle, until, NULL, &m);
        if (status != IPC_OK) {
            printf("%d count=%" PRIu64 " | %s\n", status, count, ipc_last_error());
            return;
        }
        lost += m.lost;
        if (m.type == DRIVE_END_OF_STREAM) {
            ended++;
        } else {
            const bool whole = is_numbered(m.payload, m.length, &n) && m.length == numbered_length(n, max) &&
                               m.type == (n & 1023) && n >> 32 < SENDERS && m.key == n >> 32;
            const uint64_t i = n & UINT32_MAX, expected = whole ? next[n >> 32] : 0;
            if (!whole || i < expected || (i > expected && expected != 0 && !gaps)) {
                printf("%d count=%" PRIu64 " at=%" PRIu64 " expected=%" PRIu64 " whole=%d\n", DRIVE_WRONG_CONTENT,
                       count, i, expected, whole);
                return;
            }
            missing += expected != 0 ? i - expected : 0;
            next[n >> 32] = i + 1;
            count++;
            sum += drive_hash(&n, sizeof n);
        }
        status = ipc_topic_release(o->handle);
        if (status != IPC_OK) {
            printf("%d count=%" PRIu64 " | %s\n", status, count, ipc_last_error());
            return;
        }
    }
    printf("0 count=%" PRIu64 " missing=%" PRIu64 " lost=%" PRIu64 " sum=%" PRIu32 "\n", count, missing, lost, sum);
}

bool drive_topic_stream(const char *command, drive_object *o)
{
    if (o->kind == PUBLISHER && strcmp(command, "stream") == 0)
        send_all(o);
    else if (o->kind == SUBSCRIBER && strcmp(command, "collect") == 0)
        collect_all(o);
    else
        return false;
    return true;
}
