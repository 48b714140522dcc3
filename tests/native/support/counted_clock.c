/* The clock of a test program and of the library in it, which counts for each thread how often it is asked. */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

unsigned clock_reads(void);
unsigned clock_reads_of_all(void);

static _Thread_local unsigned reads;
static atomic_uint of_all;

unsigned clock_reads(void)
{
    return reads;
}

unsigned clock_reads_of_all(void)
{
    return of_all;
}

/* Instead of the C library's. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    reads++;
    of_all++;
    return (int)syscall(SYS_clock_gettime, clock, now);
}
