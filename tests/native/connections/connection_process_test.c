/* Clients and servers that are killed. */
#include "connections/listener.h"
#include "ignore.h"
#include "test.h"

typedef struct child {
    test_pipe pipe;
} child;

static void say(const child *one, char what)
{
    test_say(&one->pipe, what);
}

static pid_t start(child *one, int (*run)(void *))
{
    test_pipe_open(&one->pipe);
    pid_t pid = test_fork(run, one, sizeof *one);
    CHECK_EQUAL('y', test_hear(&one->pipe));
    test_pipe_close(&one->pipe);
    return pid;
}

static int accept_one_and_stay(void *argument)
{
    ipc_listener *listener = NULL;
    ipc_event event;
    if (ipc_listener_open("l", NULL, &listener) != IPC_OK)
        say(argument, 'n');
    say(argument, 'y');
    while (ipc_listener_next(listener, IPC_FOREVER, NULL, &event) == IPC_OK) {
        if (event.kind == IPC_EVENT_CONNECT)
            ignore(ipc_connection_accept(event.connection));
        ipc_listener_return(listener, event.connection);
    }
    return 1;
}

static int listen_and_never_answer(void *argument)
{
    ipc_listener *listener = NULL;
    say(argument, ipc_listener_open("l", NULL, &listener) == IPC_OK ? 'y' : 'n');
    test_stay();
}

typedef struct connect_arguments {
    const ipc_connect_options *options;
    ipc_connection **connection;
} connect_arguments;

static void *connect_in_thread(void *argument)
{
    const connect_arguments *it = argument;
    CHECK_OK(ipc_connect("l", it->options, it->connection));
    return NULL;
}

static int connect_and_stay(void *argument)
{
    ipc_connection *connection = NULL;
    const ipc_connect_options options = {.deadline = SOON};
    say(argument, 'y');
    if (ipc_connect("l", &options, &connection) != IPC_OK)
        return 1;
    ignore(ipc_ring_write(ipc_connection_writer(connection), "last", 4, 1, SOON, NULL));
    test_stay();
}

TEST(a_client_learns_of_its_servers_death_and_finds_the_next_one)
{
    child one;
    ipc_connection *connection = NULL;
    ipc_connection *again = NULL;
    ipc_record record;
    const ipc_connect_options options = {.deadline = SOON};
    pid_t pid = start(&one, accept_one_and_stay);
    CHECK_OK(ipc_connect("l", &options, &connection));
    CHECK_EQUAL(pid, ipc_connection_peer_pid(connection));
    test_kill(pid);
    CHECK_STATUS(IPC_PEER_DIED, ipc_ring_read(ipc_connection_reader(connection), SOON, NULL, &record));
    CHECK(!ipc_connection_is_open(connection));
    CHECK_EQUAL(0, ipc_connection_close_code(connection));
    CHECK_STATUS(IPC_E_NOT_FOUND, ipc_connect("l", NULL, &again));

    pid = start(&one, accept_one_and_stay); /* replaces the left-over, although we are still in it */
    CHECK_OK(ipc_connect("l", &options, &again));
    ipc_connection_close(connection);
    CHECK(ipc_connection_is_open(again));
    ipc_connection_close(again);
    test_kill(pid);
    CHECK_EQUAL(1, test_files()); /* its left-over goes when the name is next used */
    CHECK_STATUS(IPC_E_NOT_FOUND, ipc_connect("l", NULL, &again));
    CHECK_EQUAL(0, test_files());
}

/* The server dies when somebody asks it: before, there would be nobody to ask. */
static void *kill_when_asked(void *server)
{
    WAIT_FOR(test_files() == 2); /* the connection's file is there until the server has it */
    test_send_kill(*(const pid_t *)server);
    return NULL;
}

TEST(a_client_that_waits_for_the_answer_learns_of_the_death)
{
    child one;
    ipc_connection *connection = NULL;
    ipc_listener *listener = NULL;
    const ipc_connect_options options = {.deadline = SOON};
    pid_t pid = start(&one, listen_and_never_answer);
    test_thread killer;
    test_thread_start(&killer, kill_when_asked, &pid);
    CHECK_STATUS(IPC_PEER_DIED, ipc_connect("l", &options, &connection));
    test_thread_join(&killer);
    CHECK_EQUAL(128 + SIGKILL, test_wait_exit(pid));
    CHECK_OK(ipc_listener_open("l", NULL, &listener));
    ipc_listener_close(listener);
}

