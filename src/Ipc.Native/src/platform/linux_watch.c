/* Waiting for the end of other processes: a pidfd each, in one epoll; and descriptors for others to wait for. */
#define _GNU_SOURCE
#include "platform/error.h"
#include "platform/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WAKE_TOKEN UINT64_MAX

ipc_status ipc_watcher_open(ipc_watcher *watcher)
{
    watcher->wake = -1;
    watcher->events = epoll_create1(EPOLL_CLOEXEC);
    if (watcher->events < 0)
        return ipc_fail_system(errno, "cannot create the process watch");
    watcher->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = WAKE_TOKEN}};
    if (watcher->wake < 0 || epoll_ctl((int)watcher->events, EPOLL_CTL_ADD, (int)watcher->wake, &event) != 0) {
        ipc_status status = ipc_fail_system(errno, "cannot create the process watch");
        ipc_watcher_close(watcher);
        return status;
    }
    return IPC_OK;
}

void ipc_watcher_close(ipc_watcher *watcher)
{
    if (watcher->events >= 0)
        (void)close((int)watcher->events);
    if (watcher->wake >= 0)
        (void)close((int)watcher->wake);
    watcher->events = -1;
    watcher->wake = -1;
}

ipc_watcher_result ipc_watcher_add(ipc_watcher *watcher, uint32_t pid, uint64_t start_time, uint64_t token,
                                   intptr_t *handle)
{
    *handle = -1;
    if (pid == 0 || pid > INT32_MAX)
        return IPC_WATCH_IMPOSSIBLE;
    int fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
    if (fd < 0)
        return errno == ESRCH ? IPC_WATCH_GONE : IPC_WATCH_IMPOSSIBLE;
    /* The number may have been reused before the descriptor was opened; from now on it cannot be. */
    if (!ipc_platform_process_exists(pid, start_time)) {
        (void)close(fd);
        return IPC_WATCH_GONE;
    }
    struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = token}};
    if (epoll_ctl((int)watcher->events, EPOLL_CTL_ADD, fd, &event) != 0) {
        (void)close(fd);
        return IPC_WATCH_IMPOSSIBLE;
    }
    *handle = fd;
    return IPC_WATCHED;
}

void ipc_watcher_remove(ipc_watcher *watcher, intptr_t handle)
{
    if (handle < 0)
        return;
    if (watcher->events >= 0)
        (void)epoll_ctl((int)watcher->events, EPOLL_CTL_DEL, (int)handle, NULL);
    (void)close((int)handle);
}

int ipc_watcher_wait(ipc_watcher *watcher, int timeout_ms, uint64_t *tokens, int count)
{
    struct epoll_event events[16];
    int found = epoll_wait((int)watcher->events, events, count < 16 ? count : 16, timeout_ms);
    int filled = 0;
    for (int i = 0; i < found; i++) {
        if (events[i].data.u64 == WAKE_TOKEN) {
            uint64_t value;
            (void)!read((int)watcher->wake, &value, sizeof value);
        } else {
            tokens[filled++] = events[i].data.u64;
        }
    }
    return filled;
}

void ipc_watcher_wake(ipc_watcher *watcher)
{
    const uint64_t one = 1;
    (void)!write((int)watcher->wake, &one, sizeof one);
}

ipc_status ipc_platform_event_open(int *event)
{
    *event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return *event < 0 ? ipc_fail_system(errno, "cannot create a descriptor to wait for") : IPC_OK;
}

void ipc_platform_event_set(int event)
{
    const uint64_t one = 1;
    (void)!write(event, &one, sizeof one); /* full after 2^64 - 1 of them, and readable all the same */
}

void ipc_platform_event_clear(int event)
{
    uint64_t value;
    (void)!read(event, &value, sizeof value);
}

void ipc_platform_event_renew(int event)
{
    const int own = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (own < 0)
        return;
    (void)dup3(own, event, O_CLOEXEC);
    (void)close(own);
}

void ipc_platform_event_close(int event)
{
    (void)close(event);
}
