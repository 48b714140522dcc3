/* Connecting without a thread: step by step it ends as ipc_connect does, and leaves nothing where it is broken off. */
#define _GNU_SOURCE
#include "connections/listener.h"
#include "echo_server.h"
#include "ready.h"

#include <string.h>

/* As an event loop would. */
static ipc_status drive(ipc_connecting *connecting, ipc_ready_handle *handle, ipc_connection **connection)
{
    ipc_status status;
    while ((status = ipc_connect_try(connecting, connection)) == IPC_EMPTY) {
        status = ipc_connect_arm(connecting, handle);
        CHECK(status == IPC_EMPTY || status == IPC_OK);
        comes(handle);
    }
    return status;
}

static ipc_connecting *begin(const ipc_connect_options *options)
{
    ipc_connecting *connecting = NULL;
    CHECK_OK(ipc_connect_begin("l", options, &connecting));
    return connecting;
}

static char last_words[512]; /* when connect_by was at its end */

/* Begins, and goes on to its end. */
static ipc_status connect_by(const ipc_connect_options *options, ipc_connection **connection)
{
    ipc_connecting *connecting = begin(options);
    ipc_ready_handle *handle = make();
    const ipc_status status = drive(connecting, handle, connection);
    (void)snprintf(last_words, sizeof last_words, "%s", ipc_last_error());
    CHECK_STATUS(IPC_E_INVALID_STATE, ipc_connect_try(connecting, connection));
    CHECK_STATUS(IPC_E_INVALID_STATE, ipc_connect_arm(connecting, handle));
    ipc_connect_end(connecting);
    ipc_ready_handle_destroy(handle);
    return status;
}

TEST(it_connects_and_the_connection_outlives_what_made_it)
{
    echo_server server = {0};
    echo_server_start(&server, NULL);
    for (int i = 0; i < 20; i++) {
        ipc_connection *connection = NULL;
        CHECK_OK(connect_by(NULL, &connection));
        expect_echo(connection, (uint64_t)i);
        ipc_connection_close(connection);
    }
    echo_server_stop(&server);
}

TEST(a_handle_that_waited_for_the_reply_knows_nothing_of_the_connection)
{
    echo_server server = {0};
    echo_server_start(&server, NULL);
    ipc_ready_handle *handle = make();
    for (int i = 0; i < 20; i++) {
        ipc_connection *connection = NULL;
        ipc_connecting *connecting = begin(NULL);
        CHECK_OK(drive(connecting, handle, &connection));
        ipc_connection_close(connection); /* its memory has gone when the handle is armed elsewhere */
        ipc_connect_end(connecting);
    }
    ipc_ready_handle_destroy(handle);
    echo_server_stop(&server);
}

TEST(without_a_server_it_fails_at_once_unless_it_has_time)
{
    ipc_connection *connection = NULL;
    CHECK_STATUS(IPC_E_NOT_FOUND, connect_by(NULL, &connection));
    const ipc_connect_options patient = {.deadline = ipc_deadline_after(50000000)};
    CHECK_STATUS(IPC_E_NOT_FOUND, connect_by(&patient, &connection));
    CHECK(ipc_platform_now() >= patient.deadline);
}

static void *appear(void *argument)
{
    test_pause(30);
    echo_server_start(argument, NULL);
    return NULL;
}

TEST(a_server_that_comes_later_is_found)
{
    echo_server server = {0};
    test_thread thread;
    test_thread_start(&thread, appear, &server);
    const ipc_connect_options patient = {.deadline = SOON};
    ipc_connection *connection = NULL;
    CHECK_OK(connect_by(&patient, &connection));
    test_thread_join(&thread);
    expect_echo(connection, 1);
    ipc_connection_close(connection);
    echo_server_stop(&server);
}

TEST(who_is_refused_has_the_reason)
{
    echo_server server = {.refuses = "not you"};
    echo_server_start(&server, NULL);
    ipc_connection *connection = NULL;
    ipc_connecting *connecting = begin(NULL);
    ipc_ready_handle *handle = make();
    CHECK_STATUS(IPC_E_REFUSED, drive(connecting, handle, &connection));
    CHECK(strcmp(ipc_last_error(), "not you") == 0);
    ipc_connect_end(connecting);
    ipc_ready_handle_destroy(handle);
    echo_server_stop(&server);
}

/* A listener that nobody serves. */
static ipc_listener *silent(void)
{
    ipc_listener *listener = NULL;
    CHECK_OK(ipc_listener_open("l", NULL, &listener));
    return listener;
}