TEST(a_server_reads_a_dead_clients_last_words_then_closes)
{
    ipc_listener *listener = NULL;
    ipc_event event;
    ipc_record record;
    child one;
    const ipc_listener_options options = {.max_connections = 1};
    CHECK_OK(ipc_listener_open("l", &options, &listener));
    for (int i = 0; i < 40; i++) { /* more often than there are slots */
        pid_t pid = start(&one, connect_and_stay);
        CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
        CHECK_EQUAL(IPC_EVENT_CONNECT, event.kind);
        CHECK_EQUAL(pid, ipc_connection_peer_pid(event.connection));
        CHECK_OK(ipc_connection_accept(event.connection));
        ipc_listener_return(listener, event.connection);
        CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
        CHECK_EQUAL(IPC_EVENT_READABLE, event.kind);
        CHECK_OK(ipc_ring_read(ipc_connection_reader(event.connection), IPC_NOW, NULL, &record));
        CHECK(record.length == 4 && memcmp(record.payload, "last", 4) == 0);
        ipc_ring_release(ipc_connection_reader(event.connection));
        ipc_listener_return(listener, event.connection);
        test_kill(pid);
        CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
        CHECK_EQUAL(IPC_EVENT_CLOSED, event.kind);
        CHECK_STATUS(IPC_PEER_DIED, ipc_ring_read(ipc_connection_reader(event.connection), SOON, NULL, &record));
        ipc_connection_close(event.connection);
    }
    ipc_listener_close(listener);
}

/* A client that has asked, and the server knows it; it stops there, else it would leave as soon as it has its answer. */
static pid_t start_and_stop(const ipc_listener *listener, uint32_t slot)
{
    child one;
    const pid_t pid = start(&one, connect_and_stay);
    WAIT_FOR((ipc_load_acquire64(&listener->view.ready[0]) & 1ull << slot) != 0);
    test_stop(pid);
    test_wait_stopped(pid);
    return pid;
}

static bool stands_in_the_table(const ipc_listener *listener, uint32_t index)
{
    return ipc_load_acquire32(&ipc_region_participant(listener->view.region, index)->state) == IPC_PARTICIPANT_LIVE;
}

/* The leader has been told that somebody has left. */
static bool has_forgotten(ipc_listener *listener)
{
    ipc_event event;
    CHECK_STATUS(IPC_TIMEOUT, ipc_listener_next(listener, IPC_NOW, NULL, &event));
    return listener->leavers == NULL;
}

/* Closed, refused, refused without a word of the application's, not to be opened: then the client is killed where it
   stands, and nobody comes who would clean up. */
TEST(a_client_that_the_server_is_through_with_gives_its_place_back_when_it_is_killed)
{
    enum { CLOSED, REFUSED, ONE_TOO_MANY, DROPPED, WAYS };
    for (int way = CLOSED; way < WAYS; way++) {
        ipc_listener *listener = NULL;
        ipc_connection *first = NULL;
        ipc_event event;
        const ipc_listener_options options = {.max_connections = 1};
        const ipc_connect_options own = {.deadline = SOON, .loan_budget = IPC_NO_LOANS};
        uint32_t slot = 1;
        CHECK_OK(ipc_listener_open("l", &options, &listener));
        if (way == ONE_TOO_MANY) { /* this process has the place */
            test_thread connecting;
            connect_arguments arguments = {.options = &own, .connection = &first};
            test_thread_start(&connecting, connect_in_thread, &arguments);
            CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
            CHECK_OK(ipc_connection_accept(event.connection));
            test_thread_join(&connecting);
            ipc_listener_return(listener, event.connection);
            slot = 2;
        }
        const pid_t pid = start_and_stop(listener, slot);
        if (way == DROPPED) {
            char path[IPC_PATH_MAX];
            const uint64_t id = ipc_slot_id(ipc_load_acquire64(&listener->view.slots[slot].word));
            ipc_listener_connection_path(listener->view.region, id, path, sizeof path);
            CHECK(ipc_platform_file_unlink(path));
        }
        if (way == ONE_TOO_MANY || way == DROPPED) {
            CHECK_STATUS(IPC_TIMEOUT, ipc_listener_next(listener, IPC_NOW, NULL, &event));
        } else {
            CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
            CHECK_EQUAL(slot, ipc_connection_slot(event.connection));
            if (way == CLOSED) {
                CHECK_OK(ipc_connection_accept(event.connection));
                ipc_connection_close(event.connection);
            } else {
                CHECK_OK(ipc_connection_refuse(event.connection, "no"));
            }
        }
        for (int again = 0; way == DROPPED && again < 3; again++) { /* one that does not stop asking for nothing */
            ipc_store_release64(&listener->view.slots[slot].word, ipc_slot_of(77, IPC_SLOT_REQUESTED));
            ipc_listener_notify(&listener->view, slot);
            CHECK_STATUS(IPC_TIMEOUT, ipc_listener_next(listener, IPC_NOW, NULL, &event));
        }
        CHECK(stands_in_the_table(listener, slot));
        CHECK(listener->leavers != NULL && listener->leavers->next == NULL);
        test_kill(pid);
        WAIT_FOR(!stands_in_the_table(listener, slot));
        WAIT_FOR(has_forgotten(listener));
        ipc_connection_close(first);
        ipc_listener_close(listener);
    }
}

