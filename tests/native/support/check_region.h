/*
 * check_region.h - is a region as new? A walk over all of it, from docs/wire-format.md and without the library.
 *
 * After deaths and recoveries nothing may be left of them: no participant without its lock and no lock without its
 * participant, no slot, permit, block or reader's entry of somebody who is not there, nothing SEALED that no growth
 * explains, no block that is neither free nor named by exactly one message. Who walks while others work asks only for
 * what holds at any moment.
 */
#ifndef IPC_TESTS_CHECK_REGION_H
#define IPC_TESTS_CHECK_REGION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum check_depth {
    CHECK_BUSY,  /* participants may be at work: only owners that do not live are complained of */
    CHECK_IDLE,  /* nobody is inside a call: nothing is half-made, no lock is held but the participants' */
    CHECK_EMPTY, /* the same, and no message is left in a queue or a ring */
} check_depth;

/* How much is wrong with the region in this file; each complaint is a line of TO. -1: it could not be opened at all. */
int check_region(const char *path, check_depth depth, FILE *to);

#endif
