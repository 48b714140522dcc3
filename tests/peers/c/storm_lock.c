/*
 * A storm's worker at a mutex, a semaphore and an event.
 *
 * Senders and receivers take turns inside the mutex and with a permit of the semaphore. What the mutex guards are plain
 * words that only the holder changes: two counters that differ only in its hands, and its name. Who acquires it and is
 * not told "abandoned" finds the counters equal and no name. Who has a permit occupies a place, of which there are as
 * many as permits: so somebody who finds all of them in the hands of the living is one too many.
 *
 * Senders post and set the event; receivers note how far posting has come: first when they start (a wake-up dies with
 * whoever has consumed it: an event says "look"), then after each wait. Senders get only so far ahead, so a wake-up
 * that is lost leaves everybody waiting, which the storm notices.
 */
#define _GNU_SOURCE
#include "storm_worker.h"

#include <inttypes.h>
#include <sched.h>
#include <time.h>

enum { AHEAD = 16 };

typedef struct lock_worker {
    storm_worker *w;
    storm_guarded *guarded;
    ipc_shared_mutex *mutex;
    ipc_shared_semaphore *semaphore;
    ipc_shared_event *event;
    uint32_t turn;
} lock_worker;

static void linger(uint32_t turn) /* so that some die, or are stopped, inside */
{
    const struct timespec t = {.tv_nsec = 100000};
    if (turn % 64 == 0)
        (void)nanosleep(&t, NULL);
    else if (turn % 8 == 0)
        (void)sched_yield();
}

/* ---- the mutex --------------------------------------------------------------------------------------- */

static int inside_mutex(lock_worker *l, bool abandoned)
{
    volatile storm_guarded *g = l->guarded;
    const uint64_t before = g->first;
    if (!abandoned && (g->holder != 0 || before != g->second))
        return peer_wrong("worker %u: in the mutex with %" PRIu64 ", counters %" PRIu64 " and %" PRIu64, l->w->id,
                          g->holder - 1, before, g->second);
    if (before - g->second > 1)
        return peer_wrong("worker %u: counters %" PRIu64 " and %" PRIu64, l->w->id, before, g->second);
    g->second = before; /* what the dead one has begun is done */
    g->holder = l->w->id + 1u;
    g->first = before + 1;
    linger(l->turn);
    g->second++;
    if (g->holder != l->w->id + 1u || g->first != before + 1 || g->second != before + 1)
        return peer_wrong("worker %u: not alone in the mutex, %" PRIu64 " is there", l->w->id, g->holder - 1);
    atomic_fetch_add(&l->w->mine->done, 1);
    g->holder = 0;
    return 0;
}

static int mutex_turn(lock_worker *l, ipc_deadline deadline)
{
    storm_record *mine = l->w->mine;
    atomic_fetch_or(&mine->acquiring, STORM_MUTEX);
    const ipc_status status = ipc_shared_mutex_acquire(l->mutex, deadline, NULL);
    if (status == IPC_ABANDONED)
        atomic_fetch_add(&mine->told_mutex, 1);
    atomic_fetch_and(&mine->acquiring, ~(uint32_t)STORM_MUTEX);
    if (status != IPC_OK && status != IPC_ABANDONED)
        return peer_error(status);
    const int result = inside_mutex(l, status == IPC_ABANDONED);
    if (result != 0)
        return result;
    return ipc_shared_mutex_release(l->mutex) == IPC_OK ? 0 : peer_wrong("worker %u: not its mutex", l->w->id);
}

/* ---- the semaphore ----------------------------------------------------------------------------------- */

static bool change_place(lock_worker *l, int place, uint64_t from, uint64_t to)
{
    return atomic_compare_exchange_strong(&l->guarded->places[place], &from, to);
}

/* All places were taken at one moment. Mine is one of a dead one, or free by now: true. False: all of those have left
   by themselves, so they lived, and with us they were one too many. */
static bool is_explained(lock_worker *l, const uint64_t *seen, uint64_t mine, int *place)
{
    for (int p = 0; p < STORM_PERMITS;) {
        const uint64_t now = atomic_load(&l->guarded->places[p]); /* before the next: who is dead does not leave */
        const bool dead = atomic_load(&storm_record_of(l->w->side, (uint32_t)(seen[p] >> 32) - 1)->dead) != 0;
        if (now != seen[p] && dead)
            return true;
        if (now != seen[p]) {
            p++;
        } else if (dead && change_place(l, p, seen[p], mine)) {
            *place = p;
            return true;
        } else {
            (void)sched_yield();
        }
    }
    return false;
}

static int take_place(lock_worker *l, uint64_t mine, int *place)
{
    for (*place = -1; *place < 0;) {
        uint64_t seen[STORM_PERMITS];
        bool same = true;
        for (int p = 0; p < STORM_PERMITS && *place < 0; p++) {
            seen[p] = atomic_load(&l->guarded->places[p]);
            if (seen[p] == 0 && change_place(l, p, 0, mine))
                *place = p;
            same = same && seen[p] != 0;
        }
        for (int p = 0; p < STORM_PERMITS && same; p++)
            same = atomic_load(&l->guarded->places[p]) == seen[p];
        if (same && *place < 0 && !is_explained(l, seen, mine, place))
            return peer_wrong("worker %u: %d permits, and one more is in", l->w->id, STORM_PERMITS);
    }
    return 0;
}

