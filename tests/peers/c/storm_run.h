/* storm_run.h - what the files of a storm share: what it is about, what has happened, and how that is judged. */
#ifndef IPC_TESTS_STORM_RUN_H
#define IPC_TESTS_STORM_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "storm_side.h"

#define STORM_REGION "storm"
enum { STORM_PLACES = 12, STORM_WORDS = 16 };

typedef struct storm_run {
    const char *kind;
    bool stopping; /* nobody is killed */
    bool everybody; /* all are killed at once: for a while nobody is alive */
    bool exact;    /* and nothing is abandoned: what is lost can be counted exactly */
    uint64_t seed;
    char *native[STORM_WORDS], *managed[STORM_WORDS]; /* the programs of the workers; none: empty */
    unsigned long kills, stops, soak_seconds;
    unsigned long longest_stop_ms;
    char *side; /* storm_side.h */
    int side_file;
    uint32_t workers, next_id;
    uint64_t wrong;
    char directory[256], region_path[300];
} storm_run;

extern storm_run run;

/* storm_options.c: fills in `run`. False: it has said what is wrong. */
bool storm_options(int count, char **arguments);

/* ---- storm_count.c ----------------------------------------------------------------------------------- */

/* A soak counts those who are long gone now and then, and gives the memory of their notes back. */
void storm_settle(void);
/* At the end: prints what happened. The exit code. */
int storm_count(void);

/* ---- storm_holders.c: what locks' workers die with --------------------------------------------------- */

bool storm_is_lock(void);
/* That process will be killed: stops it, and notes what it holds then, which the regions say. */
void storm_look_at(pid_t pid, uint32_t id);
/* Turns that are missing from what the mutex guards, and deaths with something held that nobody was told of. */
uint64_t storm_holders_lost(void);
/* Turns too many, and those who were told of a death that was none. */
uint64_t storm_holders_repeated(void);
/* Have the receivers noticed all that was posted? */
bool storm_all_noticed(void);
void storm_holders_print(void);

#endif