TEST(a_server_that_does_not_answer_has_until_the_deadline)
{
    ipc_listener *listener = silent();
    const ipc_connect_options hurried = {.deadline = ipc_deadline_after(50000000)};
    ipc_connection *connection = NULL;
    CHECK_STATUS(IPC_TIMEOUT, connect_by(&hurried, &connection));
    CHECK(strstr(last_words, "did not answer") != NULL);
    CHECK(ipc_platform_now() >= hurried.deadline);
    ipc_listener_close(listener);
}

static void *close_soon(void *listener)
{
    test_pause(30);
    ipc_listener_close(listener);
    return NULL;
}

/* The words with which a request is refused that the server closes unanswered. SHUT: with these, before. */
static void is_closed_unanswered(const char *shut, uint32_t code, ipc_status status, const char *words)
{
    ipc_listener *listener = silent();
    ipc_connecting *connecting = begin(NULL);
    ipc_connection *connection = NULL;
    CHECK_STATUS(IPC_EMPTY, ipc_connect_try(connecting, &connection));
    ipc_event event;
    CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
    CHECK(event.kind == IPC_EVENT_CONNECT);
    if (shut != NULL)
        ipc_connection_shutdown(event.connection, code, shut);
    ipc_connection_close(event.connection);
    CHECK_STATUS(status, ipc_connect_try(connecting, &connection));
    CHECK(strstr(ipc_last_error(), words) != NULL);
    ipc_connect_end(connecting);
    ipc_listener_close(listener);
}

TEST(a_request_that_is_closed_unanswered_is_refused)
{
    is_closed_unanswered(NULL, 0, IPC_E_REFUSED, "the server closed the connection without accepting it");
    is_closed_unanswered("no such hello", IPC_CLOSE_PROTOCOL, IPC_E_REFUSED, "no such hello");
    is_closed_unanswered("going home", IPC_CLOSE_SHUTDOWN, IPC_PEER_CLOSED, "takes no further clients: going home");
}

TEST(a_server_that_goes_meanwhile_ends_it)
{
    test_thread thread;
    test_thread_start(&thread, close_soon, silent());
    ipc_connection *connection = NULL;
    const ipc_connect_options patient = {.deadline = SOON};
    CHECK_STATUS(IPC_PEER_CLOSED, connect_by(&patient, &connection));
    CHECK(strstr(last_words, "server") != NULL);
    test_thread_join(&thread);
}

static void *trigger_soon(void *cancel)
{
    test_pause(30);
    ipc_cancel_trigger(cancel);
    return NULL;
}

static void is_cancelled(bool has_server)
{
    ipc_listener *listener = has_server ? silent() : NULL;
    ipc_cancel *cancel = NULL;
    CHECK_OK(ipc_cancel_create(&cancel));
    test_thread thread;
    test_thread_start(&thread, trigger_soon, cancel);
    ipc_connection *connection = NULL;
    const ipc_connect_options patient = {.deadline = SOON, .cancel = cancel};
    CHECK_STATUS(IPC_CANCELLED, connect_by(&patient, &connection));
    test_thread_join(&thread);
    ipc_cancel_destroy(cancel);
    ipc_listener_close(listener);
}

TEST(a_cancellation_ends_the_wait_for_a_server)
{
    is_cancelled(false);
}

TEST(a_cancellation_ends_the_wait_for_a_reply)
{
    is_cancelled(true);
}

TEST(what_is_broken_off_is_withdrawn)
{
    ipc_listener *listener = silent();
    for (int i = 0; i < 3; i++) {
        ipc_connection *connection = NULL;
        ipc_connecting *connecting = begin(NULL);
        if (i > 0)
            CHECK_STATUS(IPC_EMPTY, ipc_connect_try(connecting, &connection));
        ipc_ready_handle *handle = make();
        if (i > 1)
            CHECK_STATUS(IPC_EMPTY, ipc_connect_arm(connecting, handle));
        ipc_connect_end(connecting);
        ipc_ready_handle_destroy(handle);
    }
    ipc_event event;
    CHECK_STATUS(IPC_TIMEOUT, ipc_listener_next(listener, IPC_NOW, NULL, &event)); /* nobody asks any more */
    ipc_listener_close(listener);
}

TEST(the_hello_is_the_librarys_from_the_beginning)
{
    ipc_listener *listener = silent();
    char hello[] = "first";
    const ipc_connect_options options = {.hello = hello, .hello_length = 5};
    ipc_connecting *connecting = begin(&options);
    memset(hello, 'x', 5);
    ipc_connection *connection = NULL;
    CHECK_STATUS(IPC_EMPTY, ipc_connect_try(connecting, &connection));
    ipc_event event;
    CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
    uint32_t length = 0;
    const void *said = ipc_connection_hello(event.connection, &length);
    CHECK(length == 5 && memcmp(said, "first", 5) == 0);
    CHECK_OK(ipc_connection_accept(event.connection));
    CHECK_OK(ipc_connect_try(connecting, &connection));
    ipc_connection_close(connection);
    ipc_connect_end(connecting);
    ipc_listener_return(listener, event.connection);
    ipc_listener_close(listener);
}

