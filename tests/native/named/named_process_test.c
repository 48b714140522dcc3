/*
 * Named connections between processes that are killed: the C peer sends, echoes and writes down what it got; it is killed
 * at a point or at any moment, and started again; what was written down must be each message, in order, and what came
 * twice is marked.
 */
#include "named_parts.h"

#include <stdlib.h>
#include <unistd.h>

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

typedef struct side {
    bool is_server;
    const char *count;
    const char *acknowledge;
    char log[512];
    pid_t pid;
    int input;
} side;

static void start(side *one, const char *fault, const char *action)
{
    if (one->is_server)
        one->pid = test_start("peer", fault, action, &one->input,
                              WORDS("named-server", SERVER, "--log", one->log, "--acknowledge", one->acknowledge));
    else
        one->pid = test_start("peer", fault, action, &one->input,
                              WORDS("named-client", SERVER, CLIENT, one->count, "random", "--log", one->log,
                                    "--acknowledge", one->acknowledge, "--capacity", "16384", "--budget", "1048576",
                                    "--timeout", "120000"));
}

static void make(side *one, bool is_server, const char *count, const char *acknowledge)
{
    *one = (side){.is_server = is_server, .count = count, .acknowledge = acknowledge};
    (void)snprintf(one->log, sizeof one->log, "%s.%s", test_directory(), is_server ? "server" : "client");
}

static void end(side *one)
{
    if (one->input >= 0)
        (void)close(one->input);
}

/* ---- what was written down ----------------------------------------------------------------------------- */

typedef struct verdict {
    uint64_t last;  /* the highest number of a message */
    uint64_t again; /* came again, and marked */
    uint64_t number;
} verdict;

static verdict judge(const side *one, bool died)
{
    verdict found = {0, 0, 0};
    uint64_t before = 0;
    char line[256];
    FILE *log = fopen(one->log, "r");
    CHECK(log != NULL);
    while (fgets(line, sizeof line, log) != NULL) {
        unsigned long long sequence = 0;
        unsigned long long number = 0;
        int marked = 0;
        const char *format = one->is_server ? "got " CLIENT " %llu %d %llu" : "got %llu %d %llu";
        if (strncmp(line, "got ", 4) != 0)
            continue;
        if (sscanf(line, format, &sequence, &marked, &number) != 3)
            test_fail(__FILE__, __LINE__, "%s: %s", one->log, line);
        if (sequence <= found.last) { /* one that is not marked has come for the first time */
            if (marked == 0 || !died)
                test_fail(__FILE__, __LINE__, "message %llu came again after %llu, marked %d", sequence,
                          (unsigned long long)found.last, marked);
            found.again++;
        } else if (sequence != found.last + 1) {
            test_fail(__FILE__, __LINE__, "message %llu was lost before %llu", (unsigned long long)found.last + 1, sequence);
        }
        if (sequence != before + 1 && sequence > before)
            test_fail(__FILE__, __LINE__, "message %llu came after %llu", sequence, (unsigned long long)before);
        if (one->is_server && number != sequence)
            test_fail(__FILE__, __LINE__, "message %llu has number %llu", sequence, number);
        if (!one->is_server && number > found.number + 1) /* an echo of each */
            test_fail(__FILE__, __LINE__, "the echo of %llu was lost", (unsigned long long)found.number + 1);
        if (number > found.number)
            found.number = number;
        if (sequence > found.last)
            found.last = sequence;
        before = sequence;
    }
    (void)fclose(log);
    return found;
}

/* Both run to the end, whatever has been. */
static void finish(side *client, side *server, uint64_t count)
{
    CHECK_EQUAL(0, test_wait_exit(client->pid));
    end(client);
    end(server);
    CHECK_EQUAL(0, test_wait_exit(server->pid));
    const verdict there = judge(server, true);
    const verdict here = judge(client, true);
    CHECK_EQUAL(count, there.last);
    CHECK_EQUAL(count, here.number);
    test_remove_file(client->log);
    test_remove_file(server->log);
    remove_conversation();
    CHECK_EQUAL(0, test_files());
}

/* ---- tests --------------------------------------------------------------------------------------------- */

