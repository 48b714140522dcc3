/*
 * Every fault point: the C peer is killed there (or stopped, and killed later), and the name must work for the next
 * ones as if nothing had been.
 */
#include "test.h"

#include <unistd.h>

static pid_t start_peer(const char *fault, const char *action, int *input, const char *const *words)
{
    return test_start("peer", fault, action, input, words);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static int run_peer(const char *fault, const char *const *words)
{
    int input = -1;
    pid_t pid = start_peer(fault, NULL, &input, words);
    int code = test_wait_exit(pid);
    (void)close(input);
    return code;
}

/* The name works: a writer and a reader move records, then nothing is left. */
static void expect_ring_works(const char *after)
{
    const ipc_ring_options options = {.capacity = 4096};
    ipc_ring_writer *writer = NULL;
    ipc_ring_reader *reader = NULL;
    CHECK_OK(ipc_ring_writer_open("r", &options, &writer));
    CHECK_OK(ipc_ring_reader_open("r", &options, &reader));
    uint64_t sent = 1u << 20; /* not a number that the peer sends */
    ipc_record record;
    uint64_t number = 0;
    do { /* what the dead one had published, in order and whole; then ours */
        ipc_status status = ipc_ring_write(writer, &sent, 8, 1, IPC_NOW, NULL);
        CHECK(status == IPC_OK || status == IPC_TIMEOUT);
        CHECK_OK(ipc_ring_read(reader, SOON, NULL, &record));
        memcpy(&number, record.payload, 8);
        for (uint32_t i = 8; i < record.length && number != sent; i++) {
            if (((const uint8_t *)record.payload)[i] != (uint8_t)(number + i - 8))
                test_fail(__FILE__, __LINE__, "%s: byte %u of record %llu is wrong", after, i,
                          (unsigned long long)number);
        }
        ipc_ring_release(reader);
    } while (number != sent);
    while (ipc_ring_try_read(reader, &record) == IPC_OK) /* ours, one for each of the dead one's: they would stay */
        ipc_ring_release(reader);
    ipc_ring_writer_close(writer);
    ipc_ring_reader_close(reader);
    if (test_files() != 0)
        test_fail(__FILE__, __LINE__, "%s: a file is left", after);
}

TEST(a_ring_survives_a_death_at_every_point)
{
    static const struct {
        const char *fault;
        bool reader; /* the peer reads; a thread of ours writes */
    } points[] = {
        {"region.create.before_link", false},
        {"region.create.after_link", false},
        {"region.attach.entry_filled", false},
        {"region.attach.live", false},
        {"region.attach.locked", true},
        {"region.attach.entry_filled", true},
        {"region.attach.live", true},
        {"ring.claim.done:5", false},
        {"ring.claim.done:20", false},
        {"ring.commit.before_publish", false},
        {"ring.commit.before_publish:9", false},
        {"ring.commit.after_publish", false},
        {"ring.commit.after_publish:9", false},
        {"ring.read.done:3", true},
        {"ring.release.before_store:3", true},
        {"ring.release.after_store:3", true},
        {"ring.return.zeroed", true},
        {"ring.return.stored", true},
        {"waiter.flag_set", true},
        {"waiter.flag_set", false},
        {"region.leave.entry_freed", false},
        {"region.leave.retired", false},
    };
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        const ipc_ring_options options = {.capacity = 4096};
        ipc_ring_writer *writer = NULL;
        ipc_ring_reader *reader = NULL;
        int input = -1;
        /* The dying peer needs somebody at the other end, except where it is alone: at creation, and when it leaves
           as the last. */
        const bool alone = strncmp(points[i].fault, "region.create", 13) == 0 ||
                           strcmp(points[i].fault, "region.leave.retired") == 0 ||
                           (!points[i].reader && strncmp(points[i].fault, "region.attach", 13) == 0);
        pid_t pid;
        if (points[i].reader) {
            CHECK_OK(ipc_ring_writer_open("r", &options, &writer));
            pid = start_peer(points[i].fault, NULL, &input,
                             WORDS("ring-read", "r", "60", "--timeout", "20000", "--wait", "block"));
            const bool starves =
                strcmp(points[i].fault, "waiter.flag_set") == 0; /* a reader sleeps when there is nothing */
            for (uint64_t k = 0; k < 60 && !starves;) {
                uint8_t record[100];
                memcpy(record, &k, 8);
                for (uint32_t b = 8; b < sizeof record; b++)
                    record[b] = (uint8_t)(k + b - 8);
                ipc_status status =
                    ipc_ring_write(writer, record, sizeof record, (uint16_t)k, ipc_deadline_after(2000000), NULL);
                CHECK(status == IPC_OK || status == IPC_TIMEOUT || status == IPC_PEER_DIED);
                if (status == IPC_OK)
                    k++;
                else if (test_has_ended(pid))
                    break; /* it died before it ever was a reader, or it died as one */
            }
        } else {
            if (!alone)
                CHECK_OK(ipc_ring_reader_open("r", &options, &reader));
            pid = start_peer(points[i].fault, NULL, &input,
                             alone ? WORDS("ring-hold", "r", "writer", "--capacity", "4096")
                                   : WORDS("ring-write", "r", "60", "100", "--capacity", "4096", "--timeout", "20000"));
            (void)close(input);
            input = -1;
            ipc_record record;
            ipc_status status = IPC_OK;
            while (!alone && (status == IPC_OK || status == IPC_TIMEOUT)) {
                status = ipc_ring_read(reader, ipc_deadline_after(200000000), NULL, &record);
                if (status == IPC_OK && strcmp(points[i].fault, "waiter.flag_set") != 0)
                    ipc_ring_release(reader); /* a writer that sleeps: only if it finds no room */
                if (status == IPC_TIMEOUT && strcmp(points[i].fault, "waiter.flag_set") == 0)
                    break;
            }
        }
        const int code = test_wait_exit(pid);
        if (code != 128 + SIGKILL)
            test_fail(__FILE__, __LINE__, "%s was not reached: exit code %d", points[i].fault, code);
        if (input >= 0)
            (void)close(input);
        ipc_ring_writer_close(writer);
        ipc_ring_reader_close(reader);
        expect_ring_works(points[i].fault);
    }
}

