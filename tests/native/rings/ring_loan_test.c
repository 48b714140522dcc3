/* Records that are too long for the ring: the same calls, a loan from its pool. */
#define _GNU_SOURCE
#include "ring_loan_parts.h"

#ifndef _WIN32
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

/* ---- writing and reading ----------------------------------------------------------------------------- */

TEST(a_long_record_is_a_descriptor_in_the_ring_and_a_block_of_the_pool)
{
    both ends;
    open_both(&ends, &tight);
    CHECK_EQUAL(1024 * KIB, ipc_ring_writer_max_payload(ends.writer));
    write_one(ends.writer, 2040, 1); /* the longest that is a record */
    CHECK_EQUAL(0, lent(&ends.reader->ring));
    write_one(ends.writer, 2041 - 1000, 2);
    (void)read_one(ends.reader, 2040, 1);
    (void)read_one(ends.reader, 1041, 2);
    ipc_ring_release(ends.reader);

    const uint64_t at = ends.reader->position;
    write_one(ends.writer, LONG, 3);
    CHECK_EQUAL(0xA000000000000010 | 3ull << 32, word_at(ends.reader, at));
    CHECK_EQUAL(1, lent(&ends.reader->ring));
    const ipc_record record = read_one(ends.reader, LONG, 3);
    CHECK(!record.redelivered);
    CHECK_EQUAL(at + 64, ends.reader->position);
    CHECK_EQUAL(1, lent(&ends.reader->ring));
    ipc_ring_release(ends.reader);
    CHECK_EQUAL(0, lent(&ends.reader->ring));
    close_both(&ends);
}

TEST(one_byte_too_long_for_a_record_is_a_loan)
{
    both ends;
    open_both(&ends, &tight);
    write_one(ends.writer, 2041, 9);
    CHECK_EQUAL(1, lent(&ends.reader->ring));
    (void)read_one(ends.reader, 2041, 9);
    ipc_ring_release(ends.reader);
    close_both(&ends);
}

TEST(short_and_long_records_keep_their_order_batched_or_not)
{
    both ends;
    open_both(&ends, &tight);
    for (uint32_t round = 0; round < 200; round++) {
        for (uint32_t i = 0; i < 6; i++) {
            const uint32_t length = i % 3 == 1 ? 5000 + round * 10 + i : 100 * i + round;
            void *payload = NULL;
            CHECK_OK(ipc_ring_try_claim(ends.writer, length, &payload));
            fill(payload, length, round + i);
            if (round % 2 == 0)
                CHECK_OK(ipc_ring_commit_batched(ends.writer, length, (uint16_t)(round + i)));
            else
                CHECK_OK(ipc_ring_commit(ends.writer, length, (uint16_t)(round + i)));
        }
        ipc_record record;
        if (round % 2 == 0)
            CHECK_STATUS(IPC_EMPTY, ipc_ring_try_read(ends.reader, &record));
        ipc_ring_flush(ends.writer);
        for (uint32_t i = 0; i < 6; i++)
            (void)read_one(ends.reader, i % 3 == 1 ? 5000 + round * 10 + i : 100 * i + round, round + i);
        CHECK_STATUS(IPC_EMPTY, ipc_ring_try_read(ends.reader, &record));
        CHECK_EQUAL(2, lent(&ends.reader->ring));
        ipc_ring_release(ends.reader);
        CHECK_EQUAL(0, lent(&ends.reader->ring));
    }
    close_both(&ends);
}

TEST(a_loan_committed_shorter_stays_a_loan)
{
    both ends;
    void *payload = NULL;
    open_both(&ends, &tight);
    CHECK_OK(ipc_ring_try_claim(ends.writer, LONG, &payload));
    fill(payload, 3, 1);
    CHECK_STATUS(IPC_E_INVALID_ARGUMENT, ipc_ring_commit(ends.writer, LONG + 1, 1));
    CHECK_OK(ipc_ring_commit(ends.writer, 3, 1));
    CHECK_STATUS(IPC_E_INVALID_STATE, ipc_ring_commit(ends.writer, 3, 1));
    CHECK_EQUAL(1, lent(&ends.reader->ring));
    (void)read_one(ends.reader, 3, 1);
    ipc_ring_release(ends.reader);
    close_both(&ends);
}

