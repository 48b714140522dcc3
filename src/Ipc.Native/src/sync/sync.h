/*
 * sync.h - what mutex, semaphore and event have in common: a region with one word to take and one waiter to sleep on.
 *
 * Everything that is held is a word that names its holder, taken and given back by a CAS [owner]. So a death leaves no
 * doubt about what was held, and its recovery, which may be killed and done again, is a CAS of the same words. An
 * object that leaves without giving back what it holds is treated like one that died. Under the region lock at each
 * join, what is held by nobody who is there is taken back too.
 */
#ifndef IPC_SYNC_INTERNAL_H
#define IPC_SYNC_INTERNAL_H

#include "ipc.h"
#include "layout/sync_layout.h"
#include "platform/error.h"
#include "regions/attachment.h"
#include "waiting/wait.h"

typedef struct ipc_sync {
    const ipc_region_kind *kind;
    ipc_attachment place;
    ipc_sync_body *body;
    ipc_atomic32 *table; /* a semaphore's permits */
    uint32_t parameter;  /* of the body, checked */
    uint32_t owner;      /* our participant index + 1 */
    bool process_fences; /* no membarrier here: fence at every signal */
    ipc_end end;
    ipc_atomic64 asked_at;           /* when a sleeper of ours last asked for the holders' locks */
    const ipc_sync_options *options; /* while it is being opened */
} ipc_sync;

extern const ipc_region_kind ipc_mutex_region_kind;
extern const ipc_region_kind ipc_semaphore_region_kind;
extern const ipc_region_kind ipc_event_region_kind;

/* `sync` is zeroes. */
ipc_status ipc_sync_open(ipc_sync *sync, const char *name, const ipc_sync_options *options,
                         const ipc_region_kind *kind);
void ipc_sync_close(ipc_sync *sync);

/* Tries `take` (IPC_EMPTY: not now), then waits with it. What was taken when the object was closed meanwhile is put
   back by `put_back`, as abandoned if we were told so (the next one has to be told then), and the result is IPC_CLOSED.
 */
ipc_status ipc_sync_acquire(ipc_sync *sync, ipc_status (*take)(void *sync), bool (*may_take)(const void *sync),
                            bool (*put_back)(ipc_sync *sync, bool abandoned), ipc_deadline deadline,
                            ipc_cancel *cancel);

/* Arms the handle for when it may be taken; takes nothing. */
ipc_status ipc_sync_arm(ipc_sync *sync, bool (*may_take)(const void *sync), ipc_deadline deadline, ipc_cancel *cancel,
                        ipc_ready_handle *handle);

static inline bool ipc_sync_is_closed(const ipc_sync *sync)
{
    return (ipc_load_acquire32(&sync->end.flags) & IPC_END_CLOSED) != 0;
}

static inline void ipc_sync_signal(ipc_sync *sync)
{
    ipc_waiter_signal(&sync->body->waiter, sync->process_fences); /* [sleep] */
}

/* Under the region lock: is that the one who is gone (0: nobody in particular), or nobody who is there? */
bool ipc_sync_is_gone(const ipc_region *region, uint32_t owner, uint32_t gone);

static inline ipc_sync_body *ipc_sync_body_of(const ipc_region *region)
{
    return ipc_region_at(region, region->geometry.body_offset);
}

/* For the kinds. */
ipc_status ipc_sync_check(const ipc_region *region, uint64_t size, uint32_t magic);
void ipc_sync_wake(ipc_region *region);

#endif
