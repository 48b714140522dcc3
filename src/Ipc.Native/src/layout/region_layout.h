/* The header of every region and its participant table: docs/wire-format.md section 2. */
#ifndef IPC_REGION_LAYOUT_H
#define IPC_REGION_LAYOUT_H

#include "layout/waiter_layout.h"

#define IPC_REGION_MAGIC             0x0A314E4752435049ull /* "IPCRGN1\n" */
#define IPC_REGION_MAJOR             1u
#define IPC_REGION_MINOR             0u
#define IPC_REGION_HEADER_SIZE       512u
#define IPC_REGION_SIZE_UNIT         4096u
#define IPC_REGION_BODY_ALIGNMENT    128u
#define IPC_PARTICIPANT_OFFSET       1024u
#define IPC_PARTICIPANT_SIZE         128u
#define IPC_PARTICIPANT_CAPACITY_MAX 4096u
#define IPC_LISTENER_CAPACITY_MAX    16384u /* of a listener: the server and its clients */

/* The bytes of the file, beyond any size it can have, whose locks say who is alive. */
#define IPC_LOCK_PARTICIPANTS 0x4000000000000000ull
#define IPC_LOCK_REGION       0x3FFFFFFFFFFFFFFFull
/* Around them, a window for each participant: place and length of the lock in it say which process it is. Those from
   the one on that has IPC_LOCK_REGION in it come behind the next, which has the participants' bytes. */
#define IPC_LOCK_PROCESSES      0x2000000000000000ull
#define IPC_LOCK_PROCESS_WINDOW 0x0001000000000000ull
#define IPC_PROCESS_PID_BITS    22u /* of the lock's place in its window */
#define IPC_PROCESS_SPACE_BITS  25u /* the pid namespace's, above them */

enum {
    IPC_KIND_RING = 1,
    IPC_KIND_LISTENER = 2,
    IPC_KIND_CONNECTION = 3,
    IPC_KIND_QUEUE = 4,
    IPC_KIND_TOPIC = 5,
    IPC_KIND_MUTEX = 7,
    IPC_KIND_SEMAPHORE = 8,
    IPC_KIND_EVENT = 9,
    IPC_KIND_NAMED = 10
};
enum { IPC_REGION_BUILDING = 0, IPC_REGION_LIVE = 1, IPC_REGION_RETIRED = 2 };
enum { IPC_PARTICIPANT_FREE = 0, IPC_PARTICIPANT_LIVE = 1 };
enum { IPC_ENDED_NOT = 0, IPC_ENDED_LEFT = 1, IPC_ENDED_DIED = 2 };
enum { IPC_ROLE_WRITER = 1, IPC_ROLE_READER = 2, IPC_ROLE_SERVER = 4, IPC_ROLE_CLIENT = 8 };
enum { IPC_RUNTIME_C = 1, IPC_RUNTIME_CSHARP = 2 };

typedef struct ipc_region_header {
    /* written once, by the creator, before the region is live */
    uint64_t magic;
    uint16_t major;
    uint16_t minor;
    uint32_t kind;
    uint64_t total_size;
    uint32_t participant_offset;
    uint32_t participant_capacity;
    uint64_t body_offset;
    uint64_t body_size;
    uint8_t region_id[16];
    uint64_t created; /* Unix time, ns */
    uint32_t creator_pid;
    uint32_t lifetime; /* ipc_lifetime */
    uint8_t reserved_80[48];

    ipc_atomic32 state;      /* [live] creator; 2 by the last to leave or a reaper */
    ipc_atomic32 recoveries; /* under the region lock */
    uint8_t reserved_136[120];

    ipc_waiter change; /* signalled under the region lock on attach, detach, death, retirement */
    uint8_t reserved_320[192];
} ipc_region_header;

_Static_assert(offsetof(ipc_region_header, magic) == 0, "wire-format section 2");
_Static_assert(offsetof(ipc_region_header, major) == 8, "wire-format section 2");
_Static_assert(offsetof(ipc_region_header, minor) == 10, "wire-format section 2");
_Static_assert(offsetof(ipc_region_header, kind) == 12, "wire-format section 2");
_Static_assert(offsetof(ipc_region_header, total_size) == 16, "wire-format section 2");
_Static_assert(offsetof(ipc_region_header, participant_offset) == 24, "wire-format section 2");
_Static_assert(offsetof(ipc_region_header, participant_capacity) == 28, "wire-format section 2");
_Static_assert(offsetof(ipc_region_header, body_offset) == 32, "wire-format section 2");
_Static_assert(offsetof(ipc_region_header, body_size) == 40, "wire-format section 2");
_Static_assert(offsetof(ipc_region_header, region_id) == 48, "wire-format section 2");
_Static_assert(offsetof(ipc_region_header, created) == 64, "wire-format section 2");
_Static_assert(offsetof(ipc_region_header, creator_pid) == 72, "wire-format section 2");
_Static_assert(offsetof(ipc_region_header, lifetime) == 76, "wire-format section 2");
_Static_assert(offsetof(ipc_region_header, state) == 128, "wire-format section 2");
_Static_assert(offsetof(ipc_region_header, recoveries) == 132, "wire-format section 2");
_Static_assert(offsetof(ipc_region_header, change) == 256, "wire-format section 2");
_Static_assert(sizeof(ipc_region_header) == IPC_REGION_HEADER_SIZE, "wire-format section 2");

typedef struct ipc_participant {
    ipc_atomic32 state;      /* [live] */
    ipc_atomic32 generation; /* +1 each time the entry is taken */
    ipc_atomic32 pid;
    ipc_atomic32 role;
    ipc_atomic64 start_time;
    ipc_atomic64 attached; /* Unix time, ns */
    ipc_atomic64 pid_namespace;
    ipc_atomic32 runtime;
    ipc_atomic32 ended; /* before `state` is free */
    uint8_t reserved_48[16];

    /* spin_layout.h, by the participant: for people who look, on a line that no other participant reads */
    ipc_atomic64 spin;
    ipc_atomic64 room_spin; /* of its waits for room, if it learns these apart; else 0 */
    uint8_t reserved_80[48];
} ipc_participant;

_Static_assert(offsetof(ipc_participant, state) == 0, "wire-format section 2");
_Static_assert(offsetof(ipc_participant, generation) == 4, "wire-format section 2");
_Static_assert(offsetof(ipc_participant, pid) == 8, "wire-format section 2");
_Static_assert(offsetof(ipc_participant, role) == 12, "wire-format section 2");
_Static_assert(offsetof(ipc_participant, start_time) == 16, "wire-format section 2");
_Static_assert(offsetof(ipc_participant, attached) == 24, "wire-format section 2");
_Static_assert(offsetof(ipc_participant, pid_namespace) == 32, "wire-format section 2");
_Static_assert(offsetof(ipc_participant, runtime) == 40, "wire-format section 2");
_Static_assert(offsetof(ipc_participant, ended) == 44, "wire-format section 2");
_Static_assert(offsetof(ipc_participant, spin) == 64, "wire-format section 2");
_Static_assert(offsetof(ipc_participant, room_spin) == 72, "wire-format section 2");
_Static_assert(sizeof(ipc_participant) == IPC_PARTICIPANT_SIZE, "wire-format section 2");

#endif