TEST(a_claim_that_outgrows_the_ring_moves_into_a_loan_and_on)
{
    static const uint32_t steps[] = {100, 2000, 2041, 9000, 300000, 300001, 1024 * KIB};
    both ends;
    ipc_record record;
    open_both(&ends, &tight);
    for (int commit = 0; commit < 2; commit++) {
        void *payload = NULL;
        CHECK_OK(ipc_ring_try_claim(ends.writer, steps[0], &payload));
        fill(payload, steps[0], 5);
        for (size_t i = 1; i < sizeof steps / sizeof steps[0] - 1; i++) {
            CHECK_OK(ipc_ring_try_extend_claim(ends.writer, steps[i], &payload));
            for (uint32_t k = 0; k < steps[i - 1]; k++)
                CHECK_EQUAL(byte_of(5, k), ((const uint8_t *)payload)[k]);
            fill(payload, steps[i], 5);
            CHECK(lent(&ends.reader->ring) <= 1);
        }
        void *same = NULL;
        CHECK_OK(ipc_ring_try_extend_claim(ends.writer, 10, &same)); /* smaller: nothing changes */
        CHECK(same == payload);
        CHECK_STATUS(IPC_FULL,
                     ipc_ring_try_extend_claim(ends.writer, 1024 * KIB, &same)); /* with the old one: too much */
        CHECK_STATUS(IPC_E_TOO_LARGE, ipc_ring_try_extend_claim(ends.writer, 1024 * KIB + 1, &same));
        if (commit == 0) {
            ipc_ring_abandon(ends.writer);
            CHECK_STATUS(IPC_E_INVALID_STATE, ipc_ring_try_extend_claim(ends.writer, 10, &same));
            CHECK_STATUS(IPC_EMPTY, ipc_ring_try_read(ends.reader, &record));
            CHECK_EQUAL(0, lent(&ends.reader->ring));
            write_one(ends.writer, 7, 7); /* and the ring's bytes are as they were */
            (void)read_one(ends.reader, 7, 7);
            ipc_ring_release(ends.reader);
        } else {
            CHECK_OK(ipc_ring_commit(ends.writer, 300001, 5));
            (void)read_one(ends.reader, 300001, 5);
            ipc_ring_release(ends.reader);
        }
    }
    close_both(&ends);
}

TEST(a_new_claim_replaces_an_open_loan)
{
    both ends;
    void *payload = NULL;
    open_both(&ends, &tight);
    for (int i = 0; i < 100; i++) {
        CHECK_OK(ipc_ring_try_claim(ends.writer, LONG, &payload));
        CHECK_OK(ipc_ring_try_claim(ends.writer, 2 * LONG, &payload));
        CHECK_EQUAL(1, lent(&ends.reader->ring));
        CHECK_OK(ipc_ring_try_claim(ends.writer, 1500, &payload));
        CHECK_EQUAL(0, lent(&ends.reader->ring));
        CHECK_OK(ipc_ring_try_claim(ends.writer, LONG, &payload));
        fill(payload, LONG, 1);
        CHECK_OK(ipc_ring_commit(ends.writer, LONG, 1));
        (void)read_one(ends.reader, LONG, 1);
        ipc_ring_release(ends.reader);
    }
    CHECK_OK(ipc_ring_try_claim(ends.writer, LONG, &payload));
    ipc_ring_writer_close(ends.writer); /* gives it back */
    CHECK_EQUAL(0, lent(&ends.reader->ring));
    ipc_ring_reader_close(ends.reader);
}

TEST(many_loans_are_read_ahead_and_released_together)
{
    both ends;
    static const ipc_ring_options wide = {.capacity = 65536, .loan_budget = 8 * 1024 * KIB};
    open_both(&ends, &wide);
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < 100; i++)
            write_one(ends.writer, 33000 + i, i);
        for (uint32_t i = 0; i < 100; i++)
            (void)read_one(ends.reader, 33000 + i, i);
        CHECK_EQUAL(100, lent(&ends.reader->ring));
        ipc_ring_release(ends.reader);
        CHECK_EQUAL(0, lent(&ends.reader->ring));
    }
    close_both(&ends);
}

