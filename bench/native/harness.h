/*
 * harness.h - two processes on two cores that measure one figure, round by round.
 *
 * The program forks: the parent measures, the child answers. Between rounds both sleep in the kernel, so that other
 * programs' rounds, the limits above all, can be run in between on the same cores. On standard output the parent says
 * "ready", then for each line that it reads from standard input runs one round and writes its value. End of input ends
 * it.
 */
#ifndef IPC_BENCH_HARNESS_H
#define IPC_BENCH_HARNESS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define BENCH_NORETURN [[noreturn]]
#else
#define BENCH_NORETURN _Noreturn
#endif

typedef struct bench_figure {
    const char *name;
    uint64_t count;      /* operations in a round of about 50 ms */
    size_t shared_bytes; /* memory that both processes get, zeroed; 0 = none */
    /* Called once in each process, after the fork and before it is pinned (a library that counts its cores must see
       them all); NULL: nothing to do, the state is SHARED. SIDE 0 measures, 1 answers. Returns the state. */
    void *(*open)(void *shared, int side);
    double (*measure)(void *state, uint64_t count); /* the value of a round, in the figure's unit */
    void (*answer)(void *state, uint64_t count);    /* NULL: there is no second process */
    void (*close)(void *state, int side);
    int pins_caller_only; /* the library's own threads go where they please */
} bench_figure;

/* usage: PROGRAM FIGURE [--cores A,B] [--scale F]     a core of -1 leaves that process unpinned; F scales the length of
 * a round.
 * PROGRAM FIGURE --half measure|answer --name NAME    one of the two processes alone; the other is of another program
 * and has the same NAME. The answering half says "ready" and then, for each line that it reads, "done". */
int bench_main(int argc, char **argv, const bench_figure *figures, size_t figure_count);

/* To be called after each operation of a round trip: with "quantiles" instead of "go" on standard input, the harness
 * answers with p50, p99, p99.9 and the maximum, in ns, of what lay between two calls. Otherwise one look at a variable.
 */
static inline void bench_done(void);
uint64_t bench_now(void);                                          /* CLOCK_MONOTONIC, ns */
BENCH_NORETURN void bench_fail(const char *what, const char *why); /* says so and ends both processes */
const char *bench_name(void); /* unique to this pair of processes, e.g. for region names */

extern uint64_t *bench_times; /* NULL: nobody wants to know */
void bench_note(void);

static inline void bench_done(void)
{
    if (bench_times)
        bench_note();
}

#ifdef __cplusplus
}
#endif
#endif
