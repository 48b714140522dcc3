/* The shared half of a waiter, 64 bytes: docs/wire-format.md section 3. */
#ifndef IPC_WAITER_LAYOUT_H
#define IPC_WAITER_LAYOUT_H

#include "atomic.h"

#include <stddef.h>

#define IPC_WAITER_SLEEPING 1u /* bit 0 of `word`: somebody sleeps or is about to */
#define IPC_WAITER_SIGNAL   2u /* what a signal adds */

/* `fence_required`: bits 3 to 31 count how often it was asked for now. */
#define IPC_WAITER_FENCE   1u /* publishers must fence */
#define IPC_WAITER_FOR_NOW 2u /* else for good */
#define IPC_WAITER_SETTLED 4u /* for now, and whoever began to publish before that is done, or knows */
#define IPC_WAITER_ASKING  8u /* what an asking adds */

/* All three bits: whoever looks for one alone would take what nobody may write for an asking. */
static inline bool ipc_waiter_is_settled(uint32_t fence_required)
{
    const uint32_t settled = IPC_WAITER_FENCE | IPC_WAITER_FOR_NOW | IPC_WAITER_SETTLED;
    return (fence_required & settled) == settled;
}

typedef struct ipc_waiter {
    ipc_atomic32 word;           /* sleepers set bit 0, signallers clear it and add 2 */
    ipc_atomic32 fence_required; /* set by a sleeper that cannot use membarrier, or that sleeps often */
    ipc_atomic32 wanted;         /* only in a ring's space waiter: the writer wants space */
    ipc_atomic32 fence_count;    /* fences in a row that met nobody; while none are asked for: sleeps */
    ipc_atomic64 asleep[6];      /* on Windows: who sleeps (docs/wire-format/windows.md section 5) */
} ipc_waiter;

_Static_assert(offsetof(ipc_waiter, word) == 0, "wire-format section 3");
_Static_assert(offsetof(ipc_waiter, fence_required) == 4, "wire-format section 3");
_Static_assert(offsetof(ipc_waiter, wanted) == 8, "wire-format section 3");
_Static_assert(offsetof(ipc_waiter, fence_count) == 12, "wire-format section 3");
_Static_assert(offsetof(ipc_waiter, asleep) == 16, "wire-format/windows section 5");
_Static_assert(sizeof(ipc_waiter) == 64, "wire-format section 3");

#endif
