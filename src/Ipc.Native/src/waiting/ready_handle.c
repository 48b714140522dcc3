#include "waiting/ready_handle.h"

#include "platform/error.h"
#include "platform/platform.h"
#include "waiting/wait.h"

#include <stdlib.h>

typedef struct notifier {
    struct notifier *next;
    ipc_thread thread;
    ipc_ready_handle *armed; /* those it sleeps for */
    uint32_t load;           /* how many they are */
    ipc_atomic32 own;        /* moves when there is news for the thread itself */
    bool sleeps;
    bool ends;
} notifier;

struct ipc_ready_handle {
    ipc_ready_function *call;
    void *context;
    int fd;

    /* under the lock */
    ipc_ready_handle *next; /* of all handles */
    ipc_ready_handle **previous;
    struct ipc_end *end; /* it was armed there last; NULL: nowhere */
    ipc_ready_handle *next_of_end;
    ipc_ready_handle **previous_of_end;
    notifier *by; /* armed with it; NULL: not armed */
    ipc_ready_handle *next_armed;
    ipc_ready_handle **previous_armed;
    bool closed; /* `end` is */
    bool busy;   /* it is being told */
    ipc_waiter *waiter;
    uint32_t word; /* of the waiter, as it was announced */
    uint32_t length; /* of the room that was looked for */
    ipc_deadline until;
    ipc_deadline deadline;
    ipc_cancel *cancel;
    ipc_cancel_link link;
};

static ipc_mutex lock = IPC_MUTEX_INIT;
static ipc_condition told = IPC_CONDITION_INIT; /* one is not busy any more */
static ipc_once fork_once = IPC_ONCE_INIT;
static ipc_ready_handle *handles;
static notifier *notifiers;

/* ---- lists, under the lock --------------------------------------------------------------------------- */

/* Off the thread; true if it was there. */
static bool take_off(ipc_ready_handle *handle)
{
    notifier *by = handle->by;
    if (by == NULL)
        return false;
    *handle->previous_armed = handle->next_armed;
    if (handle->next_armed != NULL)
        handle->next_armed->previous_armed = handle->previous_armed;
    handle->by = NULL;
    by->load--;
    ipc_cancel_unlink_waiter(handle->cancel, &handle->link);
    return true;
}

static void leave_end(ipc_ready_handle *handle)
{
    if (handle->end == NULL)
        return;
    *handle->previous_of_end = handle->next_of_end;
    if (handle->next_of_end != NULL)
        handle->next_of_end->previous_of_end = handle->previous_of_end;
    handle->end = NULL;
}

static void wake(notifier *one)
{
    ipc_store_release32(&one->own, ipc_load_relaxed32(&one->own) + 1);
    if (one->sleeps)
        ipc_platform_futex_wake(&one->own, NULL); /* of this process alone: nobody else sleeps there */
}

/* Waits for nobody but a function of the user's that is just being called. */
static void disarm(ipc_ready_handle *handle)
{
    /* A thread that can sleep on nothing else goes on sleeping there, and has room for another one. */
    if (handle->by != NULL && ipc_platform_sleep_words() == 1)
        ipc_waiter_wake(handle->waiter);
    (void)take_off(handle);
    while (handle->busy)
        ipc_condition_wait(&told, &lock);
    (void)take_off(handle); /* nobody arms what is being disarmed; but the lock was not ours meanwhile */
    leave_end(handle);
}

static void tell(ipc_ready_handle *handle)
{
    handle->busy = true;
    ipc_mutex_unlock(&lock);
    if (handle->call != NULL)
        handle->call(handle->context);
    else
        ipc_platform_event_set(handle->fd);
    ipc_mutex_lock(&lock);
    handle->busy = false;
    ipc_condition_broadcast(&told);
}

/* ---- the thread -------------------------------------------------------------------------------------- */

/* One whose word has moved, or whose time has come; otherwise `until` is when the next one's does. */
static ipc_ready_handle *find_due(const notifier *me, ipc_deadline *until)
{
    *until = IPC_FOREVER;
    for (ipc_ready_handle *handle = me->armed; handle != NULL; handle = handle->next_armed) {
        if (ipc_load_acquire32(&handle->waiter->word) != handle->word) /* [signal] */
            return handle;
        *until = handle->until < *until ? handle->until : *until;
    }
    const uint64_t now = *until == IPC_FOREVER ? 0 : ipc_platform_now();
    for (ipc_ready_handle *handle = me->armed; now >= *until && handle != NULL; handle = handle->next_armed) {
        if (now >= handle->until)
            return handle;
    }
    return NULL;
}

