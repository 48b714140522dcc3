/* What the tests of hostile bytes have in common: numbers that look random and come again, and bytes put into a body.
 */
#ifndef HOSTILE_H
#define HOSTILE_H

#include "regions/region.h"

#include <string.h>

/* A field of a body that says what cannot be. */
typedef struct bad_field {
    const char *what;
    uint32_t offset; /* in the body */
    uint32_t size;
    uint64_t value;
} bad_field;

static inline void put(const ipc_region *region, uint64_t offset_in_body, uint32_t size, uint64_t value)
{
    memcpy(region->base + region->geometry.body_offset + offset_in_body, &value, size);
}

/* `state` is not 0. */
static inline uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

#endif