static uint64_t present(const ipc_ring_writer *writer)
{
    ipc_pool_info info;
    ipc_pool_get_info(&writer->ring.pool, &info);
    return info.present;
}

TEST(trimming_gives_back_what_is_released_and_nothing_else)
{
    both ends;
    open_both(&ends, &tight);
    ipc_ring_writer_trim_loans(ends.writer); /* nothing yet */
    for (uint32_t i = 0; i < 4; i++)
        write_one(ends.writer, LONG, i);
    (void)read_one(ends.reader, LONG, 0);
    ipc_ring_release(ends.reader);
    const ipc_record held = read_one(ends.reader, LONG, 1);
    void *claim = NULL;
    CHECK_OK(ipc_ring_try_claim(ends.writer, LONG, &claim));
    fill(claim, LONG, 4);
    CHECK(present(ends.writer) >= 4 * LONG);
    ipc_ring_writer_trim_loans(ends.writer);
    CHECK(present(ends.writer) >= 4 * LONG); /* one held, two unread, one being written */
    CHECK(present(ends.writer) < 5 * LONG);
    expect(&held, LONG, 1);
    CHECK_OK(ipc_ring_commit(ends.writer, LONG, 4));
    for (uint32_t i = 2; i < 5; i++)
        (void)read_one(ends.reader, LONG, i);
    ipc_ring_release(ends.reader);
    ipc_ring_writer_trim_loans(ends.writer);
    CHECK_EQUAL(0, present(ends.writer));
    write_one(ends.writer, LONG, 5); /* the next one gets its memory again */
    (void)read_one(ends.reader, LONG, 5);
    close_both(&ends);
}

TEST(trimming_without_a_pool_does_nothing)
{
    static const ipc_ring_options none = {.capacity = 4096, .loan_budget = IPC_NO_LOANS};
    both ends;
    open_both(&ends, &none);
    ipc_ring_writer_trim_loans(ends.writer);
    write_one(ends.writer, 100, 1);
    (void)read_one(ends.reader, 100, 1);
    close_both(&ends);
}

TEST(without_a_pool_long_is_too_large)
{
    both ends;
    void *payload = NULL;
    static const ipc_ring_options none = {.capacity = 4096, .loan_budget = IPC_NO_LOANS};
    open_both(&ends, &none);
    CHECK_EQUAL(2040, ipc_ring_writer_max_payload(ends.writer));
    CHECK_STATUS(IPC_E_TOO_LARGE, ipc_ring_try_claim(ends.writer, 2041, &payload));
    check_error_says("2041");
    CHECK_OK(ipc_ring_try_claim(ends.writer, 10, &payload));
    CHECK_STATUS(IPC_E_TOO_LARGE, ipc_ring_try_extend_claim(ends.writer, 2041, &payload));
    ipc_ring_abandon(ends.writer);
    close_both(&ends);
}

/* ---- full -------------------------------------------------------------------------------------------- */

static void *release_when_asked(void *argument)
{
    both *ends = argument;
    ipc_record record;
    CHECK_OK(ipc_ring_read(ends->reader, SOON, NULL, &record));
    WAIT_FOR(ipc_load_acquire32(&ends->reader->header->space.wanted) != 0);
    ipc_ring_release(ends->reader);
    return NULL;
}

