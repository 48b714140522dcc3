#include "waiting/watch.h"

#include "platform/error.h"
#include "platform/platform.h"

#include <stdlib.h>

#define POLL_MS  250
#define RETRY_MS 10

/* One process, however many objects of ours look at it. */
typedef struct ipc_watched_process {
    struct ipc_watched_process *next;
    uint64_t id; /* what the kernel's event carries: a pointer could be stale by the time it is looked at */
    uint64_t start_time;
    uint32_t pid;
    uint32_t watches;
    intptr_t handle;
} watched_process;

/* `life` is held while the thread is started or stopped, and taken before `lock`. */
static ipc_mutex life = IPC_MUTEX_INIT;
static ipc_mutex lock = IPC_MUTEX_INIT;
static ipc_condition idle = IPC_CONDITION_INIT; /* a call of `died` has returned */
static ipc_once fork_once = IPC_ONCE_INIT;

static ipc_thread thread;
static bool running; /* under life */
static bool stopping;
static ipc_watcher watcher = IPC_NO_WATCHER;
static watched_process *processes;
static ipc_watch *watches;
static ipc_watch *busy;
static uint64_t next_id;

static void fork_prepare(void)
{
    ipc_mutex_lock(&life);
    ipc_mutex_lock(&lock);
}

static void fork_parent(void)
{
    ipc_mutex_unlock(&lock);
    ipc_mutex_unlock(&life);
}

static void drop_process(watched_process *process)
{
    if (process == NULL || --process->watches != 0)
        return;
    for (watched_process **link = &processes; *link != NULL; link = &(*link)->next) {
        if (*link == process) {
            *link = process->next;
            break;
        }
    }
    ipc_watcher_remove(&watcher, process->handle);
    free(process);
}

static void unlink_watch(ipc_watch *watch)
{
    *watch->previous = watch->next;
    if (watch->next != NULL)
        watch->next->previous = watch->previous;
    watch->previous = NULL;
    drop_process(watch->process);
    watch->process = NULL;
}

/* The thread stayed with the parent, and so does what it watched: the objects of the parent are not the child's. */
static void fork_child(void)
{
    ipc_watcher_close(&watcher); /* first: what is removed from a set that is still open would leave the parent's set */
    while (watches != NULL)
        unlink_watch(watches);
    running = false;
    stopping = false;
    busy = NULL;
    ipc_mutex_unlock(&lock);
    ipc_mutex_unlock(&life);
}

static void prepare_fork(void)
{
    ipc_at_fork(fork_prepare, fork_parent, fork_child);
}

/* Until somebody has to be asked again; -1: nobody. */
static int next_timeout(void)
{
    int least = -1;
    for (const ipc_watch *watch = watches; watch != NULL; watch = watch->next) {
        if (watch->due || watch->soon)
            return watch->due ? 0 : RETRY_MS;
        if (watch->polled)
            least = POLL_MS;
    }
    return least;
}

/* Who is polled is asked at every waking: the 250 ms are the longest. */
static void mark_due(const uint64_t *ids, int count)
{
    for (ipc_watch *watch = watches; watch != NULL; watch = watch->next) {
        watch->due = watch->due || watch->polled || watch->soon;
        for (int i = 0; i < count && watch->process != NULL; i++)
            watch->due = watch->due || watch->process->id == ids[i];
    }
    for (watched_process *process = processes; process != NULL; process = process->next) {
        for (int i = 0; i < count; i++) {
            if (process->id == ids[i]) { /* it ends only once: take it out, or the kernel goes on telling us */
                ipc_watcher_remove(&watcher, process->handle);
                process->handle = -1;
            }
        }
    }
}

static ipc_watch *find_due(void)
{
    ipc_watch *watch = watches;
    while (watch != NULL && !watch->due)
        watch = watch->next;
    return watch;
}

static void call_due(void)
{
    for (ipc_watch *watch = find_due(); watch != NULL; watch = find_due()) {
        watch->due = false;
        busy = watch;
        ipc_mutex_unlock(&lock);
        const ipc_watch_answer answer = watch->died(watch->owner);
        ipc_mutex_lock(&lock);
        watch->polled = answer == IPC_WATCH_ASK_LATER; /* still ours: whoever removes it waits while it is busy */
        watch->soon = answer == IPC_WATCH_ASK_SOON;
        busy = NULL;
        ipc_condition_broadcast(&idle);
    }
}

