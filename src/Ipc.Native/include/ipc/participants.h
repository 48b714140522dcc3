/* participants.h - what queue and topic have in common: blocks, participants. Included by ipc.h. */
#ifndef IPC_PARTICIPANTS_H
#define IPC_PARTICIPANTS_H

#include "base.h"
#include "ready_handle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A block that is claimed or received; the caller's own memory. */
typedef struct ipc_block {
    void *payload; /* shared, valid until commit, abandon or release; a hostile peer can change it */
    uint32_t length;
    uint16_t type;
    bool redelivered;     /* received before by a process that died without releasing it */
    uint64_t reserved[4]; /* the library's */
} ipc_block;

typedef struct ipc_participant_info {
    uint32_t index;      /* its place in the region's table; after it has gone, a later participant may get it */
    uint32_t generation; /* distinguishes successive participants in the same place */
    uint32_t pid;
    uint32_t role;     /* bits: 1 writer, 2 reader */
    uint32_t runtime;  /* 1 C, 2 C# */
    uint64_t attached; /* Unix time, ns */
} ipc_participant_info;

typedef enum ipc_change_kind { IPC_CHANGE_ATTACHED = 1, IPC_CHANGE_LEFT = 2, IPC_CHANGE_DIED = 3 } ipc_change_kind;

typedef struct ipc_change {
    ipc_change_kind kind;
    ipc_participant_info participant;
} ipc_change;

/* Removes the region of exactly that name, of any kind, with its contents: also if it is persistent, holds unread
 * messages, or was left behind by processes that died.
 *
 * name       1 to 120 of the characters A-Z a-z 0-9 . _ -, no dot in front
 * Returns    IPC_OK: it is gone; IPC_E_NOT_FOUND; IPC_E_IN_USE: a live participant is attached, ipc_last_error()
 *            has its process; IPC_TIMEOUT: a stopped process holds the region's lock;
 *            IPC_E_WRONG_VERSION, IPC_E_WRONG_KIND, IPC_E_CORRUPT: the file of that name is not a region that this
 *            library knows; IPC_E_INVALID_NAME, IPC_E_ACCESS_DENIED, IPC_E_NO_MEMORY, IPC_E_SYSTEM_ERROR.
 * Blocks     up to 5 s for a stopped process that holds the region's lock. Allocates temporarily. Threads: any.
 */
IPC_API ipc_status ipc_clear(const char *name);

#ifdef __cplusplus
}
#endif
#endif