TEST(a_writer_waits_for_a_loan_as_for_room)
{
    both ends;
    void *payload = NULL;
    test_thread thread;
    open_both(&ends, &tight);
    write_one(ends.writer, 700 * KIB, 1);
    CHECK_STATUS(IPC_FULL, ipc_ring_try_claim(ends.writer, 700 * KIB, &payload));
    CHECK_STATUS(IPC_TIMEOUT, ipc_ring_claim(ends.writer, 700 * KIB, ipc_deadline_after(1000000), NULL, &payload));
    test_thread_start(&thread, release_when_asked, &ends);
    CHECK_OK(ipc_ring_claim(ends.writer, 700 * KIB, SOON, NULL, &payload));
    fill(payload, 700 * KIB, 2);
    test_thread_join(&thread);
    CHECK_OK(ipc_ring_commit(ends.writer, 700 * KIB, 2));
    (void)read_one(ends.reader, 700 * KIB, 2);
    ipc_ring_reader_close(ends.reader); /* without releasing */
    CHECK_STATUS(IPC_PEER_CLOSED, ipc_ring_claim(ends.writer, 700 * KIB, SOON, NULL, &payload));
    CHECK_OK(ipc_ring_try_claim(ends.writer, 1000, &payload)); /* a short one has room */
    ipc_ring_writer_close(ends.writer);
}

static void *echo_sizes(void *argument)
{
    both *ends = argument;
    for (uint32_t i = 0; i < 400; i++) {
        const uint32_t length = (i * 7919) % (400 * KIB);
        void *payload = NULL;
        CHECK_OK(ipc_ring_claim(ends->writer, length, SOON, NULL, &payload));
        memset(payload, (int)i, length);
        CHECK_OK(ipc_ring_commit(ends->writer, length, (uint16_t)i));
    }
    return NULL;
}

TEST(two_threads_pass_records_of_all_sizes_under_a_small_budget)
{
    both ends;
    test_thread thread;
    open_both(&ends, &tight);
    test_thread_start(&thread, echo_sizes, &ends);
    for (uint32_t i = 0; i < 400; i++) {
        ipc_record record;
        CHECK_OK(ipc_ring_read(ends.reader, SOON, NULL, &record));
        CHECK_EQUAL((i * 7919) % (400 * KIB), record.length);
        CHECK_EQUAL(i, record.type);
        for (uint32_t k = 0; k < record.length; k += 997)
            CHECK_EQUAL((uint8_t)i, ((const uint8_t *)record.payload)[k]);
        if (i % 2 == 1)
            ipc_ring_release(ends.reader);
    }
    test_thread_join(&thread);
    ipc_ring_release(ends.reader);
    CHECK_EQUAL(0, lent(&ends.reader->ring));
    close_both(&ends);
}

#ifndef _WIN32
POSIX_TEST(a_full_disk_is_a_full_ring)
{
    char path[512];
    both ends = {0};
    void *payload = NULL;
    static const ipc_ring_options wide = {.capacity = 4096, .loan_budget = 8 * 1024 * KIB};
    test_path("disk", path, sizeof path);
    CHECK(mkdir(path, 0700) == 0);
    if (geteuid() != 0 || mount("none", path, "tmpfs", 0, "size=1m") != 0) {
        CHECK(rmdir(path) == 0);
        test_skip("needs the right to mount a small file system");
    }
    CHECK(setenv("IPC_DIR", path, 1) == 0);
    ipc_status opened = ipc_ring_writer_open("r", &wide, &ends.writer);
    ipc_status fits = opened == IPC_OK ? ipc_ring_try_claim(ends.writer, 200 * KIB, &payload) : opened;
    if (fits == IPC_OK)
        memset(payload, 1, 200 * KIB);
    ipc_status large = opened == IPC_OK ? ipc_ring_try_claim(ends.writer, 4096 * KIB, &payload) : opened;
    ipc_status waited = opened == IPC_OK
                            ? ipc_ring_claim(ends.writer, 4096 * KIB, ipc_deadline_after(30000000), NULL, &payload)
                            : opened;
    ipc_ring_writer_close(ends.writer);
    CHECK(setenv("IPC_DIR", test_directory(), 1) == 0);
    CHECK(umount(path) == 0);
    CHECK(rmdir(path) == 0);
    CHECK_OK(opened);
    CHECK_OK(fits);
    CHECK_STATUS(IPC_FULL, large);
    CHECK_STATUS(IPC_TIMEOUT, waited);
}
#endif

/* ---- hostile bytes ----------------------------------------------------------------------------------- */