TEST(what_cannot_be_is_refused_before_anything_is_asked)
{
    ipc_connecting *connecting = NULL;
    CHECK_STATUS(IPC_E_INVALID_NAME, ipc_connect_begin("a/b", NULL, &connecting));
    const ipc_connect_options wordy = {.hello = "x", .hello_length = 241};
    CHECK_STATUS(IPC_E_INVALID_ARGUMENT, ipc_connect_begin("l", &wordy, &connecting));
    ipc_connect_end(NULL);
}

/* The listener's region, whose lock is somebody else's from here on. */
static ipc_region *locked(void)
{
    char path[IPC_PATH_MAX];
    CHECK_OK(ipc_region_path("l", path, sizeof path));
    ipc_region *other = NULL;
    CHECK_OK(ipc_region_open(path, NULL, &ipc_listener_kind, NULL, IPC_NOW, &other));
    CHECK_OK(ipc_region_lock(other, SOON));
    return other;
}

/* The region of the only request, through a file of its own. */
static ipc_region *region_of_request(const ipc_listener *listener)
{
    char path[IPC_PATH_MAX];
    uint32_t slot = 0;
    while (ipc_slot_state(ipc_load_acquire64(&listener->view.slots[slot].word)) != IPC_SLOT_REQUESTED)
        slot++;
    ipc_listener_connection_path(listener->view.region,
                                 ipc_slot_id(ipc_load_acquire64(&listener->view.slots[slot].word)), path, sizeof path);
    ipc_region *region = NULL;
    CHECK_OK(ipc_region_open(path, NULL, NULL, NULL, IPC_NOW, &region));
    return region;
}

/* A hostile client: who finds a region retired removes its name, for which the lock is needed. */
TEST(a_request_whose_region_is_retired_and_locked_holds_no_server_up)
{
    ipc_listener *listener = silent();
    ipc_connecting *connecting = begin(NULL);
    ipc_connection *connection = NULL;
    CHECK_STATUS(IPC_EMPTY, ipc_connect_try(connecting, &connection));
    ipc_region *theirs = region_of_request(listener);
    CHECK_OK(ipc_region_lock(theirs, IPC_NOW));
    ipc_store_release32(&ipc_region_header_of(theirs)->state, IPC_REGION_RETIRED);
    const uint64_t began = ipc_platform_now();
    ipc_event event;
    CHECK_STATUS(IPC_TIMEOUT, ipc_listener_next(listener, IPC_NOW, NULL, &event));
    CHECK(ipc_platform_now() - began < IPC_REGION_LOCK_TIMEOUT_NS);
    CHECK_STATUS(IPC_E_REFUSED, ipc_connect_try(connecting, &connection));
    ipc_region_unlock(theirs);
    ipc_region_discard(theirs);
    ipc_connect_end(connecting);
    ipc_listener_close(listener);
}

typedef struct flipper {
    ipc_connection_body *body;
    ipc_atomic32 stop;
} flipper;

static void *flip(void *argument)
{
    flipper *mine = argument;
    for (uint32_t turn = 0; ipc_load_relaxed32(&mine->stop) == 0; turn++)
        ipc_store_release32(&mine->body->reply, turn % 2);
    return NULL;
}

/* A hostile client: the server's answer stands where its client can write. */
TEST(whatever_a_client_answers_itself_a_closed_request_is_closed)
{
    ipc_listener *listener = silent();
    for (int round = 0; round < 1000; round++) {
        ipc_connecting *connecting = begin(NULL);
        ipc_connection *connection = NULL;
        CHECK_STATUS(IPC_EMPTY, ipc_connect_try(connecting, &connection));
        ipc_region *theirs = region_of_request(listener);
        flipper other = {.body = ipc_region_at(theirs, 1024)};
        test_thread thread;
        test_thread_start(&thread, flip, &other);
        ipc_event event;
        CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
        ipc_connection_close(event.connection);
        ipc_store_relaxed32(&other.stop, 1);
        test_thread_join(&thread);
        CHECK_EQUAL(1, listener->references);
        ipc_region_discard(theirs);
        ipc_connect_end(connecting);
    }
    ipc_listener_close(listener);
}

