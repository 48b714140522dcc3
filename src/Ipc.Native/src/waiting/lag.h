/*
 * lag.h - lagging behind a stream.
 *
 * Who receives as fast as another sends finds nothing most of the time, looks again at once, and so takes from the
 * sender the very line that it is writing: each message then costs the way of a line there and back (46 ns where the
 * same messages in portions cost 13). Waits that are over within their first looks, many in a row, show such a stream.
 * The next wait then keeps its eyes closed for about a microsecond: meanwhile a portion comes together, whose lines
 * follow one another without anybody waiting.
 *
 * What it costs: a message in the middle of such a stream is seen up to `longest_ns` later. What it must not touch is
 * request and reply, where every wait is a real one. A processor whose pauses are long may take a quick reply for a
 * stream; but then no portion has come together when the next wait begins, and there is no more lagging for the next
 * thousand waits. The same holds for a sender that finds no room.
 *
 * Several threads may learn at one time: they may lose each other's steps, no more.
 */
#ifndef IPC_LAG_H
#define IPC_LAG_H

#include "atomic.h"
#include "ipc.h"

#include <stdbool.h>

#define IPC_LAG_LOOKS   4     /* a wait that is over within so many looks was over at once */
#define IPC_LAG_STREAM  8     /* so many of them in a row are a stream */
#define IPC_LAG_PORTION 8     /* fewer messages after a lag: it was none */
#define IPC_LAG_PENALTY 1000  /* waits without lagging then */
#define IPC_LAG_MAX_NS  1500u /* longer gains nothing: docs/performance.md */
#define IPC_LAG_MIN_NS  200u  /* less than that is not worth reading the clock */
#define IPC_LAG_SLOT_NS 6u    /* half of what a message takes in full flow: a lag fills half of the slots */

typedef struct ipc_lag {
    uint32_t longest_ns;   /* 0: never lags */
    ipc_atomic32 streak;   /* signed; see ipc_lag_learn */
    ipc_atomic64 progress; /* messages, when it last began to lag */
} ipc_lag;

/* For a ring of `slots`. Who wants the lowest latency (IPC_WAIT_SPIN), never spins (IPC_WAIT_BLOCK) or limits the
   spinning to less does not lag. */
void ipc_lag_init(ipc_lag *lag, ipc_wait_mode mode, uint64_t spin_max_ns, uint32_t slots);

static inline bool ipc_lag_is_due(const ipc_lag *lag)
{
    return (int32_t)ipc_load_relaxed32(&lag->streak) >= IPC_LAG_STREAM;
}

/* At the beginning of a wait, when it is due. `progress`: messages that have gone by, by whatever count. */
void ipc_lag_behind(ipc_lag *lag, uint64_t progress, uint64_t deadline);

/* At the end of a spin. Below 0 the streak counts off a penalty, up to IPC_LAG_STREAM it counts waits that were over at
   once, one beyond that says that the last wait lagged. */
static inline void ipc_lag_learn(ipc_lag *lag, bool at_once)
{
    const int32_t streak = (int32_t)ipc_load_relaxed32(&lag->streak);
    if (at_once && streak < IPC_LAG_STREAM)
        ipc_store_relaxed32(&lag->streak, lag->longest_ns == 0 ? 0 : (uint32_t)(streak + 1));
    else if (!at_once && streak > 0)
        ipc_store_relaxed32(&lag->streak, streak >= IPC_LAG_STREAM ? 0 : (uint32_t)(streak - 1));
}

#endif
