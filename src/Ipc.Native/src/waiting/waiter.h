/*
 * waiter.h - the shared word on which one side sleeps and which the other side signals.
 *
 * [sleep] The sleeper sets bit 0 of the word, then pays for a barrier in every registered process (membarrier), then
 * looks at the condition. The signaller makes the condition true, then loads the word. One of the two sees the other:
 * either the sleeper sees the condition, or the signaller sees bit 0. Without the membarrier the signaller would need a
 * full fence after every publish, which costs it five times its throughput (docs/performance.md). A sleeper that cannot
 * call membarrier sets `fence_required`, a signaller that is not registered fences anyway.
 *
 * [ask] A membarrier costs 600 ns, and many times that where it has to interrupt other processors: much of a round trip
 * between two that share a processor and sleep each time. So a sleeper that comes back again and again asks the
 * signallers for their fence for now, with one more membarrier: who published before it is done, and all others know.
 * From then on nobody who sleeps there needs one, until the signallers' fences have met nobody for a while.
 *
 * [signal] The signaller changes the word before it wakes, and the kernel compares the word before it sleeps: a sleeper
 * on its way does not go to sleep.
 */
#ifndef IPC_WAITER_H
#define IPC_WAITER_H

#include "compiler.h"
#include "ipc.h"
#include "layout/waiter_layout.h"

/* A publish that missed the request to fence is visible after this long (docs/wire-format.md section 3). */
#define IPC_WAITER_DOUBT_NS 20000000u

/* Registers this process for the asymmetric fence, once. Every open calls it. */
void ipc_waiter_prepare_process(void);
/* True when this process has to fence before it looks for sleepers. Constant after ipc_waiter_prepare_process. */
bool ipc_waiter_process_fences(void);

/* Every other thread of this process executes a full fence, or has had the time in which its stores become visible. */
void ipc_waiter_fence_everybody(void);

/* This process cannot fence others (any more): its sleepers ask publishers to do it. */
bool ipc_waiter_process_asks(void);
/* If so, asks where nobody publishes yet: who begins later never misses it. */
void ipc_waiter_ask_early(ipc_waiter *waiter);
/* Returns when a publish that missed the request is visible. */
void ipc_waiter_settle(void);

/* What is missing before all who publish see an armed word; of several words the largest counts. */
typedef enum ipc_armed {
    IPC_ARMED_SETTLED,     /* nothing: they fence */
    IPC_ARMED_FOR_BARRIER, /* a membarrier */
    IPC_ARMED_DOUBTFUL     /* time: fences have just been asked for, and a publish under way may have missed that */
} ipc_armed;

static inline ipc_armed ipc_armed_both(ipc_armed one, ipc_armed other)
{
    return one > other ? one : other;
}

/* Only sets bit 0: for words whose signals come by another waiter, which is then announced, with the barrier for both
   (or asks for fences at both). */
ipc_armed ipc_waiter_arm(ipc_waiter *waiter);
/* Sets bit 0 and makes sure that whoever publishes from now on sees it [sleep]. The caller then checks its condition,
   and sleeps with `armed`. Others: what the caller has armed. False: doubtful, here or there; until a publish that was
   under way must be visible the caller only dozes, and looks again. */
bool ipc_waiter_announce(ipc_waiter *waiter, ipc_armed others, uint32_t *armed);

/* Sleeps until signalled, until the deadline, or for no reason. */
void ipc_waiter_sleep(ipc_waiter *waiter, uint32_t armed, ipc_deadline deadline);

/* Clears bit 0 of an armed word and changes the count; false if somebody else has done it already. True as well when
   a peer rewrites the word all the time: then there is a wake too many. */
bool ipc_waiter_disarm(ipc_waiter *waiter);
/* Wakes who slept on a word that the caller has just disarmed. */
void ipc_waiter_wake_disarmed(ipc_waiter *waiter);
/* Disarms and wakes. */
void ipc_waiter_signal_sleeper(ipc_waiter *waiter);
/* Wakes whoever sleeps or is about to, armed or not: for deaths, closes and stops. */
void ipc_waiter_wake(ipc_waiter *waiter);

/* Somebody sleeps, or is about to. Of use to the thread that has armed it: without a fence others may not be seen. */
static inline bool ipc_waiter_is_marked(const ipc_waiter *waiter)
{
    return (ipc_load_relaxed32(&waiter->word) & IPC_WAITER_SLEEPING) != 0;
}

/* The same with the publisher's fence. */
bool ipc_waiter_is_armed_here(ipc_waiter *waiter);

/* The publisher's half of [sleep]: call after the release store that makes the condition true. */
static inline bool ipc_waiter_is_armed(ipc_waiter *waiter, bool process_fences)
{
    if (IPC_UNLIKELY(process_fences ||
                     (ipc_load_acquire32(&waiter->fence_required) & IPC_WAITER_FENCE) != 0)) /* [ask] */
        return ipc_waiter_is_armed_here(waiter);
    ipc_compiler_fence();
    return ipc_waiter_is_marked(waiter); /* [sleep] */
}

static inline void ipc_waiter_signal(ipc_waiter *waiter, bool process_fences)
{
    if (ipc_waiter_is_armed(waiter, process_fences))
        ipc_waiter_signal_sleeper(waiter);
}

#endif
