/*
 * wait.h - waiting: spin as long as a wake would cost, then sleep.
 *
 * Spinning. The budget is 50 us at most: a spin that found what it waited for doubles it, one that did not halves it, and
 * below a microsecond it is nothing: where the processors are busy, the spin itself may be what the peer waits for, and
 * even the shortest one makes the slowest calls slower. How long the sleep after it took says nothing, for the same
 * reason. So that ends that have both given up find back to spinning, a miss now and then is followed by a spin of the
 * full time (a probe): after 8 misses in a row, then after twice as many as the time before, 4,096 at most. One that
 * found nothing is over at once: back to nothing. A sleep of half a millisecond says that there was a pause, and what
 * comes after a pause often comes in a row: the next wait looks for a microsecond, which is all that the second message
 * of a row needs. After 20 ms, which no scheduler makes of a busy processor alone, what was learned is old: the probes
 * begin anew. Where the peer was last seen on this very processor, there is no spinning at all (processors.h), and the
 * next wait asks for that before its first look. A wake costs 5 to 45 us, so spinning never
 * costs more than about what it may save. With one processor there is nothing to spin for. Whether the wait has been
 * ended otherwise is looked at once in 64 looks at the condition. What has been learnt stands in shared memory for
 * people who look (`ipc show`): a plain word, stored when it has changed, on a line that no other side reads. No program
 * may act on it.
 *
 * Ending. `ipc_end` is this process's half of an object that waits. Stop and close set a flag and wake the shared words
 * on which the object's thread can be sleeping; a sleeper in another process that is woken by this looks at its
 * condition and goes back to sleep. `inside` counts the threads that are in a wait: close waits for 0 before it frees
 * anything. Where one thread at a time waits, as in a ring, it counts itself by plain stores, and close pays for the
 * fence (docs/memory-ordering.md, "The asymmetric fence"). Where one
 * thread at a time is promised, close itself included, nothing is counted; only a Debug build does, and ends the process
 * when the promise is broken. Several threads may wait at one end: what they learn about spinning
 * is shared, and may be lost to each other.
 */
#ifndef IPC_WAIT_H
#define IPC_WAIT_H

#include "compiler.h"
#include "layout/spin_layout.h"
#include "platform/platform.h"
#include "waiting/cancel.h"
#include "waiting/lag.h"
#include "waiting/ready_handle.h"
#include "waiting/processors.h"
#include "waiting/waiter.h"

#include <assert.h>

#define IPC_END_STOPPED 1u
#define IPC_END_CLOSED  2u
#define IPC_END_WAKES   3

#define IPC_SLEEP_UNBOUNDED UINT64_MAX

#define IPC_SPIN_LOOKS  64
#define IPC_SPIN_MIN_NS 1000u /* less is none */
#define IPC_SPIN_MAX_NS 50000u
#define IPC_SPIN_USUAL_NS (IPC_SPIN_MAX_NS / 2)
#define IPC_SPIN_PAUSE_NS      500000u
#define IPC_SPIN_LONG_PAUSE_NS 20000000u
#define IPC_SPIN_FIRST_PROBE   8u
#define IPC_SPIN_LAST_PROBE    4096u

typedef struct ipc_end {
    ipc_atomic32 flags;
    ipc_atomic32 inside;
    ipc_wait_mode mode;
    bool single_threaded; /* promised: one thread at a time */
    bool one_waits;     /* one thread at a time waits, and any may close: `inside` is that thread's to store */
    uint32_t spin_max_ns;       /* 0 with one processor */
    ipc_atomic32 budget_ns;     /* adaptive */
    ipc_atomic32 misses;        /* spins in a row that found nothing, since the last probe */
    ipc_atomic32 interval;      /* how many make the next probe */
    ipc_atomic32 probe;         /* 1: the spin under way, or next, is one */
    ipc_atomic32 beside;        /* 1: the last wait found the peer on its own processor */
    ipc_atomic64 *shown;        /* where what it learns is shown; NULL: nowhere */
    ipc_atomic64 bounded_until; /* until then sleeps are short: publishers may not know yet that they must fence */
    ipc_atomic32 asked;         /* where that has been waited out: bits, in the order of `wakes`, then "elsewhere" */
    ipc_waiter *wakes[IPC_END_WAKES];
    ipc_ready_handle *handles; /* armed here last: ready_handle.c's */
} ipc_end;