static uint32_t words_of(notifier *me, ipc_sleep_word *words)
{
    const bool alone = ipc_platform_sleep_words() == 1;
    uint32_t count = 0;
    if (!alone || me->armed == NULL)
        words[count++] = (ipc_sleep_word){&me->own, NULL, ipc_load_relaxed32(&me->own)};
    for (const ipc_ready_handle *handle = me->armed; handle != NULL; handle = handle->next_armed)
        words[count++] = (ipc_sleep_word){&handle->waiter->word, handle->waiter->asleep, handle->word};
    return count;
}

static void *serve(void *self)
{
    notifier *me = self;
    ipc_sleep_word words[IPC_SLEEP_WORDS_MAX];
    ipc_mutex_lock(&lock);
    while (!me->ends) {
        ipc_deadline until = IPC_FOREVER;
        ipc_ready_handle *due = find_due(me, &until);
        if (due != NULL) {
            (void)take_off(due);
            tell(due);
            continue;
        }
        const uint32_t count = words_of(me, words);
        me->sleeps = true;
        ipc_mutex_unlock(&lock);
        ipc_platform_futex_wait_any(words, count, until); /* a word that is unmapped by now: for no reason */
        ipc_mutex_lock(&lock);
        me->sleeps = false;
    }
    ipc_mutex_unlock(&lock);
    return NULL;
}

/* Of a child: the threads stayed with the parent, and the objects at which handles are armed are closed in it. */
static void fork_child(void)
{
    for (ipc_ready_handle *handle = handles; handle != NULL; handle = handle->next) {
        if (handle->end != NULL)
            handle->end->handles = NULL;
        handle->closed = handle->closed || handle->end != NULL;
        handle->end = NULL;
        if (handle->by != NULL)
            ipc_cancel_abandon_link(handle->cancel, &handle->link);
        handle->by = NULL;
        handle->busy = false;
        if (handle->fd >= 0)
            ipc_platform_event_renew(handle->fd); /* the parent's is not ours to set */
    }
    while (notifiers != NULL) {
        notifier *one = notifiers;
        notifiers = one->next;
        free(one);
    }
    ipc_mutex_unlock(&lock);
}

static void fork_prepare(void)
{
    ipc_mutex_lock(&lock);
}

static void fork_parent(void)
{
    ipc_mutex_unlock(&lock);
}

static void prepare_fork(void)
{
    ipc_at_fork(fork_prepare, fork_parent, fork_child);
}

/* Under the lock. */
static ipc_status notifier_with_room(notifier **found)
{
    const uint32_t most = ipc_platform_sleep_words() == 1 ? 1 : ipc_platform_sleep_words() - 1;
    notifier *one = notifiers;
    while (one != NULL && one->load >= most)
        one = one->next;
    if (one == NULL) {
        one = calloc(1, sizeof *one);
        if (one == NULL)
            return ipc_fail(IPC_E_NO_MEMORY, "no memory for a thread that serves handles");
        ipc_status status = ipc_thread_start(&one->thread, serve, one);
        if (status != IPC_OK) {
            free(one);
            return status;
        }
        one->next = notifiers;
        notifiers = one;
    }
    *found = one;
    return IPC_OK;
}

/* ---- arming ------------------------------------------------------------------------------------------ */

void ipc_ready_handle_begin(ipc_ready_handle *handle, struct ipc_end *end, ipc_waiter *waiter, ipc_deadline deadline,
                            ipc_cancel *cancel)
{
    ipc_mutex_lock(&lock);
    disarm(handle);
    handle->closed = false;
    handle->end = end;
    handle->next_of_end = end->handles;
    handle->previous_of_end = &end->handles;
    if (handle->next_of_end != NULL)
        handle->next_of_end->previous_of_end = &handle->next_of_end;
    end->handles = handle;
    handle->waiter = waiter;
    handle->deadline = deadline;
    handle->cancel = cancel;
    ipc_mutex_unlock(&lock);
    if (handle->fd >= 0)
        ipc_platform_event_clear(handle->fd);
    ipc_cancel_link_waiter(cancel, &handle->link, waiter); /* before the announcement: it moves the word, or is seen */
}

