/* A listener whose name another server takes, and is killed while it does. */
#include "connections/listener.h"
#include "ready.h"

static test_pipe told;

/* Says that it has the name, as who takes it does before it has it, and rings for nobody. */
static int begin_to_take_the_name(void *unused)
{
    (void)unused;
    char path[IPC_PATH_MAX];
    ipc_share share;
    ipc_region *region = NULL;
    ipc_listener_view view = {0};
    if (ipc_region_place("l", NULL, path, sizeof path, &share) != IPC_OK ||
        ipc_region_open(path, &share, &ipc_listener_kind, NULL, SOON, &region) != IPC_OK ||
        ipc_region_lock(region, SOON) != IPC_OK || ipc_listener_locate(region, &view) != IPC_OK)
        return 1;
    ipc_store_release32(&view.body->server_state, IPC_SERVER_FOLLOWED); /* [follow] */
    test_say(&told, 'y');
    test_stay();
}

static ipc_listener *open_one_that_is_being_followed(pid_t *follower)
{
    ipc_listener *listener = NULL;
    const ipc_listener_options options = {.take_over = true};
    CHECK_OK(ipc_listener_open("l", &options, &listener));
    test_pipe_open(&told);
    *follower = test_fork(begin_to_take_the_name, NULL, 0);
    CHECK_EQUAL('y', test_hear(&told));
    test_pipe_close(&told);
    return listener;
}

static uint32_t state_of(const ipc_listener *listener)
{
    return ipc_load_acquire32(&listener->view.body->server_state);
}

/* The look behind its arming finds the name being taken: it is the only one, and nobody rings for what comes of it. */
TEST(who_was_armed_while_its_name_was_being_taken_keeps_it_when_the_other_is_killed)
{
    pid_t follower;
    ipc_listener *listener = open_one_that_is_being_followed(&follower);
    ipc_ready_handle *handle = make();
    CHECK_STATUS(IPC_EMPTY, ipc_listener_arm(listener, IPC_FOREVER, NULL, handle));
    CHECK_EQUAL(IPC_SERVER_FOLLOWED, state_of(listener));
    test_kill(follower);
    const ipc_deadline until = SOON;
    while (state_of(listener) != IPC_SERVER_OPEN && ipc_deadline_after(0) < until) {
        comes(handle);
        (void)!ipc_listener_arm(listener, IPC_FOREVER, NULL, handle);
    }
    CHECK_EQUAL(IPC_SERVER_OPEN, state_of(listener));
    ipc_ready_handle_destroy(handle);
    ipc_listener_close(listener);
    CHECK_EQUAL(0, test_files());
}
