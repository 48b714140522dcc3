/*
 * peer storm KIND-ROLE NAME SIDE ID SEED: one worker of a storm (storm.c). KIND is queue, topic, ring or lock; ROLE is
 *
 *   send      sends numbered messages; notes "tried" before the claim and "done" after the commit
 *   receive   checks content, per-sender order and flags; notes each delivery before it releases it
 *   end       sends one end mark, which ends a receiver of a queue or ring and every reader of a topic
 *   sweep     joins, cleans up after the dead by that, takes what is there without waiting, leaves
 *
 * It is killed at any instruction; its C# twin is tests/peers/cs/Ipc.Peer/Storm.
 */
#define _GNU_SOURCE
#include "storm_worker.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "numbered.h"

enum { SMALL = 100, LARGE = 9000 };

uint32_t storm_length(uint64_t n)
{
    return numbered_length(n, n % 16 == 0 ? LARGE : SMALL);
}

ipc_wait_mode storm_wait_mode(const storm_worker *w)
{
    return w->seed % 3 == 0 ? IPC_WAIT_BLOCK : IPC_WAIT_ADAPTIVE;
}

bool storm_is_exact(void)
{
    const char *exact = getenv("IPC_STORM_EXACT");
    return exact != NULL && exact[0] == '1';
}

int storm_send_all(storm_worker *w, void *end, storm_send send)
{
    const char *pace = getenv("IPC_STORM_PACE"); /* ns between two messages; a soak's steady sender has one */
    const struct timespec next_in = {.tv_nsec = pace != NULL ? (long)(strtoull(pace, NULL, 10) % 1000000000u) : 0};
    for (uint64_t i = 0; i < STORM_PER_SENDER && atomic_load(&w->head->finish) == 0; i++) {
        const uint64_t n = (uint64_t)w->id << 32 | i;
        const uint32_t length = storm_length(n);
        atomic_store(&w->mine->tried, i + 1);
        ipc_status status = i % 61 == 60 && !storm_is_exact() ? send(end, n, length, true) : IPC_OK;
        if (status == IPC_OK)
            status = send(end, n, length, false);
        if (status != IPC_OK)
            return peer_error(status);
        atomic_store(&w->mine->done, i + 1);
        if (next_in.tv_nsec != 0)
            (void)nanosleep(&next_in, NULL);
    }
    return 0;
}

int storm_delivered(storm_worker *w, const void *payload, uint32_t length, bool flagged)
{
    uint64_t n = 0;
    if (!is_numbered(payload, length, &n) || length != storm_length(n) || n >> 32 >= w->head->workers)
        return peer_wrong("worker %u: %u bytes that are none of ours (number %" PRIx64 ")", w->id, length, n);
    const uint64_t sender = n >> 32, i = n & UINT32_MAX;
    if (i >= atomic_load(&storm_record_of(w->side, (uint32_t)sender)->tried))
        return peer_wrong("worker %u: number %" PRIx64 " was never sent", w->id, n);
    const uint8_t before = atomic_fetch_add(storm_seen(w->side, n), flagged ? 16 : 1);
    atomic_fetch_add(&w->mine->received, 1);
    if (flagged) {
        atomic_fetch_add(&w->mine->redelivered, 1);
        return 0;
    }
    if (before != 0) {
        fprintf(stderr, "worker %u: number %" PRIx64 " again, without the flag (%#x before)\n", w->id, n, before);
        atomic_fetch_add(&w->mine->repeated, 1);
    } else if (i < w->next[sender]) {
        return peer_wrong("worker %u: number %" PRIx64 " after %" PRIx64 " of the same sender", w->id, n,
                          w->next[sender] - 1);
    }
    w->next[sender] = i + 1;
    return 0;
}

int peer_storm(char **arguments, int count)
{
    (void)count;
    struct stat status;
    storm_worker w = {.name = arguments[1],
                      .id = (uint32_t)strtoul(arguments[3], NULL, 10),
                      .seed = strtoull(arguments[4], NULL, 10)};
    const char *role = strchr(arguments[0], '-');
    const int file = open(arguments[2], O_RDWR | O_CLOEXEC);
    if (role == NULL || file < 0 || fstat(file, &status) != 0)
        return peer_error(IPC_E_SYSTEM_ERROR);
    void *side = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (side == MAP_FAILED)
        return peer_error(IPC_E_SYSTEM_ERROR);
    w.side = side;
    w.head = side;
    w.mine = storm_record_of(side, w.id);
    w.next = calloc(w.head->workers, sizeof *w.next);
    if (w.next == NULL)
        return peer_error(IPC_E_NO_MEMORY);
    if (arguments[0][0] == 'q')
        return storm_queue(&w, role + 1);
    if (arguments[0][0] == 'l')
        return storm_lock(&w, role + 1);
    return arguments[0][0] == 't' ? storm_topic(&w, role + 1) : storm_ring(&w, role + 1);
}