/* The region lock of the listener is somebody else's for a while: also who gives no time waits for it. */
TEST(a_lock_that_is_kept_is_waited_for)
{
    echo_server server = {0};
    echo_server_start(&server, NULL);
    ipc_region *other = locked();
    ipc_connecting *connecting = begin(NULL);
    ipc_ready_handle *handle = make();
    ipc_connection *connection = NULL;
    CHECK_STATUS(IPC_EMPTY, ipc_connect_try(connecting, &connection));
    CHECK_STATUS(IPC_EMPTY, ipc_connect_arm(connecting, handle));
    comes(handle);
    CHECK_STATUS(IPC_EMPTY, ipc_connect_try(connecting, &connection));
    ipc_region_unlock(other);
    CHECK_OK(drive(connecting, handle, &connection));
    expect_echo(connection, 7);
    ipc_connection_close(connection);
    ipc_connect_end(connecting);
    ipc_ready_handle_destroy(handle);
    ipc_region_discard(other);
    echo_server_stop(&server);
}

/* Who leaves a listener waits for its region lock, five seconds if need be: not in a try. */
TEST(a_try_that_fails_waits_for_no_lock)
{
    ipc_listener *listener = silent();
    /* the first try is in time, also on a busy machine */
    const ipc_connect_options hurried = {.deadline = ipc_deadline_after(1000000000)};
    ipc_connecting *connecting = begin(&hurried);
    ipc_connection *connection = NULL;
    CHECK_STATUS(IPC_EMPTY, ipc_connect_try(connecting, &connection));
    ipc_region *other = locked();
    WAIT_FOR(ipc_platform_now() >= hurried.deadline);
    const uint64_t began = ipc_platform_now();
    CHECK_STATUS(IPC_TIMEOUT, ipc_connect_try(connecting, &connection));
    CHECK(ipc_platform_now() - began < IPC_REGION_LOCK_TIMEOUT_NS);
    ipc_event event;
    CHECK_STATUS(IPC_TIMEOUT, ipc_listener_next(listener, IPC_NOW, NULL, &event)); /* withdrawn already */
    ipc_region_unlock(other);
    ipc_connect_end(connecting);
    ipc_region_discard(other);
    ipc_listener_close(listener);
}

/* Its server has stopped, with the lock, between retiring the region and removing its name. */
TEST(a_try_waits_for_no_lock_of_a_retired_listener)
{
    ipc_listener *listener = silent();
    ipc_region *other = locked();
    ipc_store_release32(&ipc_region_header_of(other)->state, IPC_REGION_RETIRED);
    ipc_connecting *connecting = begin(NULL);
    ipc_connection *connection = NULL;
    const uint64_t began = ipc_platform_now();
    CHECK_STATUS(IPC_EMPTY, ipc_connect_try(connecting, &connection));
    CHECK(ipc_platform_now() - began < IPC_REGION_LOCK_TIMEOUT_NS);
    ipc_region_unlock(other);
    CHECK_STATUS(IPC_E_NOT_FOUND, ipc_connect_try(connecting, &connection));
    CHECK_EQUAL(0, test_files()); /* the name is gone */
    ipc_connect_end(connecting);
    ipc_region_discard(other);
    ipc_listener_close(listener);
}

#ifndef _WIN32

static ipc_connecting *inherited;

static int break_off(void *tries)
{
    ipc_connection *connection = NULL;
    if (*(const bool *)tries) {
        CHECK_STATUS(IPC_E_NOT_FOUND, ipc_connect("none", NULL, &connection)); /* whose words are not the next one's */
        if (ipc_connect_try(inherited, &connection) != IPC_CLOSED || strstr(ipc_last_error(), "is closed") == NULL)
            return 1;
    }
    ipc_connect_end(inherited);
    ipc_connection *own = NULL; /* and the library works in the child */
    return ipc_connect("none", NULL, &own) == IPC_E_NOT_FOUND ? 0 : 2;
}

static void child_breaks_off(bool tries)
{
    ipc_listener *listener = silent();
    ipc_connection *connection = NULL;
    inherited = begin(NULL);
    CHECK_STATUS(IPC_EMPTY, ipc_connect_try(inherited, &connection));
    ipc_ready_handle *handle = make();
    CHECK_STATUS(IPC_EMPTY, ipc_connect_arm(inherited, handle));
    CHECK_EQUAL(0, test_wait_exit(test_fork(break_off, &tries, sizeof tries)));
    ipc_event event;
    CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
    CHECK_OK(ipc_connection_accept(event.connection));
    ipc_listener_return(listener, event.connection);
    CHECK_OK(drive(inherited, handle, &connection));
    CHECK(ipc_connection_is_open(connection));
    ipc_connect_end(inherited);
    ipc_connection_close(connection);
    ipc_ready_handle_destroy(handle);
    ipc_listener_close(listener);
}

POSIX_TEST(a_forked_child_that_ends_it_leaves_the_parents_alone)
{
    child_breaks_off(false);
}

POSIX_TEST(a_forked_child_that_tries_finds_it_closed)
{
    child_breaks_off(true);
}

#endif