static void *watch_processes(void *unused)
{
    (void)unused;
    uint64_t ids[16];
    ipc_mutex_lock(&lock);
    while (!stopping) {
        const int timeout = next_timeout();
        ipc_mutex_unlock(&lock);
        int count = ipc_watcher_wait(&watcher, timeout, ids, 16);
        ipc_mutex_lock(&lock);
        mark_due(ids, count);
        call_due();
    }
    ipc_mutex_unlock(&lock);
    return NULL;
}

static ipc_status start(void)
{
    if (running)
        return IPC_OK;
    stopping = false;
    ipc_status status = ipc_watcher_open(&watcher);
    if (status == IPC_OK)
        status = ipc_thread_start(&thread, watch_processes, NULL);
    if (status != IPC_OK) {
        ipc_watcher_close(&watcher);
        return status;
    }
    running = true;
    return IPC_OK;
}

static void stop_if_unused(void)
{
    ipc_mutex_lock(&lock);
    const bool unused = running && watches == NULL;
    if (unused) {
        stopping = true;
        ipc_watcher_wake(&watcher);
    }
    ipc_mutex_unlock(&lock);
    if (!unused)
        return;
    ipc_thread_join(thread);
    ipc_watcher_close(&watcher);
    running = false;
}

static watched_process *process_of(uint32_t pid, uint64_t start_time)
{
    for (watched_process *process = processes; process != NULL; process = process->next) {
        if (process->pid == pid && process->start_time == start_time)
            return process;
    }
    watched_process *process = calloc(1, sizeof *process);
    if (process == NULL)
        return NULL;
    process->id = next_id++;
    process->pid = pid;
    process->start_time = start_time;
    process->handle = -1;
    process->next = processes;
    processes = process;
    return process;
}

static void begin(ipc_watch *watch, uint32_t pid, uint64_t start_time, bool same_namespace)
{
    watched_process *process = same_namespace ? process_of(pid, start_time) : NULL;
    watch->process = process;
    watch->due = false;
    watch->soon = false;
    watch->polled = process == NULL;
    if (process != NULL && process->watches++ == 0) {
        switch (ipc_watcher_add(&watcher, pid, start_time, process->id, &process->handle)) {
        case IPC_WATCHED:
            break;
        case IPC_WATCH_GONE:
            watch->due = true;
            break;
        case IPC_WATCH_IMPOSSIBLE:
            watch->polled = true;
            break;
        }
    } else if (process != NULL && process->handle < 0) {
        watch->polled = true; /* it has ended, or cannot be watched: asking again decides */
    }
    watch->next = watches;
    watch->previous = &watches;
    if (watches != NULL)
        watches->previous = &watch->next;
    watches = watch;
    if (watch->due || watch->polled)
        ipc_watcher_wake(&watcher);
}

ipc_status ipc_watch_add(ipc_watch *watch, uint32_t pid, uint64_t start_time, bool same_namespace,
                         ipc_watch_answer (*died)(void *owner), void *owner)
{
    ipc_once_run(&fork_once, prepare_fork);
    watch->previous = NULL;
    watch->died = died;
    watch->owner = owner;
    ipc_mutex_lock(&life);
    ipc_status status = start();
    if (status == IPC_OK) {
        ipc_mutex_lock(&lock);
        begin(watch, pid, start_time, same_namespace);
        ipc_mutex_unlock(&lock);
    }
    ipc_mutex_unlock(&life);
    return status;
}

void ipc_watch_remove(ipc_watch *watch)
{
    ipc_mutex_lock(&life);
    ipc_mutex_lock(&lock);
    if (watch->previous != NULL)
        unlink_watch(watch);
    while (busy == watch)
        ipc_condition_wait(&idle, &lock);
    ipc_mutex_unlock(&lock);
    stop_if_unused();
    ipc_mutex_unlock(&life);
}