TEST(a_hundred_thousand_messages_in_both_directions_in_order_with_loans_among_them)
{
    side client;
    side server;
    make(&client, false, "100000", "1");
    make(&server, true, NULL, "7");
    start(&client, NULL, NULL);
    start(&server, NULL, NULL);
    CHECK_EQUAL(0, test_wait_exit(client.pid));
    end(&client);
    end(&server);
    CHECK_EQUAL(0, test_wait_exit(server.pid));
    CHECK_EQUAL(100000, judge(&server, false).last);
    const verdict here = judge(&client, false);
    CHECK_EQUAL(100000, here.last);
    CHECK_EQUAL(100000, here.number);
    test_remove_file(client.log);
    test_remove_file(server.log);
    remove_conversation();
}

/* Killed at a point; if it is never passed the test is wrong. */
static void die_at(const char *fault, bool is_server)
{
    side client;
    side server;
    make(&client, false, "500", "3");
    make(&server, true, NULL, "3");
    start(is_server ? &server : &client, fault, NULL);
    start(is_server ? &client : &server, NULL, NULL);
    side *victim = is_server ? &server : &client;
    const int code = test_wait_exit(victim->pid);
    if (code != 128 + SIGKILL)
        test_fail(__FILE__, __LINE__, "%s of the %s was not passed: %d", fault, is_server ? "server" : "client", code);
    end(victim);
    start(victim, NULL, NULL);
    finish(&client, &server, 500);
}

TEST(a_client_that_dies_at_any_point_goes_on_where_it_was)
{
    static const char *const points[] = {
        "region.create.before_link", "region.create.after_link", "named.login.written", "connect.slot_opening",
        "connect.region_linked", "connect.requested", "region.attach.live", "ring.claim.done", "ring.claim.done:100",
        "ring.commit.before_publish:100", "ring.commit.after_publish:100", "ring.loan.recorded:3", "ring.read.done",
        "ring.read.done:100", "named.acknowledge.stored", "named.acknowledge.stored:50", "ring.release.before_store:20",
        "ring.release.after_store:20", "ring.release.before_loans:2", "ring.return.zeroed:2", "ring.return.stored:2",
        "waiter.signal.word_changed:3",
    };
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++)
        die_at(points[i], false);
}

TEST(a_server_that_dies_at_any_point_goes_on_where_it_was)
{
    static const char *const points[] = {
        "listener.accept.mapped", "listener.accept.unlinked", "region.attach.locked", "region.attach.entry_filled",
        "region.attach.live:2", "named.accept.attached", "named.accept.written", "listener.accept.replied",
        "ring.claim.done:100", "ring.commit.before_publish:100", "ring.commit.after_publish:100", "ring.loan.recorded:3",
        "ring.read.done", "ring.read.done:100", "named.acknowledge.stored", "named.acknowledge.stored:50",
        "ring.release.before_store:20", "ring.release.after_store:20", "ring.release.before_loans:2",
        "ring.return.zeroed:2", "ring.return.stored:2",
    };
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++)
        die_at(points[i], true);
}

TEST(both_are_killed_at_random_again_and_again_and_nothing_is_lost_or_repeated_unmarked)
{
    const bool is_long = test_is_long();
    const uint64_t count = is_long ? 200000 : 20000;
    side client;
    side server;
    uint64_t seed = 88172645463325252ull;
    make(&client, false, is_long ? "200000" : "20000", "5");
    make(&server, true, NULL, "4");
    start(&client, NULL, NULL);
    start(&server, NULL, NULL);
    bool is_through = false;
    for (int kills = 0; !is_through && kills < (is_long ? 1000 : 60); kills++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        test_pause(5 + (unsigned)(seed % 60));
        side *victim = seed >> 32 & 1 ? &client : &server;
        is_through = test_has_ended(client.pid);
        if (is_through)
            break;
        test_kill(victim->pid);
        end(victim);
        if (seed >> 33 & 1) { /* for a while nobody lives */
            side *other = victim == &client ? &server : &client;
            if (test_has_ended(client.pid) && other == &client) {
                start(victim, NULL, NULL);
                break;
            }
            test_kill(other->pid);
            end(other);
            start(other, NULL, NULL);
        }
        start(victim, NULL, NULL);
    }
    finish(&client, &server, count);
}

