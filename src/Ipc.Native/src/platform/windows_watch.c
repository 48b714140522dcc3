/* Waiting for the end of other processes: the thread pool waits for them, 63 by a thread, and lists those that ended. */
#include "platform/error.h"
#include "platform/windows_api.h"

#include <stdlib.h>

typedef struct ipc_watched {
    struct ipc_watched *next; /* of those that ended */
    struct ended_list *list;
    HANDLE process;
    HANDLE wait;
    uint64_t token;
} watched;

typedef struct ended_list {
    ipc_mutex mutex;
    HANDLE wake;
    watched *first;
} ended_list;

static ended_list *list_of(const ipc_watcher *watcher)
{
    return (ended_list *)watcher->events;
}

ipc_status ipc_watcher_open(ipc_watcher *watcher)
{
    *watcher = (ipc_watcher)IPC_NO_WATCHER;
    ended_list *list = calloc(1, sizeof *list);
    if (list == NULL)
        return ipc_fail(IPC_E_NO_MEMORY, "no memory for the process watch");
    ipc_mutex_init(&list->mutex);
    list->wake = CreateEventW(NULL, FALSE, FALSE, NULL);
    if (list->wake == NULL) {
        ipc_status status = ipc_fail_system((int)GetLastError(), "cannot create the process watch");
        free(list);
        return status;
    }
    watcher->events = (intptr_t)list;
    return IPC_OK;
}

void ipc_watcher_close(ipc_watcher *watcher)
{
    if (watcher->events != -1) {
        (void)CloseHandle(list_of(watcher)->wake);
        free(list_of(watcher));
    }
    *watcher = (ipc_watcher)IPC_NO_WATCHER;
}

static void CALLBACK ended(void *argument, BOOLEAN timed_out)
{
    (void)timed_out;
    watched *one = argument;
    ipc_mutex_lock(&one->list->mutex);
    one->next = one->list->first;
    one->list->first = one;
    ipc_mutex_unlock(&one->list->mutex);
    (void)SetEvent(one->list->wake);
}

ipc_watcher_result ipc_watcher_add(ipc_watcher *watcher, uint32_t pid, uint64_t start_time, uint64_t token,
                                   intptr_t *handle)
{
    *handle = -1;
    HANDLE process = OpenProcess(SYNCHRONIZE | PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid);
    if (process == NULL)
        return GetLastError() == ERROR_INVALID_PARAMETER ? IPC_WATCH_GONE : IPC_WATCH_IMPOSSIBLE;
    /* The number may have been reused before the handle was opened; from now on it cannot be. */
    if (!ipc_platform_process_exists(pid, start_time)) {
        (void)CloseHandle(process);
        return IPC_WATCH_GONE;
    }
    watched *one = calloc(1, sizeof *one);
    if (one != NULL) {
        one->list = list_of(watcher);
        one->process = process;
        one->token = token;
    }
    if (one == NULL || !RegisterWaitForSingleObject(&one->wait, process, ended, one, INFINITE, WT_EXECUTEONLYONCE)) {
        free(one);
        (void)CloseHandle(process);
        return IPC_WATCH_IMPOSSIBLE;
    }
    *handle = (intptr_t)one;
    return IPC_WATCHED;
}

void ipc_watcher_remove(ipc_watcher *watcher, intptr_t handle)
{
    if (handle == -1)
        return;
    watched *one = (watched *)handle;
    (void)UnregisterWaitEx(one->wait, INVALID_HANDLE_VALUE); /* and waits for `ended`, if that is being called */
    ended_list *list = list_of(watcher);
    ipc_mutex_lock(&list->mutex);
    for (watched **link = &list->first; *link != NULL; link = &(*link)->next) {
        if (*link == one) {
            *link = one->next;
            break;
        }
    }
    ipc_mutex_unlock(&list->mutex);
    (void)CloseHandle(one->process);
    free(one);
}

int ipc_watcher_wait(ipc_watcher *watcher, int timeout_ms, uint64_t *tokens, int count)
{
    ended_list *list = list_of(watcher);
    (void)WaitForSingleObject(list->wake, timeout_ms < 0 ? INFINITE : (DWORD)timeout_ms);
    int filled = 0;
    ipc_mutex_lock(&list->mutex);
    while (list->first != NULL && filled < count) {
        tokens[filled++] = list->first->token;
        list->first = list->first->next;
    }
    if (list->first != NULL)
        (void)SetEvent(list->wake); /* for the rest */
    ipc_mutex_unlock(&list->mutex);
    return filled;
}

void ipc_watcher_wake(ipc_watcher *watcher)
{
    (void)SetEvent(list_of(watcher)->wake);
}

/* A handle of the system has 32 bits that count, and can be waited for as it is. */
static HANDLE event_of(int event)
{
    return (HANDLE)(intptr_t)event;
}

ipc_status ipc_platform_event_open(int *event)
{
    HANDLE made = CreateEventW(NULL, TRUE, FALSE, NULL);
    *event = made == NULL ? -1 : (int)(intptr_t)made;
    return made == NULL ? ipc_fail_system((int)GetLastError(), "cannot create an event to wait for") : IPC_OK;
}

void ipc_platform_event_set(int event)
{
    (void)SetEvent(event_of(event));
}

void ipc_platform_event_clear(int event)
{
    (void)ResetEvent(event_of(event));
}

void ipc_platform_event_renew(int event)
{
    (void)event; /* there is no fork */
}

void ipc_platform_event_close(int event)
{
    (void)CloseHandle(event_of(event));
}