TEST(recovery_killed_half_way_is_done_again)
{
    static const char *const points[] = {"recover.begin", "recover.before_free"};
    for (int i = 0; i < 2; i++) {
        int input = -1;
        int second = -1;
        const ipc_ring_options options = {.capacity = 4096};
        ipc_ring_reader *reader = NULL;
        ipc_record record;
        CHECK_OK(ipc_ring_reader_open("r", &options, &reader));
        CHECK_STATUS(IPC_TIMEOUT, ipc_ring_read(reader, IPC_NOW, NULL, &record));
        pid_t writer = start_peer(NULL, NULL, &input, WORDS("ring-hold", "r", "writer"));
        WAIT_FOR(ipc_ring_reader_peer(reader) == IPC_PEER_LIVE);
        /* one that attaches recovers the dead: it is killed in the middle of that. We may be faster: then it is only
           a second writer. */
        test_send_kill(writer);
        CHECK_EQUAL(128 + SIGKILL, test_wait_exit(writer));
        pid_t recoverer = start_peer(points[i], NULL, &second, WORDS("ring-hold", "r", "writer"));
        (void)close(second);
        (void)test_wait_exit(recoverer);
        (void)close(input);
        ipc_status status = ipc_ring_read(reader, SOON, NULL, &record);
        CHECK(status == IPC_PEER_DIED || status == IPC_PEER_CLOSED);
        ipc_ring_reader_close(reader);
        expect_ring_works(points[i]);
    }
    /* without a survivor that could be faster: the next one does it all */
    for (int i = 0; i < 2; i++) {
        int input = -1;
        pid_t writer = start_peer("region.create.after_link", NULL, &input,
                                  WORDS("ring-hold", "r", "writer", "--capacity", "4096"));
        CHECK_EQUAL(128 + SIGKILL, test_wait_exit(writer));
        (void)close(input);
        CHECK_EQUAL(128 + SIGKILL, run_peer(points[i], WORDS("ring-hold", "r", "reader", "--capacity", "4096")));
        expect_ring_works(points[i]);
    }
}

static void *kill_soon(void *pid)
{
    test_pause(50);
    test_send_kill(*(const pid_t *)pid);
    return NULL;
}