TEST(a_stopped_server_holds_up_nobody_who_sends_and_gets_it_all_when_it_goes_on)
{
    side server;
    make(&server, true, NULL, "1");
    ipc_named_connection *client = open_client(NULL);
    start(&server, NULL, NULL);
    CHECK_OK(ipc_named_connect(client, SOON, NULL));
    test_stop(server.pid);
    for (uint64_t i = 1; i <= 1000; i++)
        send_number(client, i, i);
    ipc_named_message message;
    CHECK_STATUS(IPC_TIMEOUT, ipc_named_receive(client, ipc_deadline_after(20000000), NULL, &message));
    CHECK(ipc_named_is_connected(client));
    test_continue(server.pid);
    for (uint64_t i = 1; i <= 1000; i++) {
        receive_number(client, i, i, false);
        ipc_named_acknowledge(client, 0);
    }
    end(&server);
    CHECK_EQUAL(0, test_wait_exit(server.pid));
    ipc_named_close(client, 0, NULL);
    test_remove_file(server.log);
    remove_conversation();
}

static int log_in_and_stop(void *argument)
{
    ipc_named_connection *client = NULL;
    if (ipc_named_open(SERVER, "stopped", NULL, &client) != IPC_OK || ipc_named_connect(client, SOON, NULL) != IPC_OK)
        return 1;
    test_say(argument, 'y');
    test_stop_self();
    return 0;
}

TEST(a_client_that_logs_in_and_is_stopped_holds_up_nobody)
{
    test_pipe pipe;
    test_pipe_open(&pipe);
    const pid_t pid = test_fork(log_in_and_stop, &pipe, sizeof pipe);
    ipc_named_listener *listener = open_server(NULL);
    ipc_named_connection *stopped = next_event(listener, IPC_NAMED_LOGIN).connection;
    CHECK_OK(ipc_named_accept(stopped, NULL, 0));
    CHECK_EQUAL('y', test_hear(&pipe));
    test_wait_stopped(pid);
    ipc_named_connection *client = open_client(NULL);
    ipc_named_connection *server = log_in(client, listener);
    for (uint64_t i = 1; i <= 100; i++) {
        send_number(client, i, i);
        CHECK(next_event(listener, IPC_NAMED_READABLE).connection == server);
        receive_number(server, i, i, false);
        ipc_named_acknowledge(server, 0);
        ipc_named_return(listener, server);
    }
    test_kill(pid);
    ipc_named_event event = next_event(listener, IPC_NAMED_LOGOUT);
    CHECK(event.connection == stopped);
    CHECK_EQUAL(0, event.code);
    ipc_named_end reason;
    CHECK_OK(ipc_named_ended(stopped, &reason));
    CHECK(reason.died);
    test_pipe_close(&pipe);
    ipc_named_close(stopped, 0, NULL);
    ipc_named_close(client, 0, NULL);
    ipc_named_close(next_event(listener, IPC_NAMED_LOGOUT).connection, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    CHECK_OK(ipc_named_remove(SERVER, "stopped"));
    remove_conversation();
}

TEST(a_client_that_dies_while_it_begins_anew_begins_anew_when_it_comes_again)
{
    side client;
    make(&client, false, "10", "1");
    ipc_named_connection *ours = open_client(NULL);
    ipc_named_listener *listener = open_server("A");
    ipc_named_close(log_in(ours, listener), 0, NULL);
    send_number(ours, 1, 1);
    ipc_named_close(ours, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    const pid_t server = test_start("peer", NULL, NULL, &client.input, WORDS("named-server", SERVER, "B"));
    const int input = client.input;
    start(&client, "named.reset.unlinked", NULL);
    CHECK_EQUAL(128 + SIGKILL, test_wait_exit(client.pid));
    end(&client);
    start(&client, NULL, NULL);
    CHECK_EQUAL(0, test_wait_exit(client.pid));
    end(&client);
    CHECK_EQUAL(10, judge(&client, false).last);
    client.input = input;
    end(&client);
    CHECK_EQUAL(0, test_wait_exit(server));
    test_remove_file(client.log);
    remove_conversation();
}
