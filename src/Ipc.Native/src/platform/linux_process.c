/* Who is this process, and does that one exist? */
#define _GNU_SOURCE
#include "platform/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An emulator of another processor's programs answers for /proc/self/stat itself, with another start time than the one
   that others read: a build for it spells the path differently. */
#ifndef IPC_PROC
#define IPC_PROC "/proc"
#endif

typedef struct process_stat {
    char state;
    uint64_t threads;
    uint64_t start_time;
} process_stat;

/* The fields of /proc/PID/stat are counted from 1; the second is the program's name, which may contain anything, so
   counting starts behind its last parenthesis. */
static bool parse_stat(char *text, process_stat *stat)
{
    char *field = strrchr(text, ')');
    if (field == NULL)
        return false;
    char *rest = NULL;
    field = strtok_r(field + 1, " ", &rest);
    for (int number = 3; field != NULL; number++, field = strtok_r(NULL, " ", &rest)) {
        if (number == 3)
            stat->state = field[0];
        else if (number == 20)
            stat->threads = strtoull(field, NULL, 10);
        else if (number == 22) {
            stat->start_time = strtoull(field, NULL, 10);
            return true;
        }
    }
    return false;
}

typedef enum stat_result { STAT_OK, STAT_NO_PROCESS, STAT_UNKNOWN } stat_result;

static stat_result read_stat(const char *path, process_stat *stat)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? STAT_NO_PROCESS : STAT_UNKNOWN;
    char text[1024];
    ssize_t length;
    do {
        length = read(fd, text, sizeof text - 1);
    } while (length < 0 && errno == EINTR);
    const int error = errno;
    (void)close(fd);
    if (length <= 0)
        return length < 0 && error == ESRCH ? STAT_NO_PROCESS : STAT_UNKNOWN;
    text[length] = '\0';
    return parse_stat(text, stat) ? STAT_OK : STAT_UNKNOWN;
}

uint32_t ipc_platform_pid(void)
{
    return (uint32_t)getpid();
}

uint32_t ipc_platform_user(void)
{
    return (uint32_t)geteuid();
}

uint64_t ipc_platform_start_time(void)
{
    process_stat stat;
    return read_stat(IPC_PROC "/self/stat", &stat) == STAT_OK ? stat.start_time : 0;
}

uint64_t ipc_platform_pid_namespace(void)
{
    struct stat status;
    return stat(IPC_PROC "/self/ns/pid", &status) == 0 ? (uint64_t)status.st_ino : 0;
}

bool ipc_platform_process_exists(uint32_t pid, uint64_t start_time)
{
    char path[64];
    process_stat stat;
    (void)snprintf(path, sizeof path, IPC_PROC "/%u/stat", pid);
    switch (read_stat(path, &stat)) {
    case STAT_NO_PROCESS:
        if (access(IPC_PROC "/self/stat", R_OK) != 0)
            return true; /* no /proc here: we cannot know, so it lives */
        /* Mounted with hidepid it does not show other users' processes. This tells that there is one, not since when. */
        return pid != 0 && pid <= INT32_MAX && (kill((pid_t)pid, 0) == 0 || errno != ESRCH);
    case STAT_UNKNOWN:
        return true;
    case STAT_OK:
        break;
    }
    if (start_time != 0 && stat.start_time != start_time)
        return false; /* the number belongs to another process now */
    /* A zombie is dead, but a main thread that has ended before the others looks like one and is not. */
    return !(stat.state == 'X' || (stat.state == 'Z' && stat.threads <= 1));
}

void ipc_platform_end_self(bool stop)
{
    /* To this thread: if another takes a stop that is sent to the process, this one goes on for a moment. */
    (void)raise(stop ? SIGSTOP : SIGKILL);
    if (stop)
        return;
    for (;;)
        (void)pause(); /* SIGKILL is on its way */
}
