/* A ring in plain memory, both ends in this process and on the same addresses: for looking at bytes, and for
   ThreadSanitizer. */
#ifndef IPC_MEMORY_RING_H
#define IPC_MEMORY_RING_H

#include "rings/ring.h"

typedef struct memory_ring {
    ipc_ring ring;
    ipc_ring_writer writer;
    ipc_ring_reader reader;
    _Atomic uint32_t writer_state; /* what the reader sees of the writer, and the other way round */
    _Atomic uint32_t reader_state;
    _Atomic uint32_t corruptions;
} memory_ring;

/* An empty ring whose positions are at `position` (a multiple of 64) for both ends. */
void memory_ring_open(memory_ring *memory, uint64_t capacity, uint64_t position, ipc_wait_mode mode);
void memory_ring_close(memory_ring *memory);

/* Starts another writer (reader) in the place of the one there is. */
ipc_status memory_ring_restart_writer(memory_ring *memory);
ipc_status memory_ring_restart_reader(memory_ring *memory, bool predecessor_died);

uint64_t memory_ring_word(const memory_ring *memory, uint64_t position);
void memory_ring_set_word(memory_ring *memory, uint64_t position, uint64_t word);

/* Invariant Z: fails the test unless the first 8 bytes of every line in [tail, free + capacity) are zero. */
void memory_ring_check_zeroes(const memory_ring *memory, uint64_t tail);

/* One step each, which must succeed. A payload is filled with, or compared with, one byte. */
void *memory_ring_claim(memory_ring *memory, uint32_t length);
void memory_ring_write(memory_ring *memory, uint32_t length, int byte, uint16_t type);
ipc_record memory_ring_read(memory_ring *memory);
void memory_ring_expect(memory_ring *memory, uint32_t length, int byte, uint16_t type);
void memory_ring_expect_empty(memory_ring *memory);

#endif
