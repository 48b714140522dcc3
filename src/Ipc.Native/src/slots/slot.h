/*
 * slot.h - the state word of a slot: the only truth about it (docs/wire-format.md section 8).
 *
 * Who changes a word does so by a CAS from the whole word that it has seen. So nobody, however late, changes a slot
 * that is no longer in the state that it knows, and a word that was made up by somebody hostile leads to a wrong slot
 * at worst, never out of the ring: the place is computed from the position, the phase is compared with what is
 * expected.
 */
#ifndef IPC_SLOT_H
#define IPC_SLOT_H

#include "compiler.h"
#include "layout/slot_layout.h"

/* The ring of slots as this process has checked it: never read from shared memory again. */
typedef struct ipc_slot_ring {
    uint8_t *slots;
    uint64_t stride;
    uint32_t mask;  /* slot_count - 1 */
    uint32_t shift; /* log2(slot_count) */
} ipc_slot_ring;

static inline ipc_block_slot *ipc_slot_at(const ipc_slot_ring *ring, uint64_t position)
{
    return (ipc_block_slot *)(void *)(ring->slots + (position & ring->mask) * ring->stride);
}

static inline uint8_t *ipc_slot_payload(ipc_block_slot *slot)
{
    return (uint8_t *)slot + IPC_BLOCK_SLOT_HEADER;
}

/* With IPC_BLOCK_HAS_LOAN: the lap of the message that the descriptor is of. Written after the descriptor, and looked
   at before it. */
static inline ipc_atomic32 *ipc_slot_loan_lap(ipc_block_slot *slot)
{
    return (ipc_atomic32 *)(void *)&slot->loan_lap;
}

/* The lap of a position, as far as a state word has room for it. */
static inline uint32_t ipc_slot_lap_of(const ipc_slot_ring *ring, uint64_t position)
{
    return (uint32_t)(position >> ring->shift);
}

static inline uint64_t ipc_slot_word(uint32_t lap, uint32_t owner, uint64_t flags, uint32_t phase)
{
    return (uint64_t)lap << IPC_SLOT_LAP_SHIFT | (uint64_t)owner << IPC_SLOT_OWNER_SHIFT | flags | phase;
}

static inline uint32_t ipc_slot_phase(uint64_t word)
{
    return (uint32_t)(word & IPC_SLOT_PHASE);
}

static inline uint32_t ipc_slot_owner(uint64_t word)
{
    return (uint32_t)(word & IPC_SLOT_OWNER) >> IPC_SLOT_OWNER_SHIFT;
}

static inline uint32_t ipc_slot_lap(uint64_t word)
{
    return (uint32_t)(word >> IPC_SLOT_LAP_SHIFT);
}

/* How far the word is ahead of `lap`: laps wrap, so only their difference means something. */
static inline int32_t ipc_slot_ahead(uint64_t word, uint32_t lap)
{
    return (int32_t)(ipc_slot_lap(word) - lap);
}

/* The word without SEALED: that belongs to the place, not to the message. */
static inline uint64_t ipc_slot_unsealed(uint64_t word)
{
    return word & ~IPC_SLOT_SEALED;
}

/* Moves a hint on from `position`; that somebody else has done it is as good. Relaxed: whoever follows a hint believes
   only the slot's word. */
static inline void ipc_slot_help(ipc_atomic64 *hint, uint64_t position)
{
    (void)ipc_cas_relaxed64(hint, &position, position + 1);
}

#endif