static void expect_corrupt(uint64_t word, const ipc_loan_descriptor *descriptor, const ipc_ring_options *options)
{
    both ends;
    ipc_record record;
    open_both(&ends, options);
    const ipc_atomic64 *line = ipc_record_at(ends.reader->data, ends.reader->capacity, 0);
    if (descriptor != NULL)
        memcpy((uint8_t *)(uintptr_t)line + 8, descriptor, sizeof *descriptor);
    ipc_store_release64((ipc_atomic64 *)(uintptr_t)line, word);
    CHECK_STATUS(IPC_E_CORRUPT, ipc_ring_try_read(ends.reader, &record));
    CHECK_STATUS(IPC_E_CORRUPT, ipc_ring_try_read(ends.reader, &record));
    ipc_ring_release(ends.reader);
    close_both(&ends);
}

TEST(a_loan_that_is_none_is_corrupt)
{
    static const ipc_ring_options none = {.capacity = 4096, .loan_budget = IPC_NO_LOANS};
    const ipc_loan_descriptor free_block = {.klass = 0, .index = 0, .generation = 0, .length = 1};
    const ipc_loan_descriptor outside = {.klass = 0, .index = 256, .generation = 0, .length = 1};
    const uint64_t loan = 0xA000000000000010;
    expect_corrupt(loan, &free_block, &tight);
    expect_corrupt(loan, &outside, &tight);
    expect_corrupt(loan, &free_block, &none);        /* there is no pool */
    expect_corrupt(loan | 1ull << 62, NULL, &tight); /* padding that is a loan */
    expect_corrupt(loan | 1ull << 60, NULL, &tight); /* a reserved bit */
    expect_corrupt(loan + 1, &free_block, &tight);   /* a descriptor has 16 bytes */
    expect_corrupt(loan - 1, &free_block, &tight);
}

TEST(a_pool_that_does_not_fit_its_region_is_refused)
{
    both ends;
    ipc_ring_writer *second = NULL;
    char path[512];
    test_path("r", path, sizeof path);
    open_both(&ends, &tight);
    ipc_ring_writer_close(ends.writer);
    ipc_ring_header *header = ends.reader->header;
    const uint64_t good = header->pool_offset;
    static const uint64_t bad[] = {4096, 12288, 64, 1ull << 40, UINT64_MAX};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        header->pool_offset = bad[i];
        CHECK_STATUS(IPC_E_CORRUPT, ipc_ring_writer_open("r", &tight, &second));
    }
    header->pool_offset = good;
    ((ipc_pool_header *)(uintptr_t)ends.reader->ring.pool.header)->budget = 1ull << 36;
    CHECK_STATUS(IPC_E_CORRUPT, ipc_ring_writer_open("r", &tight, &second));
    ((ipc_pool_header *)(uintptr_t)ends.reader->ring.pool.header)->budget = 1024 * KIB;
    CHECK_OK(ipc_ring_writer_open("r", &tight, &second));
    ipc_ring_writer_close(second);
    ipc_ring_reader_close(ends.reader);
}

/* ---- both ways through a connection ------------------------------------------------------------------ */

typedef struct server {
    const ipc_listener_options *options;
    _Atomic bool ready;
    _Atomic bool saw_corrupt;
} server;

static void *echo_once(void *argument)
{
    server *one = argument;
    ipc_listener *listener = NULL;
    CHECK_OK(ipc_listener_open("s", one->options, &listener));
    one->ready = true;
    for (bool done = false; !done;) {
        ipc_event event;
        CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
        ipc_record record;
        void *payload = NULL;
        switch (event.kind) {
        case IPC_EVENT_CONNECT:
            CHECK_OK(ipc_connection_accept(event.connection));
            ipc_listener_return(listener, event.connection);
            break;
        case IPC_EVENT_READABLE:
            for (;;) {
                const ipc_status status = ipc_ring_try_read(ipc_connection_reader(event.connection), &record);
                if (status == IPC_E_CORRUPT)
                    one->saw_corrupt = true;
                if (status != IPC_OK)
                    break;
                ipc_ring_writer *writer = ipc_connection_writer(event.connection);
                CHECK_OK(ipc_ring_claim(writer, record.length, SOON, NULL, &payload));
                memcpy(payload, record.payload, record.length);
                CHECK_OK(ipc_ring_commit(writer, record.length, record.type));
                ipc_ring_release(ipc_connection_reader(event.connection));
            }
            if (!one->saw_corrupt) {
                ipc_listener_return(listener, event.connection);
                break;
            }
            ipc_connection_close(event.connection);
            done = true;
            break;
        case IPC_EVENT_CLOSED:
            ipc_connection_close(event.connection);
            done = true;
            break;
        case IPC_EVENT_FOLLOWED:
            break;
        }
    }
    ipc_listener_close(listener);
    return NULL;
}

