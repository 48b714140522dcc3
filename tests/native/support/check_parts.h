/* Shared by the files of check_region. Offsets are typed here again, from docs/wire-format.md. */
#ifndef IPC_TESTS_CHECK_PARTS_H
#define IPC_TESTS_CHECK_PARTS_H

#include <string.h>

#include "check_region.h"

enum { CHECK_PAGE = 4096, CHECK_PARTICIPANTS = 1024, CHECK_ENTRY = 128, CHECK_MOST = 4096 };
enum { SLOT_FREE, SLOT_WRITING, SLOT_READY, SLOT_READING, SLOT_GAP };
enum { SLOT_SEALED = 1, SLOT_REDELIVERED = 2, SLOT_RECLAIMED = 4, SLOT_LOAN = 1 };

typedef struct check {
    const unsigned char *bytes;
    uint64_t size;
    uint64_t body;
    uint32_t participants;
    bool alive[CHECK_MOST];
    uint32_t role[CHECK_MOST];
    check_depth depth;
    FILE *to;
    int complaints;
} check;

/* A slot of a queue or a topic, read once. */
typedef struct check_slot {
    uint64_t offset; /* in the file */
    uint64_t word;
    uint32_t lap;
    uint32_t owner;
    uint32_t flags;
    uint32_t phase;
    bool loan;
    uint16_t klass; /* the descriptor, when there is one */
    uint32_t index;
    uint32_t generation;
} check_slot;

/* What names the blocks of a pool: the messages that are there, those without a loan among them. */
typedef struct check_names {
    const check_slot *slots;
    uint64_t count;
} check_names;

void complain(check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The library writes these words while we look: each is read once, by an atomic load. Outside the file: 0 and a
 * complaint. */
uint32_t check_u32(check *c, uint64_t offset);
uint64_t check_u64(check *c, uint64_t offset);
uint16_t check_u16(check *c, uint64_t offset);

/* Whether participant OWNER - 1 is there and alive. */
bool check_lives(const check *c, uint32_t owner);

check_slot check_read_slot(check *c, uint64_t offset);
void check_queue(check *c);
void check_topic(check *c);
void check_ring(check *c);
void check_pool(check *c, uint64_t pool, const check_names *names);

#endif
