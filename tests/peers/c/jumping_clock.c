/*
 * For LD_PRELOAD: a wall clock that jumps at every look, a day ahead and a day back in turns, as if somebody set it all the time. The clocks that are
 * not set (CLOCK_MONOTONIC and others) are as they are. What is computed from two looks at the wall clock is wrong by two days.
 */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { DAY = 86400 };

static time_t jump(void)
{
    static atomic_uint looks;
    return atomic_fetch_add(&looks, 1) % 2 == 0 ? DAY : -DAY;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    const int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI))
        now->tv_sec += jump();
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec time;
    (void)zone;
    (void)clock_gettime(CLOCK_REALTIME, &time);
    now->tv_sec = time.tv_sec;
    now->tv_usec = time.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now)
{
    struct timespec wall;
    (void)clock_gettime(CLOCK_REALTIME, &wall);
    if (now != NULL)
        *now = wall.tv_sec;
    return wall.tv_sec;
}