TEST(a_stopped_lock_holder_holds_others_up_only_until_it_is_killed)
{
    const ipc_ring_options options = {.capacity = 4096};
    ipc_ring_writer *writer = NULL;
    ipc_ring_reader *reader = NULL;
    int input = -1;
    CHECK_OK(ipc_ring_writer_open("r", &options, &writer));
    pid_t pid = start_peer("region.attach.locked", "stop", &input, WORDS("ring-hold", "r", "reader"));
    test_wait_stopped(pid);
    test_thread killer;
    test_thread_start(&killer, kill_soon, &pid);
    CHECK_OK(ipc_ring_reader_open("r", &options, &reader)); /* waits for the region lock, gets it from the kernel */
    test_thread_join(&killer);
    CHECK_EQUAL(128 + SIGKILL, test_wait_exit(pid));
    (void)close(input);
    ipc_ring_reader_close(reader);
    ipc_ring_writer_close(writer);
}

/* ---- connections ------------------------------------------------------------------------------------- */

static void expect_listener_works(const char *after)
{
    int input = -1;
    pid_t server = start_peer(NULL, NULL, &input, WORDS("listen", "l", "--timeout", "20000"));
    const int code = run_peer(NULL, WORDS("connect", "l", "50", "100", "--timeout", "20000"));
    (void)close(input);
    const int served = test_wait_exit(server);
    if (code != 0 || served != 0)
        test_fail(__FILE__, __LINE__, "%s: client %d, server %d", after, code, served);
    if (test_files() != 0)
        test_fail(__FILE__, __LINE__, "%s: %d files are left", after, test_files());
}

TEST(a_listener_survives_a_server_that_dies_at_every_point)
{
    static const char *const points[] = {
        "listener.open.before_link",
        "region.create.before_link",
        "region.create.after_link",
        "listener.accept.mapped",
        "listener.accept.unlinked",
        "listener.accept.replied",
        "ring.read.done:7",
        "ring.commit.before_publish:7",
        "ring.commit.after_publish:7",
        "ring.release.before_store:7",
        "connection.close.word",
        "listener.slot_idle",
        "region.leave.entry_freed",
        "region.leave.retired",
        "waiter.flag_set",
    };
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        int input = -1;
        int unused = -1;
        pid_t server =
            start_peer(points[i], NULL, &input, WORDS("listen", "l", "--timeout", "20000", "--wait", "block"));
        pid_t client = start_peer(NULL, NULL, &unused, WORDS("connect", "l", "30", "100", "--timeout", "1000"));
        const int code = test_wait_exit(
            client); /* 0 when the server died later, 3 (a typed error) when it died under it; never a hang */
        if (code != 0 && code != 3)
            test_fail(__FILE__, __LINE__, "%s: the client ended with %d", points[i], code);
        (void)close(input);
        (void)close(unused);
        const int served = test_wait_exit(server);
        if (served != 128 + SIGKILL)
            test_fail(__FILE__, __LINE__, "%s was not reached: exit code %d", points[i], served);
        expect_listener_works(points[i]);
    }
}

TEST(a_listener_survives_a_client_that_dies_at_every_point)
{
    static const char *const points[] = {
        "region.attach.locked",        "region.attach.entry_filled",
        "region.attach.live",          "connect.slot_opening",
        "region.create.before_link",   "region.create.after_link",
        "connect.region_linked",       "connect.requested",
        "ring.claim.done:7",           "ring.commit.before_publish:7",
        "ring.commit.after_publish:7", "ring.read.done:7",
        "ring.release.after_store:7",  "connection.close.word",
        "region.leave.entry_freed",    "waiter.flag_set",
        "waiter.signal.word_changed",
    };
    int input = -1;
    pid_t server = start_peer(NULL, NULL, &input, WORDS("listen", "l", "--timeout", "60000", "--wait", "block"));
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        const int code =
            run_peer(points[i], WORDS("connect", "l", "30", "100", "--timeout", "20000", "--wait", "block"));
        if (code != 128 + SIGKILL)
            test_fail(__FILE__, __LINE__, "%s was not reached: exit code %d", points[i], code);
        CHECK_EQUAL(0, run_peer(NULL, WORDS("connect", "l", "30", "100", "--timeout", "20000")));
    }
    (void)close(input);
    CHECK_EQUAL(0, test_wait_exit(server));
    if (test_files() != 0)
        test_fail(__FILE__, __LINE__, "%d files are left", test_files());
}