typedef struct ipc_wait {
    ipc_end *end;
    ipc_waiter *waiter;         /* to sleep on */
    ipc_armed (*arm)(void *subject); /* arms what else leads to a signal of `waiter`; the barrier that follows serves it
                                        too. NULL: nothing */
    /* IPC_EMPTY: go on waiting. Anything else is the result. */
    ipc_status (*check)(void *subject);
    /* Before each sleep: makes sure that the peer's death will wake us. False: it may not: sleep for a while. */
    bool (*attend)(void *subject);
    /* After the check before a sleep: for how many ns at most, as that check has come upon what nobody would
       signal for? 0: it has to be armed first, and all is armed anew. IPC_SLEEP_UNBOUNDED: there is no such thing; so
       NULL. */
    uint64_t (*longest_sleep)(const void *subject);
    void *subject;
    ipc_deadline deadline;
    ipc_cancel *cancel;
    ipc_lag *lag;              /* NULL: never lags */
    uint64_t progress;         /* of what is waited for, for the lag */
    ipc_processors processors; /* of this side and of who ends the wait */
    uint32_t length;           /* so much room is waited for: another length is another wait. 0: not for room */
    uint32_t longest_sleep_ns; /* what is waited for may come without a signal: look again after that. 0: it does not */
} ipc_wait;

void ipc_end_init(ipc_end *end, ipc_wait_mode mode);
void ipc_end_one_waits(ipc_end *end);                       /* after ipc_end_init, before the first wait */
void ipc_end_limit_spin(ipc_end *end, uint64_t longest_ns); /* 0: as it is */
/* Shows how it waits in a word of shared memory, from now on: after the limit was set. The word is mapped as long as
   anybody waits. */
void ipc_end_show_spin(ipc_end *end, ipc_atomic64 *word);
void ipc_end_stop(ipc_end *end);
void ipc_end_resume(ipc_end *end);
void ipc_end_mark_closed(ipc_end *end); /* waits return IPC_CLOSED from now on */
void ipc_end_close(ipc_end *end);       /* ... and returns when no thread is inside a wait */
void ipc_end_drain(ipc_end *end);       /* the second half of that: of what is marked */
void ipc_end_wake(ipc_end *end);

/* Looks once: IPC_TIMEOUT when there is nothing. */
ipc_status ipc_wait_once(const ipc_wait *wait);
/* The wait proper, for when spinning was not enough (or not wanted). */
ipc_status ipc_wait_asleep(const ipc_wait *wait);
/* Sleeps in the handle, not here. IPC_EMPTY: it is armed; the rest is why not. */
ipc_status ipc_wait_arm(const ipc_wait *wait, ipc_ready_handle *handle);
/* What ends a wait from this side: IPC_EMPTY for nothing. */
ipc_status ipc_wait_ended(const ipc_wait *wait);

/* How long this wait may spin, in ns. */
static inline uint64_t ipc_end_spin_budget(const ipc_end *end)
{
    if (end->mode == IPC_WAIT_SPIN)
        return UINT64_MAX;
    return end->mode == IPC_WAIT_BLOCK ? 0 : ipc_load_relaxed32(&end->budget_ns);
}

/* Is spinning useless, because the peer needs this processor to answer? */
static inline bool ipc_wait_is_beside(const ipc_wait *wait)
{
    const bool beside = wait->end->mode == IPC_WAIT_ADAPTIVE && ipc_processors_are_one(&wait->processors);
    if (wait->processors.here != NULL && ipc_load_relaxed32(&wait->end->beside) != (uint32_t)beside)
        ipc_store_relaxed32(&wait->end->beside, (uint32_t)beside);
    return beside;
}

/* Writes what has been learnt into the word that shows it, if it is not what stands there. */
void ipc_end_say_spin(const ipc_end *end);

/* After a spin: did it find what it waited for? */
static inline void ipc_end_learn(ipc_end *end, bool found)
{
    if (end->spin_max_ns == 0)
        return;
    const uint64_t before = ipc_load_relaxed32(&end->budget_ns);
    const uint32_t interval = ipc_load_relaxed32(&end->interval);
    const uint32_t misses = found ? 0 : ipc_load_relaxed32(&end->misses) + 1;
    const bool probe = misses >= interval;
    uint64_t budget = ipc_load_relaxed32(&end->probe) != 0 || before / 2 < IPC_SPIN_MIN_NS ? 0 : before / 2;
    if (found)
        budget = (before < IPC_SPIN_MIN_NS ? IPC_SPIN_MIN_NS : before) * 2;
    if (probe || budget > end->spin_max_ns)
        budget = end->spin_max_ns;
    if (found)
        ipc_store_relaxed32(&end->interval, IPC_SPIN_FIRST_PROBE);
    else if (probe && interval < IPC_SPIN_LAST_PROBE)
        ipc_store_relaxed32(&end->interval, interval * 2);
    ipc_store_relaxed32(&end->misses, probe ? 0 : misses);
    ipc_store_relaxed32(&end->probe, (uint32_t)probe);
    ipc_store_relaxed32(&end->budget_ns, (uint32_t)budget);
    if (end->shown != NULL)
        ipc_end_say_spin(end);
}

