/*
 * processors.h - does the other side run on the processor on which this side would spin for it?
 *
 * Then spinning is worse than useless: the answer cannot come before the spin is over. Each side says where it is at the
 * moments that cost something anyway: in a wait that was not over at once, after a sleep, and when it wakes the other.
 * These are hints, plain words without any order: what is out of date costs one sleep or one spin too many, and the next
 * such moment corrects it. Worth, a call in 200 us from two cores that are otherwise idle: 11 us instead of 113, because
 * the kernel likes to wake a peer on the processor of who wakes it; with one and two busy loops: docs/performance.md.
 */
#ifndef IPC_PROCESSORS_H
#define IPC_PROCESSORS_H

#include "atomic.h"
#include "platform/platform.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct ipc_processors {
    ipc_atomic32 *here;        /* NULL: not known, for this kind of wait */
    const ipc_atomic32 *there; /* processor + 1; 0 unknown */
} ipc_processors;

/* Says where this side is. */
static inline uint32_t ipc_processors_note(const ipc_processors *processors)
{
    const uint32_t here = ipc_platform_processor() + 1;
    if (ipc_load_relaxed32(processors->here) != here)
        ipc_store_relaxed32(processors->here, here);
    return here;
}

/* Says where this side is, and whether the other side was last seen there. */
static inline bool ipc_processors_are_one(const ipc_processors *processors)
{
    return processors->here != NULL && ipc_load_relaxed32(processors->there) == ipc_processors_note(processors);
}

#endif