/* One that leaves by itself, one that is there yet when the listener goes. */
TEST(a_client_that_has_left_is_watched_no_longer)
{
    ipc_listener *listener = NULL;
    ipc_event event;
    CHECK_OK(ipc_listener_open("l", NULL, &listener));
    for (int leaves = 1; leaves >= 0; leaves--) {
        const pid_t pid = start_and_stop(listener, 1);
        CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
        CHECK_OK(ipc_connection_refuse(event.connection, "no"));
        CHECK(listener->leavers != NULL);
        if (leaves != 0) {
            test_continue(pid);
            CHECK_EQUAL(1, test_wait_exit(pid)); /* it was refused */
            WAIT_FOR(has_forgotten(listener));
        } else {
            ipc_listener_close(listener);
            test_kill(pid);
        }
    }
}

TEST(a_request_of_a_dead_client_is_forgotten)
{
    child one;
    for (int closes = 0; closes < 2; closes++) {
        ipc_listener *listener = NULL;
        ipc_connection *connection = NULL;
        const ipc_connect_options impatient = {.deadline = ipc_deadline_after(1000000)};
        CHECK_OK(ipc_listener_open("l", NULL, &listener));
        pid_t pid = start(&one, connect_and_stay);
        WAIT_FOR(test_files() == 2); /* the connection's file is there, asking */
        test_kill(pid);
        if (closes == 0) { /* whoever comes next cleans up, or the server when it goes */
            CHECK_STATUS(IPC_TIMEOUT, ipc_connect("l", &impatient, &connection));
            CHECK_EQUAL(1, test_files());
        }
        ipc_listener_close(listener);
        CHECK_EQUAL(0, test_files());
    }
}

#ifndef _WIN32
static ipc_connection *inherited;

static int use_inherited(void *unused)
{
    (void)unused;
    void *payload;
    ipc_record record;
    if (ipc_ring_try_claim(ipc_connection_writer(inherited), 8, &payload) != IPC_CLOSED)
        return 2;
    if (ipc_ring_read(ipc_connection_reader(inherited), IPC_FOREVER, NULL, &record) != IPC_CLOSED)
        return 3;
    ipc_connection_close(inherited);
    return 0;
}

POSIX_TEST(a_forked_child_cannot_use_its_parents_connection)
{
    child one;
    const ipc_connect_options options = {.deadline = SOON};
    pid_t pid = start(&one, accept_one_and_stay);
    CHECK_OK(ipc_connect("l", &options, &inherited));
    CHECK_EQUAL(0, test_wait_exit(test_fork(use_inherited, NULL, 0)));
    CHECK(ipc_connection_is_open(inherited));
    ipc_connection_close(inherited);
    test_kill(pid);
    ipc_listener *listener = NULL;
    CHECK_OK(ipc_listener_open("l", NULL, &listener));
    ipc_listener_close(listener);
}
#endif

static void *ask_who_leaves_unasked(void *unused)
{
    ipc_connection *connection = NULL;
    (void)unused;
    CHECK_STATUS(IPC_PEER_CLOSED, ipc_connect("l", NULL, &connection));
    return NULL;
}

/* A request that comes behind a closing server's last look finds nothing written in its region, and the server's entry
   free: in order, and not by a death. */
TEST(a_server_that_leaves_without_having_seen_a_request_has_closed)
{
    ipc_listener *listener = NULL;
    test_thread thread;
    CHECK_OK(ipc_listener_open("l", NULL, &listener));
    test_thread_start(&thread, ask_who_leaves_unasked, NULL);
    WAIT_FOR(ipc_slot_state(ipc_load_acquire64(&listener->view.slots[1].word)) == IPC_SLOT_REQUESTED);
    ipc_region_exit(listener->view.region);
    test_thread_join(&thread);
    ipc_listener_close(listener);
    CHECK_EQUAL(0, test_files());
}