static void start_server(server *one, test_thread *thread)
{
    test_thread_start(thread, echo_once, one);
    WAIT_FOR(one->ready);
}

TEST(a_connection_lends_both_ways)
{
    server one = {0};
    test_thread thread;
    ipc_connection *connection = NULL;
    start_server(&one, &thread);
    CHECK_OK(ipc_connect("s", NULL, &connection));
    CHECK_EQUAL(TEST_DEFAULT_BUDGET, ipc_ring_writer_max_payload(ipc_connection_writer(connection)));
    static const uint32_t sizes[] = {10, 1024 * KIB, 131064, 131065, (uint32_t)(TEST_DEFAULT_BUDGET / 64 * 25), 5};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        ipc_record record;
        void *payload = NULL;
        CHECK_OK(ipc_ring_claim(ipc_connection_writer(connection), sizes[i], SOON, NULL, &payload));
        memset(payload, (int)i + 1, sizes[i]);
        CHECK_OK(ipc_ring_commit(ipc_connection_writer(connection), sizes[i], (uint16_t)i));
        CHECK_OK(ipc_ring_read(ipc_connection_reader(connection), SOON, NULL, &record));
        CHECK_EQUAL(sizes[i], record.length);
        for (uint32_t k = 0; k < sizes[i]; k += 4093)
            CHECK_EQUAL(i + 1, ((const uint8_t *)record.payload)[k]);
        ipc_ring_release(ipc_connection_reader(connection));
    }
    CHECK(present(ipc_connection_writer(connection)) >= sizes[4]);
    WAIT_FOR(lent(&ipc_connection_writer(connection)->ring) == 0); /* the server releases when it has answered */
    ipc_ring_writer_trim_loans(ipc_connection_writer(connection));
    CHECK_EQUAL(0, present(ipc_connection_writer(connection)));
    ipc_connection_close(connection);
    test_thread_join(&thread);
}

TEST(a_loan_budget_beyond_the_servers_is_refused_with_both_sizes)
{
    static const ipc_listener_options little = {.max_loan_budget = 1024 * KIB};
    static const ipc_connect_options much = {.loan_budget = 2048 * KIB};
    static const ipc_connect_options none = {.loan_budget = IPC_NO_LOANS};
    server one = {.options = &little};
    test_thread thread;
    ipc_connection *connection = NULL;
    start_server(&one, &thread);
    CHECK_STATUS(IPC_E_REFUSED, ipc_connect("s", &much, &connection));
    check_error_says("2097152");
    check_error_says("1048576");
    CHECK_OK(ipc_connect("s", &none, &connection));
    CHECK_EQUAL(131064, ipc_ring_writer_max_payload(ipc_connection_writer(connection)));
    ipc_connection_close(connection);
    test_thread_join(&thread);
}

