/* Ready handles where there are other processes: their deaths, forked children, and systems that let a thread sleep on one
   word only. */
#include "test.h"

#include <poll.h>
#include <unistd.h>

static ipc_ready_handle *make(void)
{
    ipc_ready_handle *handle = NULL;
    CHECK_OK(ipc_ready_handle_create(NULL, NULL, &handle));
    return handle;
}

static bool is_readable(const ipc_ready_handle *handle, int patience_ms)
{
    struct pollfd one = {.fd = ipc_ready_handle_descriptor(handle), .events = POLLIN};
    return poll(&one, 1, patience_ms) == 1;
}

/* ---- deaths ------------------------------------------------------------------------------------------ */

static int hold_for_ever(void *argument)
{
    (void)argument;
    ipc_shared_mutex *mutex = NULL;
    ipc_shared_event *held = NULL;
    if (ipc_shared_mutex_open("m", NULL, &mutex) != IPC_OK || ipc_shared_event_open("held", NULL, &held) != IPC_OK ||
        ipc_shared_mutex_acquire(mutex, IPC_NOW, NULL) != IPC_OK)
        return 1;
    ipc_shared_event_set(held);
    for (;;)
        (void)pause();
}

TEST(the_death_of_who_holds_it_wakes_the_loop_of_who_wants_it)
{
    ipc_shared_mutex *mutex = NULL;
    ipc_shared_event *held = NULL;
    CHECK_OK(ipc_shared_mutex_open("m", NULL, &mutex));
    CHECK_OK(ipc_shared_event_open("held", NULL, &held));
    const pid_t child = test_fork(hold_for_ever, NULL, 0);
    CHECK_OK(ipc_shared_event_wait(held, SOON, NULL));
    ipc_ready_handle *handle = make();
    CHECK_STATUS(IPC_EMPTY, ipc_shared_mutex_arm(mutex, IPC_FOREVER, NULL, handle));
    test_kill(child);
    ipc_status status = IPC_TIMEOUT;
    const ipc_deadline until = SOON;
    while (status == IPC_TIMEOUT && ipc_deadline_after(0) < until) { /* it looks around now and then, too */
        CHECK(is_readable(handle, 20000));
        status = ipc_shared_mutex_acquire(mutex, IPC_NOW, NULL);
        if (status == IPC_TIMEOUT)
            (void)!ipc_shared_mutex_arm(mutex, IPC_FOREVER, NULL, handle);
    }
    CHECK_STATUS(IPC_ABANDONED, status);
    ipc_ready_handle_destroy(handle);
    ipc_shared_mutex_close(mutex);
    ipc_shared_event_close(held);
}

static int write_one_and_wait(void *argument)
{
    (void)argument;
    ipc_ring_writer *writer = NULL;
    if (ipc_ring_writer_open("r", NULL, &writer) != IPC_OK || ipc_ring_write(writer, "x", 1, 1, SOON, NULL) != IPC_OK)
        return 1;
    for (;;)
        (void)pause();
}

TEST(the_death_of_a_writer_wakes_the_loop_of_its_reader)
{
    const pid_t child = test_fork(write_one_and_wait, NULL, 0);
    ipc_ring_reader *reader = NULL;
    ipc_record record;
    CHECK_OK(ipc_ring_reader_open("r", NULL, &reader));
    CHECK_OK(ipc_ring_read(reader, SOON, NULL, &record));
    ipc_ring_release(reader);
    ipc_ready_handle *handle = make();
    CHECK_STATUS(IPC_EMPTY, ipc_ring_arm(reader, IPC_FOREVER, NULL, handle));
    test_kill(child);
    ipc_status status = IPC_EMPTY;
    while (status == IPC_EMPTY) {
        CHECK(is_readable(handle, 20000));
        status = ipc_ring_arm(reader, IPC_FOREVER, NULL, handle);
    }
    CHECK_STATUS(IPC_PEER_DIED, status);
    ipc_ready_handle_destroy(handle);
    ipc_ring_reader_close(reader);
}

/* ---- forked children --------------------------------------------------------------------------------- */

typedef struct parents {
    ipc_ready_handle *handle;
    ipc_shared_event *event;
} parents;

static int use_it_in_the_child(void *argument)
{
    parents *ours = argument;
    ipc_shared_event *own = NULL;
    if (ipc_ready_handle_disarm(ours->handle) != IPC_CLOSED) /* it was armed at the parent's object */
        return 1;
    if (ipc_shared_event_open("own", NULL, &own) != IPC_OK ||
        ipc_shared_event_arm(own, IPC_FOREVER, NULL, ours->handle) != IPC_EMPTY)
        return 2;
    ipc_shared_event_set(own);
    if (!is_readable(ours->handle, 20000))
        return 3;
    ipc_shared_event_close(own);
    ipc_ready_handle_destroy(ours->handle);
    ipc_shared_event_close(ours->event);
    return 0;
}

TEST(a_child_has_the_handle_for_itself_and_the_parent_goes_on)
{
    parents ours = {make(), NULL};
    CHECK_OK(ipc_shared_event_open("e", NULL, &ours.event));
    CHECK_STATUS(IPC_EMPTY, ipc_shared_event_arm(ours.event, IPC_FOREVER, NULL, ours.handle));
    /* Its thread has begun: a sanitizer keeps locks of its own while one begins, and a child would have them for ever. */
    ipc_shared_event_set(ours.event);
    CHECK(is_readable(ours.handle, 20000));
    CHECK_OK(ipc_shared_event_wait(ours.event, IPC_NOW, NULL));
    CHECK_STATUS(IPC_EMPTY, ipc_shared_event_arm(ours.event, IPC_FOREVER, NULL, ours.handle));
    CHECK_EQUAL(0, test_wait_exit(test_fork(use_it_in_the_child, &ours, sizeof ours)));
    CHECK(!is_readable(ours.handle, 0)); /* the child's is another one under the same number */
    CHECK_STATUS(IPC_EMPTY, ipc_shared_event_arm(ours.event, IPC_FOREVER, NULL, ours.handle));
    ipc_shared_event_set(ours.event);
    CHECK(is_readable(ours.handle, 20000));
    ipc_ready_handle_destroy(ours.handle);
    ipc_shared_event_close(ours.event);
}