static ipc_status acquire_permit(lock_worker *l, ipc_deadline deadline)
{
    storm_record *mine = l->w->mine;
    atomic_fetch_or(&mine->acquiring, STORM_PERMIT);
    const ipc_status status = ipc_shared_semaphore_acquire(l->semaphore, deadline, NULL);
    if (status == IPC_ABANDONED)
        atomic_fetch_add(&mine->told_permits, 1);
    atomic_fetch_and(&mine->acquiring, ~(uint32_t)STORM_PERMIT);
    return status == IPC_ABANDONED ? IPC_OK : status;
}

static int permit_turn(lock_worker *l)
{
    const uint64_t mine = (uint64_t)(l->w->id + 1) << 32 | l->turn;
    int place = -1;
    const ipc_status status = acquire_permit(l, IPC_FOREVER);
    if (status != IPC_OK)
        return peer_error(status);
    const int result = take_place(l, mine, &place);
    if (result != 0)
        return result;
    linger(l->turn);
    if (!change_place(l, place, mine, 0))
        return peer_wrong("worker %u: its place was taken while it had a permit", l->w->id);
    return ipc_shared_semaphore_release(l->semaphore) == IPC_OK ? 0 : peer_wrong("worker %u: not its permit", l->w->id);
}

/* ---- the event, and the roles ------------------------------------------------------------------------ */

static int turns(lock_worker *l)
{
    l->turn++;
    const int result = mutex_turn(l, IPC_FOREVER);
    return result != 0 ? result : permit_turn(l);
}

static void post(lock_worker *l)
{
    atomic_fetch_add(&l->guarded->posted, 1);
    ipc_shared_event_set(l->event);
}

static void notice(lock_worker *l)
{
    const uint64_t posted = atomic_load(&l->guarded->posted);
    uint64_t noticed = atomic_load(&l->guarded->noticed);
    while (noticed < posted && !atomic_compare_exchange_weak(&l->guarded->noticed, &noticed, posted))
        ;
}

static int send_turns(lock_worker *l)
{
    int result = 0;
    while (result == 0 && atomic_load(&l->w->head->finish) == STORM_ON) {
        if (atomic_load(&l->guarded->posted) > atomic_load(&l->guarded->noticed) + AHEAD) {
            (void)sched_yield();
            continue;
        }
        result = turns(l);
        post(l);
    }
    return result;
}

static int receive_turns(lock_worker *l)
{
    int result = 0;
    notice(l);
    while (result == 0 && atomic_load(&l->w->head->finish) != STORM_OVER) {
        const ipc_status status = ipc_shared_event_wait(l->event, IPC_FOREVER, NULL);
        if (status != IPC_OK)
            return peer_error(status);
        notice(l);
        atomic_fetch_add(&l->w->mine->received, 1);
        result = turns(l);
    }
    ipc_shared_event_set(l->event); /* the next one ends, too */
    return result;
}

/* Nobody else is there: the mutex is to be had, and all permits, and no more. */
static int sweep(lock_worker *l)
{
    const int result = mutex_turn(l, IPC_NOW);
    if (result != 0)
        return result;
    for (int p = 0; p <= STORM_PERMITS; p++)
        if (acquire_permit(l, IPC_NOW) != (p < STORM_PERMITS ? IPC_OK : IPC_TIMEOUT))
            return peer_wrong("sweep: permit %d of %d", p + 1, STORM_PERMITS);
    for (int p = 0; p < STORM_PERMITS; p++)
        if (ipc_shared_semaphore_release(l->semaphore) != IPC_OK)
            return peer_wrong("sweep: permit %d of %d does not go back", p + 1, STORM_PERMITS);
    return 0;
}

static int play(lock_worker *l, const char *role)
{
    if (strcmp(role, "send") == 0)
        return send_turns(l);
    if (strcmp(role, "receive") == 0)
        return receive_turns(l);
    if (strcmp(role, "sweep") == 0)
        return sweep(l);
    atomic_store(&l->w->head->finish, STORM_OVER);
    ipc_shared_event_set(l->event);
    return 0;
}

int storm_lock(storm_worker *w, const char *role)
{
    const ipc_sync_options options = {.permits = STORM_PERMITS, .lifetime = IPC_LIFETIME_PERSISTENT, .wait_mode = storm_wait_mode(w)};
    lock_worker l = {.w = w, .guarded = storm_guarded_of(w->side)};
    ipc_status status = ipc_shared_mutex_open(w->name, &options, &l.mutex);
    if (status == IPC_OK)
        status = ipc_shared_semaphore_open(STORM_PERMIT_REGION, &options, &l.semaphore);
    if (status == IPC_OK)
        status = ipc_shared_event_open(STORM_EVENT_REGION, &options, &l.event);
    if (status != IPC_OK)
        return peer_error(status);
    atomic_store(&w->mine->attached, 1);
    const int result = play(&l, role);
    ipc_shared_event_close(l.event);
    ipc_shared_semaphore_close(l.semaphore);
    ipc_shared_mutex_close(l.mutex);
    return result;
}
