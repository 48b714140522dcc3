/* The body of a listener region: docs/wire-format.md section 5. */
#ifndef IPC_LISTENER_LAYOUT_H
#define IPC_LISTENER_LAYOUT_H

#include "layout/waiter_layout.h"

#define IPC_LISTENER_MAGIC     0x4E54534Cu /* "LSTN" */
#define IPC_LISTENER_BODY_SIZE 320u        /* up to the end of the doorbell */
#define IPC_LISTENER_SERVER    0u          /* participant 0 is the server */
#define IPC_SLOT_SIZE          128u

enum { IPC_SERVER_OPEN = 1, IPC_SERVER_CLOSED = 2 };
enum { IPC_SLOT_IDLE = 0, IPC_SLOT_OPENING = 1, IPC_SLOT_REQUESTED = 2, IPC_SLOT_ATTACHED = 3 };

typedef struct ipc_listener_body {
    /* written once, by the server */
    uint32_t magic;
    uint32_t slot_count;
    uint64_t slots_offset; /* from the start of the file */
    uint64_t ready_offset; /* from the start of the file */
    uint64_t max_ring_capacity;
    uint8_t reserved_32[96];

    ipc_atomic32 server_state;
    uint8_t reserved_132[124];

    ipc_waiter doorbell; /* on which the server's threads sleep */
} ipc_listener_body;

_Static_assert(offsetof(ipc_listener_body, magic) == 0, "wire-format section 5");
_Static_assert(offsetof(ipc_listener_body, slot_count) == 4, "wire-format section 5");
_Static_assert(offsetof(ipc_listener_body, slots_offset) == 8, "wire-format section 5");
_Static_assert(offsetof(ipc_listener_body, ready_offset) == 16, "wire-format section 5");
_Static_assert(offsetof(ipc_listener_body, max_ring_capacity) == 24, "wire-format section 5");
_Static_assert(offsetof(ipc_listener_body, server_state) == 128, "wire-format section 5");
_Static_assert(offsetof(ipc_listener_body, doorbell) == 256, "wire-format section 5");
_Static_assert(sizeof(ipc_listener_body) == IPC_LISTENER_BODY_SIZE, "wire-format section 5");

typedef struct ipc_slot {
    ipc_atomic32 state;
    uint32_t reserved_4;
    ipc_atomic64 connection_id;
    uint8_t reserved_16[112];
} ipc_slot;

_Static_assert(offsetof(ipc_slot, state) == 0, "wire-format section 5");
_Static_assert(offsetof(ipc_slot, connection_id) == 8, "wire-format section 5");
_Static_assert(sizeof(ipc_slot) == IPC_SLOT_SIZE, "wire-format section 5");

#endif