TEST(hostile_loans_in_a_connection_close_it_as_corrupt)
{
    server one = {0};
    test_thread thread;
    ipc_connection *connection = NULL;
    start_server(&one, &thread);
    CHECK_OK(ipc_connect("s", NULL, &connection));
    ipc_ring_writer *writer = ipc_connection_writer(connection);
    void *payload = NULL;
    CHECK_OK(ipc_ring_try_claim(writer, 1024 * KIB, &payload));
    /* Somebody takes the block away under its owner: the record is not sent. */
    ipc_pool_block *block = ipc_pool_block_at(&writer->ring.pool, writer->loan.klass, writer->loan.index);
    ipc_store_relaxed64(&block->state, ipc_block_word(77, 0, IPC_BLOCK_FREE));
    CHECK_STATUS(IPC_E_CORRUPT, ipc_ring_commit(writer, 1024 * KIB, 1));
    CHECK_STATUS(IPC_CLOSED, ipc_ring_wait(ipc_connection_reader(connection), SOON, NULL));
    ipc_connection_close(connection);
    test_thread_join(&thread);

    one.ready = false;
    start_server(&one, &thread);
    CHECK_OK(ipc_connect("s", NULL, &connection));
    writer = ipc_connection_writer(connection);
    CHECK_OK(ipc_ring_try_claim(writer, 24, &payload));
    memset(payload, 0xFF, 16); /* a descriptor of nothing */
    ipc_ring_abandon(writer);
    ipc_ring_append(writer, ipc_record_loan_word(1), IPC_LINE, false);
    CHECK_STATUS(IPC_PEER_CLOSED, ipc_ring_wait(ipc_connection_reader(connection), SOON, NULL));
    CHECK_EQUAL(IPC_CLOSE_CORRUPT, ipc_connection_close_code(connection));
    ipc_connection_close(connection);
    test_thread_join(&thread);
    CHECK(one.saw_corrupt);
}

/* ---- after a burst ----------------------------------------------------------------------------------- */

#define BURST (32u << 20)

static const ipc_ring_options roomy = {.capacity = 64 * KIB, .loan_budget = 64ull << 20};

static void echo_short(both *ends, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        write_one(ends->writer, 40, i);
        (void)read_one(ends->reader, 40, i);
        ipc_ring_release(ends->reader);
    }
}

TEST(after_a_burst_a_ring_becomes_small_by_itself)
{
    both ends;
    open_both(&ends, &roomy);
    write_one(ends.writer, BURST, 1);
    const ipc_record held = read_one(ends.reader, BURST, 1);
    for (uint32_t i = 0; i < 1000; i++) { /* nearly all the room that there is while it is held */
        write_one(ends.writer, 0, i);
        (void)read_one(ends.reader, 0, i);
    }
    expect(&held, BURST, 1);
    ipc_ring_release(ends.reader);
    CHECK(present(ends.writer) >= BURST);
    echo_short(&ends, 5000);
    CHECK_EQUAL(0, present(ends.writer));
    write_one(ends.writer, BURST, 2); /* and it grows again */
    (void)read_one(ends.reader, BURST, 2);
    close_both(&ends);
}

/* A ring in which there is always room has two windows in each round, not in every second one. */
TEST(a_large_ring_becomes_small_in_one_round)
{
    static const ipc_ring_options large = {.capacity = 512 * KIB, .loan_budget = 64ull << 20};
    both ends;
    open_both(&ends, &large);
    write_one(ends.writer, BURST, 1);
    (void)read_one(ends.reader, BURST, 1);
    ipc_ring_release(ends.reader);
    CHECK(present(ends.writer) >= BURST);
    echo_short(&ends, 8300); /* of 64 bytes in the ring */
    CHECK_EQUAL(0, present(ends.writer));
    close_both(&ends);
}

TEST(what_is_sent_again_and_again_keeps_its_memory)
{
    both ends;
    open_both(&ends, &roomy);
    for (uint32_t i = 0; i < 40; i++) {
        write_one(ends.writer, 2u << 20, i);
        (void)read_one(ends.reader, 2u << 20, i);
        ipc_ring_release(ends.reader);
        echo_short(&ends, 400); /* less than a window */
        CHECK_EQUAL(2u << 20, present(ends.writer));
    }
    write_one(ends.writer, LONG, 1); /* a little is kept in any case */
    (void)read_one(ends.reader, LONG, 1);
    ipc_ring_release(ends.reader);
    echo_short(&ends, 5000);
    CHECK(present(ends.writer) >= LONG);
    CHECK(present(ends.writer) <= 1024 * KIB);
    close_both(&ends);
}