/* After a sleep of that length, which ipc_end_learn was told of. */
static inline void ipc_end_slept(ipc_end *end, uint64_t ns)
{
    if (ns < IPC_SPIN_PAUSE_NS)
        return;
    const uint32_t least = end->spin_max_ns < IPC_SPIN_MIN_NS ? end->spin_max_ns : IPC_SPIN_MIN_NS;
    if (ipc_load_relaxed32(&end->budget_ns) < least)
        ipc_store_relaxed32(&end->budget_ns, least);
    if (ns >= IPC_SPIN_LONG_PAUSE_NS) {
        ipc_store_relaxed32(&end->misses, 0);
        ipc_store_relaxed32(&end->interval, IPC_SPIN_FIRST_PROBE);
    }
    if (end->shown != NULL)
        ipc_end_say_spin(end);
}

/* Between two rounds of looks. False: no more spinning, `result` says why (IPC_EMPTY: sleep now). */
bool ipc_wait_spins_on(const ipc_wait *wait, uint32_t round, uint64_t *started, ipc_status *result);

static inline ipc_status ipc_wait_spinning(const ipc_wait *wait, bool (*is_ready)(const void *subject))
{
    uint64_t started = 0; /* taken after the first round: a short wait reads no clock */
    ipc_status result = IPC_EMPTY;
    if (IPC_UNLIKELY(ipc_load_relaxed32(&wait->end->beside) != 0) && ipc_wait_is_beside(wait))
        return wait->check(wait->subject);
    if (ipc_end_spin_budget(wait->end) == 0)
        return IPC_EMPTY;
    if (wait->lag != NULL && IPC_UNLIKELY(ipc_lag_is_due(wait->lag)))
        ipc_lag_behind(wait->lag, wait->progress, wait->deadline);
    for (uint32_t round = 1;; round++) {
        for (int look = 0; look < IPC_SPIN_LOOKS; look++) {
            if (is_ready(wait->subject)) {
                result = wait->check(wait->subject);
                if (result != IPC_EMPTY) {
                    if (started != 0 || ipc_end_spin_budget(wait->end) < IPC_SPIN_USUAL_NS)
                        ipc_end_learn(wait->end, true);
                    if (wait->lag != NULL)
                        ipc_lag_learn(wait->lag, round == 1 && look < IPC_LAG_LOOKS);
                    return result;
                }
            }
            ipc_platform_pause();
        }
        if (!ipc_wait_spins_on(wait, round, &started, &result)) {
            if (wait->lag != NULL)
                ipc_lag_learn(wait->lag, false);
            return result;
        }
    }
}

#ifdef NDEBUG
#define IPC_COUNTS_THREADS(end) (!(end)->single_threaded)
#else
#define IPC_COUNTS_THREADS(end) true
#endif

/* Before the flags are looked at: close does the reverse. */
static inline void ipc_end_enter(ipc_end *end)
{
    if (end->one_waits) {
        ipc_store_relaxed32(&end->inside, ipc_load_relaxed32(&end->inside) + 1);
        ipc_compiler_fence(); /* the processor's half is the closer's membarrier */
    } else if (IPC_COUNTS_THREADS(end)) {
        const uint32_t others = ipc_add32(&end->inside, 1);
        assert(others == 0 || !end->single_threaded);
        (void)others;
    }
}

static inline void ipc_end_leave(ipc_end *end)
{
    if (end->one_waits)
        ipc_store_release32(&end->inside, ipc_load_relaxed32(&end->inside) - 1);
    else if (IPC_COUNTS_THREADS(end))
        (void)ipc_add32(&end->inside, UINT32_MAX);
}

/* Waits. `is_ready` is the cheap look at the condition that the spinning repeats; being inline, it costs no call. */
static inline ipc_status ipc_wait_until(const ipc_wait *wait, bool (*is_ready)(const void *subject))
{
    if (wait->deadline == IPC_NOW)
        return ipc_wait_once(wait);

    ipc_end_enter(wait->end);
    ipc_status status = ipc_wait_spinning(wait, is_ready);
    if (status == IPC_EMPTY)
        status = ipc_wait_asleep(wait);
    ipc_end_leave(wait->end);
    return status;
}

#endif
