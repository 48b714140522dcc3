/* The body of a listener region: docs/wire-format.md section 5. */
#ifndef IPC_LISTENER_LAYOUT_H
#define IPC_LISTENER_LAYOUT_H

#include "layout/waiter_layout.h"

#define IPC_LISTENER_MAGIC     0x4E54534Cu /* "LSTN" */
#define IPC_LISTENER_BODY_SIZE 320u        /* up to the end of the doorbell */
#define IPC_LISTENER_SERVER    0u          /* participant 0 is the server */
#define IPC_SLOT_SIZE          128u

enum { IPC_SERVER_OPEN = 1, IPC_SERVER_CLOSED = 2, IPC_SERVER_FOLLOWED = 3 };
enum { IPC_SLOT_IDLE = 0, IPC_SLOT_OPENING = 1, IPC_SLOT_REQUESTED = 2, IPC_SLOT_ATTACHED = 3 };

/* A slot's word is {connection id : 56, state : 8}; idle is 0 altogether. */
#define IPC_SLOT_ID_SHIFT 8
#define IPC_SLOT_ID_MAX   ((1ull << 56) - 1)

typedef struct ipc_listener_body {
    /* written once, by the server */
    uint32_t magic;
    uint32_t slot_count;
    uint64_t slots_offset; /* from the start of the file */
    uint64_t ready_offset; /* from the start of the file */
    uint64_t max_ring_capacity;
    uint32_t protocol; /* what its connections speak; 0: says nothing */
    uint32_t hands_over; /* 1: its server looks whether another one has the name */
    uint8_t reserved_40[88];

    ipc_atomic32 server_state;
    uint8_t reserved_132[124];

    ipc_waiter doorbell; /* on which the server's threads sleep */
} ipc_listener_body;

_Static_assert(offsetof(ipc_listener_body, magic) == 0, "wire-format section 5");
_Static_assert(offsetof(ipc_listener_body, slot_count) == 4, "wire-format section 5");
_Static_assert(offsetof(ipc_listener_body, slots_offset) == 8, "wire-format section 5");
_Static_assert(offsetof(ipc_listener_body, ready_offset) == 16, "wire-format section 5");
_Static_assert(offsetof(ipc_listener_body, max_ring_capacity) == 24, "wire-format section 5");
_Static_assert(offsetof(ipc_listener_body, protocol) == 32, "wire-format section 5");
_Static_assert(offsetof(ipc_listener_body, hands_over) == 36, "wire-format section 5");
_Static_assert(offsetof(ipc_listener_body, server_state) == 128, "wire-format section 5");
_Static_assert(offsetof(ipc_listener_body, doorbell) == 256, "wire-format section 5");
_Static_assert(sizeof(ipc_listener_body) == IPC_LISTENER_BODY_SIZE, "wire-format section 5");

typedef struct ipc_slot {
    ipc_atomic64 word;
    uint8_t reserved_8[120];
} ipc_slot;

_Static_assert(offsetof(ipc_slot, word) == 0, "wire-format section 5");
_Static_assert(sizeof(ipc_slot) == IPC_SLOT_SIZE, "wire-format section 5");

static inline uint64_t ipc_slot_of(uint64_t connection_id, uint64_t state)
{
    return connection_id << IPC_SLOT_ID_SHIFT | state;
}

static inline uint64_t ipc_slot_id(uint64_t word)
{
    return word >> IPC_SLOT_ID_SHIFT;
}

static inline uint64_t ipc_slot_state(uint64_t word)
{
    return word & ((1u << IPC_SLOT_ID_SHIFT) - 1);
}

#endif