ipc_status ipc_ready_handle_start(ipc_ready_handle *handle, uint32_t armed, uint32_t length, ipc_deadline until)
{
    notifier *by = NULL;
    ipc_mutex_lock(&lock);
    ipc_status status = notifier_with_room(&by);
    if (by != NULL) {
        handle->by = by;
        handle->word = armed;
        handle->length = length;
        handle->until = until;
        handle->next_armed = by->armed;
        handle->previous_armed = &by->armed;
        if (by->armed != NULL)
            by->armed->previous_armed = &handle->next_armed;
        by->armed = handle;
        by->load++;
        wake(by);
    } else {
        ipc_cancel_unlink_waiter(handle->cancel, &handle->link);
        leave_end(handle);
    }
    ipc_mutex_unlock(&lock);
    return status;
}

void ipc_ready_handle_skip(ipc_ready_handle *handle)
{
    ipc_cancel_unlink_waiter(handle->cancel, &handle->link);
    if (handle->fd >= 0)
        ipc_platform_event_set(handle->fd);
}

bool ipc_ready_handle_stays(ipc_ready_handle *handle, const struct ipc_end *end, const ipc_waiter *waiter,
                            uint32_t length, ipc_deadline deadline, const ipc_cancel *cancel)
{
    ipc_mutex_lock(&lock);
    const bool stays = handle->by != NULL && handle->end == end && handle->waiter == waiter && handle->length == length &&
                       handle->deadline == deadline && handle->cancel == cancel &&
                       ipc_load_acquire32(&waiter->word) == handle->word; /* [signal] */
    ipc_mutex_unlock(&lock);
    return stays;
}

void ipc_ready_handle_close_all(struct ipc_end *end)
{
    ipc_mutex_lock(&lock);
    while (end->handles != NULL) {
        ipc_ready_handle *handle = end->handles;
        const bool was_armed = take_off(handle);
        handle->closed = true;
        leave_end(handle);
        if (was_armed)
            tell(handle);
    }
    ipc_mutex_unlock(&lock);
}

/* ---- the interface ----------------------------------------------------------------------------------- */

ipc_status ipc_ready_handle_create(ipc_ready_function *call, void *context, ipc_ready_handle **handle)
{
    ipc_ready_handle *made = calloc(1, sizeof *made);
    if (made == NULL)
        return ipc_fail(IPC_E_NO_MEMORY, "no memory for a handle");
    made->call = call;
    made->context = context;
    made->fd = -1;
    if (call == NULL) {
        ipc_status status = ipc_platform_event_open(&made->fd);
        if (status != IPC_OK) {
            free(made);
            return status;
        }
    }
    ipc_once_run(&fork_once, prepare_fork);
    ipc_mutex_lock(&lock);
    made->next = handles;
    made->previous = &handles;
    if (handles != NULL)
        handles->previous = &made->next;
    handles = made;
    ipc_mutex_unlock(&lock);
    *handle = made;
    return IPC_OK;
}

int ipc_ready_handle_descriptor(const ipc_ready_handle *handle)
{
    return handle->fd;
}

ipc_status ipc_ready_handle_disarm(ipc_ready_handle *handle)
{
    ipc_mutex_lock(&lock);
    disarm(handle);
    const bool closed = handle->closed;
    ipc_mutex_unlock(&lock);
    if (handle->fd >= 0)
        ipc_platform_event_clear(handle->fd);
    return closed ? ipc_ended(IPC_CLOSED) : IPC_OK;
}

void ipc_ready_handle_destroy(ipc_ready_handle *handle)
{
    notifier *over = NULL;
    if (handle == NULL)
        return;
    ipc_mutex_lock(&lock);
    disarm(handle);
    *handle->previous = handle->next;
    if (handle->next != NULL)
        handle->next->previous = handle->previous;
    if (handles == NULL) { /* the last one: nobody needs the threads */
        over = notifiers;
        notifiers = NULL;
        for (notifier *one = over; one != NULL; one = one->next) {
            one->ends = true;
            wake(one);
        }
    }
    ipc_mutex_unlock(&lock);
    if (handle->fd >= 0)
        ipc_platform_event_close(handle->fd);
    free(handle);
    while (over != NULL) {
        notifier *one = over;
        over = one->next;
        ipc_thread_join(one->thread);
        free(one);
    }
}
