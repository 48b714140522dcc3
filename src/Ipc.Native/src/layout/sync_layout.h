/* The bodies of mutex, semaphore and event: docs/wire-format.md section 12. */
#ifndef IPC_SYNC_LAYOUT_H
#define IPC_SYNC_LAYOUT_H

#include "layout/waiter_layout.h"

#define IPC_MUTEX_MAGIC           0x5854554Du /* "MUTX" */
#define IPC_SEMAPHORE_MAGIC       0x414D4553u /* "SEMA" */
#define IPC_EVENT_MAGIC           0x544E5645u /* "EVNT" */
#define IPC_SYNC_BODY_SIZE        384u
#define IPC_SYNC_ASK_NS           250000000u /* a sleeper asks this often whether the holders are there */
#define IPC_SEMAPHORE_TABLE       512u /* of the permits, in the body */
#define IPC_SEMAPHORE_PERMITS_MAX 4096u
#define IPC_SYNC_ABANDONED        0x80000000u /* alone in a mutex's or a permit's word: free, and the last one died */

typedef struct ipc_sync_body {
    /* written once, by the creator */
    uint32_t magic;
    uint32_t parameter; /* semaphore: permits; event: 1 = stays set until it is reset */
    uint8_t reserved_8[120];

    ipc_atomic32 word; /* [owner] mutex: owner; semaphore: a guess; event: set */
    uint8_t reserved_132[124];

    ipc_waiter waiter; /* on which everybody sleeps */
    uint8_t reserved_320[64];
} ipc_sync_body;

_Static_assert(offsetof(ipc_sync_body, magic) == 0, "wire-format section 12");
_Static_assert(offsetof(ipc_sync_body, parameter) == 4, "wire-format section 12");
_Static_assert(offsetof(ipc_sync_body, word) == 128, "wire-format section 12");
_Static_assert(offsetof(ipc_sync_body, waiter) == 256, "wire-format section 12");
_Static_assert(sizeof(ipc_sync_body) == IPC_SYNC_BODY_SIZE, "wire-format section 12");

#endif
