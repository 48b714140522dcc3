/*
 * storm_holders.c - what the workers of a storm of locks died with, and whether somebody was told.
 *
 * A worker is stopped before it is killed, so what it holds stands still and can be read: in the mutex's word and the
 * permits' words, with its number in the table of participants (offsets from docs/wire-format.md). Each death with the
 * mutex, or with a permit, has to be told once. Whoever dies while it is acquiring may have been told and not have
 * noted it; it holds what it was told of then, so it is known how many these are.
 */
#define _GNU_SOURCE
#include "storm_run.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TABLE_AT = 1024, ENTRY = 128, WORD_AT = 128, PERMITS_AT = 512, LOOKED_AT = 65536 };

typedef struct count {
    uint64_t held;  /* at a death */
    uint64_t quiet; /* of these, by somebody who may not have noted yet that it was told */
} count;

static count mutexes, permits;

bool storm_is_lock(void)
{
    return strcmp(run.kind, "lock") == 0;
}

static uint32_t word_at(const unsigned char *bytes, uint64_t offset)
{
    uint32_t word = 0;
    if (offset <= LOOKED_AT - sizeof word)
        memcpy(&word, bytes + offset, sizeof word);
    return word;
}

/* How many of WORDS words at OFFSET in the region's body name that process. */
static uint32_t held_in(const char *region, pid_t pid, uint32_t offset, uint32_t words)
{
    static unsigned char bytes[LOOKED_AT];
    char path[320];
    uint32_t held = 0;
    (void)snprintf(path, sizeof path, "%s/%s", run.directory, region);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    memset(bytes, 0, sizeof bytes);
    if (file < 0 || pread(file, bytes, sizeof bytes, 0) < TABLE_AT)
        memset(bytes, 0, sizeof bytes); /* not there yet: nothing is held in it */
    if (file >= 0)
        close(file);
    const uint32_t participants = word_at(bytes, 28);
    for (uint32_t i = 0; i < participants; i++) {
        const uint64_t entry = TABLE_AT + (uint64_t)ENTRY * i;
        for (uint32_t w = 0; word_at(bytes, entry) == 1 && word_at(bytes, entry + 8) == (uint32_t)pid && w < words; w++)
            held += word_at(bytes, word_at(bytes, 32) + offset + 4 * (uint64_t)w) == i + 1;
    }
    return held;
}

static void add(count *to, uint32_t held, bool acquiring)
{
    to->held += held;
    to->quiet += acquiring ? held : 0;
}

void storm_look_at(pid_t pid, uint32_t id)
{
    siginfo_t what = {0};
    kill(pid, SIGSTOP);
    if (waitid(P_PID, (id_t)pid, &what, WSTOPPED | WEXITED | WNOWAIT) != 0 || what.si_code != CLD_STOPPED)
        return; /* it has ended by itself */
    const uint32_t acquiring = storm_record_of(run.side, id)->acquiring;
    add(&mutexes, held_in(STORM_REGION, pid, WORD_AT, 1), (acquiring & STORM_MUTEX) != 0);
    add(&permits, held_in(STORM_PERMIT_REGION, pid, PERMITS_AT, STORM_PERMITS), (acquiring & STORM_PERMIT) != 0);
}

static uint64_t above(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

typedef struct sums {
    uint64_t turns, told_mutex, told_permits;
} sums;

static sums sums_of_all(void)
{
    sums all = {0};
    for (uint32_t id = 0; id < run.next_id; id++) {
        const storm_record *r = storm_record_of(run.side, id);
        all.turns += r->done;
        all.told_mutex += r->told_mutex;
        all.told_permits += r->told_permits;
    }
    return all;
}

uint64_t storm_holders_lost(void)
{
    const sums all = sums_of_all();
    return above(all.turns, storm_guarded_of(run.side)->second) + above(mutexes.held, all.told_mutex + mutexes.quiet) +
           above(permits.held, all.told_permits + permits.quiet);
}

uint64_t storm_holders_repeated(void)
{
    const sums all = sums_of_all();
    return above(storm_guarded_of(run.side)->second, all.turns + mutexes.held) + above(all.told_mutex, mutexes.held) +
           above(all.told_permits, permits.held);
}

bool storm_all_noticed(void)
{
    storm_guarded *g = storm_guarded_of(run.side);
    return atomic_load(&g->noticed) == atomic_load(&g->posted);
}

void storm_holders_print(void)
{
    const sums all = sums_of_all();
    printf("died with the mutex %" PRIu64 ", told %" PRIu64 " and up to %" PRIu64 " unnoted; with a permit %" PRIu64
           ", told %" PRIu64 " and up to %" PRIu64 " unnoted; posted %" PRIu64 "\n",
           mutexes.held, all.told_mutex, mutexes.quiet, permits.held, all.told_permits, permits.quiet,
           atomic_load(&storm_guarded_of(run.side)->posted));
}
