/* Waiting and what ends it: data, room, deadline, stop, cancel, close, the peer. */
#define _GNU_SOURCE
#include "connections/listener.h"
#include "echo_server.h"
#include "memory_ring.h"
#include "sync/sync.h"
#include "test.h"

#ifndef _WIN32
#include <sched.h>
#endif

#define CAPACITY 4096u

static const ipc_wait_mode modes[] = {IPC_WAIT_ADAPTIVE, IPC_WAIT_SPIN, IPC_WAIT_BLOCK};
#define FOR_EACH_MODE(mode)                                                                                            \
    for (size_t mode##_i = 0; mode##_i < 3; mode##_i++)                                                                \
        for (ipc_wait_mode mode = modes[mode##_i], once = mode; once == mode; once = (ipc_wait_mode)99)

typedef struct waiting_reader {
    ipc_ring_reader *reader;
    ipc_deadline deadline;
    ipc_cancel *cancel;
    ipc_status status;
    ipc_record record;
} waiting_reader;

static void *read_in_thread(void *argument)
{
    waiting_reader *waiting = argument;
    waiting->status = ipc_ring_read(waiting->reader, waiting->deadline, waiting->cancel, &waiting->record);
    return NULL;
}

static void *claim_in_thread(void *argument)
{
    memory_ring *memory = argument;
    void *payload;
    return (void *)(intptr_t)ipc_ring_claim(&memory->writer, 1000, SOON, NULL, &payload);
}

/* A sleeper has set bit 0; one that spins is inside. Either way a stop from now on meets a wait. */
static bool is_waiting(const ipc_end *end)
{
    return ipc_load_acquire32(&end->inside) != 0;
}

#ifndef _WIN32
/* The peer of a thread that is pinned to one processor may be on another. */
POSIX_TEST(a_thread_that_is_pinned_spins_as_others_do)
{
    cpu_set_t before;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    CHECK(sched_getaffinity(0, sizeof before, &before) == 0);
    if (CPU_COUNT(&before) == 1)
        test_skip("the machine may have one processor only");
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
    ipc_end end;
    ipc_end_init(&end, IPC_WAIT_ADAPTIVE);
    CHECK(sched_setaffinity(0, sizeof before, &before) == 0);
    CHECK(ipc_end_spin_budget(&end) != 0);
}

/* Where the peer was last seen on this very processor, spinning would only keep it from answering. */
POSIX_TEST(a_wait_beside_its_peer_does_not_spin)
{
    cpu_set_t before;
    cpu_set_t one;
    CPU_ZERO(&one);
    const int here = sched_getcpu();
    CPU_SET(here, &one);
    CHECK(sched_getaffinity(0, sizeof before, &before) == 0);
    if (ipc_platform_has_one_processor())
        test_skip("with one processor there is no spinning at all");
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
    ipc_ring_writer *writer;
    ipc_ring_reader *reader;
    ipc_record record;
    CHECK_OK(ipc_ring_writer_open("beside", NULL, &writer));
    CHECK_OK(ipc_ring_reader_open("beside", NULL, &reader));
    const uint32_t budget = ipc_load_relaxed32(&reader->end.budget_ns);

    /* Not known yet: it spins, says where it is, and learns that it was for nothing. */
    CHECK(ipc_ring_read(reader, ipc_deadline_after(50000000), NULL, &record) == IPC_TIMEOUT);
    CHECK(ipc_load_relaxed32(&reader->end.beside) == 0);
    CHECK(ipc_load_relaxed32(&reader->end.budget_ns) == budget / 2);
    CHECK(ipc_load_relaxed32(&reader->header->reader_processor) == (uint32_t)here + 1);

    /* On the same one: it sleeps at once, which is no lesson about spinning. */
    ipc_store_relaxed32(&reader->header->writer_processor, (uint32_t)here + 1);
    CHECK(ipc_ring_read(reader, ipc_deadline_after(50000000), NULL, &record) == IPC_TIMEOUT);
    CHECK(ipc_load_relaxed32(&reader->end.beside) == 1);
    CHECK(ipc_load_relaxed32(&reader->end.budget_ns) == budget / 2);

    /* Elsewhere again: it spins again. */
    ipc_store_relaxed32(&reader->header->writer_processor, (uint32_t)here + 2);
    CHECK(ipc_ring_read(reader, ipc_deadline_after(50000000), NULL, &record) == IPC_TIMEOUT);
    CHECK(ipc_load_relaxed32(&reader->end.beside) == 0);
    CHECK(ipc_load_relaxed32(&reader->end.budget_ns) == budget / 4);

    /* Who wakes says where it is, before the other one can ask. */
    ipc_store_relaxed32(&writer->header->writer_processor, 0);
    (void)ipc_or32(&writer->header->data.word, IPC_WAITER_SLEEPING);
    CHECK_OK(ipc_ring_write(writer, "x", 1, 0, IPC_NOW, NULL));
    CHECK(ipc_load_relaxed32(&writer->header->writer_processor) == (uint32_t)here + 1);
    ipc_ring_reader_close(reader);
    ipc_ring_writer_close(writer);
    CHECK(sched_setaffinity(0, sizeof before, &before) == 0);
}
#endif

TEST(a_deadline_ends_a_wait)
{
    FOR_EACH_MODE(mode)
    {
        memory_ring memory;
        ipc_record record;
        void *payload;
        memory_ring_open(&memory, CAPACITY, 0, mode);
        CHECK_STATUS(IPC_TIMEOUT, ipc_ring_read(&memory.reader, IPC_NOW, NULL, &record));
        const ipc_deadline deadline = ipc_deadline_after(3000000);
        CHECK_STATUS(IPC_TIMEOUT, ipc_ring_read(&memory.reader, deadline, NULL, &record));
        CHECK(ipc_deadline_after(0) >= deadline);
        CHECK_STATUS(IPC_TIMEOUT, ipc_ring_wait(&memory.reader, ipc_deadline_after(1000), NULL));
        CHECK_OK(ipc_ring_write(&memory.writer, modes, 2, 1, IPC_NOW, NULL));
        CHECK_OK(ipc_ring_wait(&memory.reader, IPC_NOW, NULL));
        CHECK_OK(ipc_ring_wait(&memory.reader, IPC_FOREVER, NULL)); /* does not consume */
        CHECK_OK(ipc_ring_claim(&memory.writer, 2000, IPC_NOW, NULL, &payload));
        CHECK_OK(ipc_ring_commit(&memory.writer, 2000, 1));
        CHECK_STATUS(IPC_TIMEOUT, ipc_ring_claim(&memory.writer, 2040, IPC_NOW, NULL, &payload));
        CHECK_STATUS(IPC_TIMEOUT, ipc_ring_claim(&memory.writer, 2040, ipc_deadline_after(1000000), NULL, &payload));
        memory_ring_close(&memory);
    }
}

/* Not by looking again and again: of time that is cut off to seconds, the last one would be spent so. */
POSIX_TEST(the_kernel_sleeps_until_the_deadline)
{
    ipc_atomic32 word;
    ipc_atomic64 asleep;
    atomic_init(&word, 0);
    atomic_init(&asleep, 0);
    const ipc_deadline until = ipc_deadline_after(1200000000);
    uint32_t looks = 0;
    for (; ipc_deadline_after(0) < until; looks++)
        ipc_platform_futex_wait(&word, &asleep, 0, until);
    CHECK(looks < 100);
}

TEST(a_deadline_further_than_time_is_for_ever)
{
    CHECK_EQUAL(IPC_FOREVER, ipc_deadline_after(UINT64_MAX));
    for (int64_t past = -2; past > -4000000000000000000; past *= 7) /* what is left until a moment that is past */
        CHECK_EQUAL(IPC_NOW, ipc_deadline_after((uint64_t)past));
    CHECK_EQUAL(IPC_NOW, ipc_deadline_after((uint64_t)INT64_MIN));
    CHECK(ipc_deadline_after(INT64_MAX) > IPC_NOW && ipc_deadline_after(INT64_MAX) < IPC_FOREVER);
    CHECK(ipc_deadline_after(1) < IPC_FOREVER);
}

TEST(a_publish_ends_a_wait)
{
    FOR_EACH_MODE(mode)
    {
        memory_ring memory;
        test_thread thread;
        memory_ring_open(&memory, CAPACITY, 0, mode);
        waiting_reader waiting = {.reader = &memory.reader, .deadline = SOON};
        test_thread_start(&thread, read_in_thread, &waiting);
        WAIT_FOR(is_waiting(&memory.reader.end));
        CHECK_OK(ipc_ring_write(&memory.writer, "abc", 3, 7, IPC_NOW, NULL));
        test_thread_join(&thread);
        CHECK_STATUS(IPC_OK, waiting.status);
        CHECK_EQUAL(7, waiting.record.type);
        memory_ring_close(&memory);
    }
}

TEST(a_release_ends_a_wait_for_room)
{
    FOR_EACH_MODE(mode)
    {
        memory_ring memory;
        test_thread thread;
        ipc_record record;
        memory_ring_open(&memory, CAPACITY, 0, mode);
        uint8_t bytes[2040] = {0};
        CHECK_OK(ipc_ring_write(&memory.writer, bytes, 2040, 7, IPC_NOW, NULL));
        CHECK_OK(ipc_ring_try_read(&memory.reader, &record));
        CHECK_OK(ipc_ring_write(&memory.writer, bytes, 1000, 7, IPC_NOW, NULL));
        test_thread_start(&thread, claim_in_thread, &memory);
        WAIT_FOR(is_waiting(&memory.writer.end));
        ipc_ring_release(&memory.reader);
        test_thread_join(&thread);
        CHECK_EQUAL(1024, memory.writer.claim_size);
        memory_ring_close(&memory);
    }
}

TEST(stop_ends_waits_until_resumed)
{
    FOR_EACH_MODE(mode)
    {
        memory_ring memory;
        test_thread thread;
        ipc_record record;
        memory_ring_open(&memory, CAPACITY, 0, mode);
        waiting_reader waiting = {.reader = &memory.reader, .deadline = IPC_FOREVER};
        test_thread_start(&thread, read_in_thread, &waiting);
        WAIT_FOR(is_waiting(&memory.reader.end));
        ipc_ring_reader_stop(&memory.reader);
        test_thread_join(&thread);
        CHECK_STATUS(IPC_STOPPED, waiting.status);
        CHECK_STATUS(IPC_STOPPED, ipc_ring_read(&memory.reader, IPC_FOREVER, NULL, &record));
        CHECK_OK(ipc_ring_write(&memory.writer, "x", 1, 1, IPC_NOW, NULL));
        CHECK_OK(ipc_ring_read(&memory.reader, IPC_FOREVER, NULL, &record)); /* what is there needs no wait */
        ipc_ring_reader_resume(&memory.reader);
        CHECK_STATUS(IPC_TIMEOUT, ipc_ring_read(&memory.reader, ipc_deadline_after(1000), NULL, &record));
        memory_ring_close(&memory);
    }
}

TEST(cancel_ends_every_wait_that_has_it)
{
    FOR_EACH_MODE(mode)
    {
        enum { COUNT = 4 };
        memory_ring memory[COUNT];
        test_thread threads[COUNT];
        waiting_reader waiting[COUNT];
        ipc_cancel *cancel = NULL;
        CHECK_OK(ipc_cancel_create(&cancel));
        for (int i = 0; i < COUNT; i++) {
            memory_ring_open(&memory[i], CAPACITY, 0, mode);
            waiting[i] = (waiting_reader){.reader = &memory[i].reader, .deadline = IPC_FOREVER, .cancel = cancel};
            test_thread_start(&threads[i], read_in_thread, &waiting[i]);
        }
        for (int i = 0; i < COUNT; i++)
            WAIT_FOR(is_waiting(&memory[i].reader.end));
        ipc_cancel_trigger(cancel);
        for (int i = 0; i < COUNT; i++) {
            test_thread_join(&threads[i]);
            CHECK_STATUS(IPC_CANCELLED, waiting[i].status);
            CHECK_STATUS(IPC_CANCELLED,
                         ipc_ring_read(&memory[i].reader, IPC_FOREVER, cancel, &waiting[i].record)); /* stays so */
            CHECK_STATUS(IPC_TIMEOUT,
                         ipc_ring_read(&memory[i].reader, ipc_deadline_after(1000), NULL, &waiting[i].record));
            memory_ring_close(&memory[i]);
        }
        ipc_cancel_destroy(cancel);
    }
}

TEST(a_peer_that_goes_ends_waits_when_everything_is_read)
{
    static const ipc_peer_state gone[] = {IPC_PEER_LEFT, IPC_PEER_DEAD};
    for (int i = 0; i < 2; i++) {
        const ipc_status expected = i == 0 ? IPC_PEER_CLOSED : IPC_PEER_DIED;
        memory_ring memory;
        ipc_record record;
        void *payload;
        uint8_t bytes[2040] = {0};
        memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_ADAPTIVE);
        CHECK_OK(ipc_ring_write(&memory.writer, bytes, 2040, 7, IPC_NOW, NULL));
        memory.writer_state = gone[i];
        memory.reader_state = gone[i];
        CHECK_OK(ipc_ring_read(&memory.reader, IPC_FOREVER, NULL, &record));
        CHECK_STATUS(expected, ipc_ring_read(&memory.reader, IPC_FOREVER, NULL, &record));
        CHECK_OK(ipc_ring_claim(&memory.writer, 1000, IPC_FOREVER, NULL, &payload)); /* room there is */
        CHECK_STATUS(expected, ipc_ring_claim(&memory.writer, 2040, IPC_FOREVER, NULL, &payload));
        memory_ring_close(&memory);
    }
}

/* close while another thread waits: the waiter returns IPC_CLOSED, and nothing is freed before it has left. */
TEST(a_thousand_closes_under_waiting_threads)
{
    for (int i = 0; i < 1000; i++) {
        ipc_ring_reader *reader = NULL;
        test_thread thread;
        const ipc_ring_options options = {.capacity = 4096, .wait_mode = modes[i % 3]};
        CHECK_OK(ipc_ring_reader_open("storm", &options, &reader));
        waiting_reader waiting = {.reader = reader, .deadline = IPC_FOREVER};
        test_thread_start(&thread, read_in_thread, &waiting);
        WAIT_FOR(is_waiting(&reader->end));
        ipc_ring_reader_close(reader);
        test_thread_join(&thread);
        CHECK_STATUS(IPC_CLOSED, waiting.status);
    }
}

TEST(a_thousand_stops_and_cancels_under_waiting_threads)
{
    memory_ring memory;
    memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_ADAPTIVE);
    for (int i = 0; i < 1000; i++) {
        ipc_cancel *cancel = NULL;
        test_thread thread;
        CHECK_OK(ipc_cancel_create(&cancel));
        waiting_reader waiting = {.reader = &memory.reader, .deadline = IPC_FOREVER, .cancel = cancel};
        test_thread_start(&thread, read_in_thread, &waiting);
        if (i % 2 == 0)
            ipc_ring_reader_stop(&memory.reader);
        else
            ipc_cancel_trigger(cancel);
        test_thread_join(&thread);
        CHECK_STATUS(i % 2 == 0 ? IPC_STOPPED : IPC_CANCELLED, waiting.status);
        ipc_ring_reader_resume(&memory.reader);
        ipc_cancel_destroy(cancel);
    }
    memory_ring_close(&memory);
}

typedef struct ping_pong {
    ipc_ring_reader *reader;
    ipc_ring_writer *writer;
    uint64_t rounds;
    ipc_status status;
} ping_pong;

static void *echo_in_thread(void *argument)
{
    ping_pong *side = argument;
    for (uint64_t i = 0; i < side->rounds && side->status == IPC_OK; i++) {
        ipc_record record;
        side->status = ipc_ring_read(side->reader, ipc_deadline_after(20000000000ull), NULL, &record);
        if (side->status == IPC_OK)
            side->status = ipc_ring_write(side->writer, record.payload, record.length, record.type, IPC_FOREVER, NULL);
        ipc_ring_release(side->reader);
    }
    return NULL;
}

/* A lost wake-up would be a time-out of 20 s: with every record the other side is asleep, or about to be. */
TEST(no_wake_up_is_lost_between_two_sleepers)
{
    static const ipc_wait_mode kinds[] = {IPC_WAIT_BLOCK, IPC_WAIT_ADAPTIVE};
    for (int k = 0; k < 2; k++) {
        memory_ring there;
        memory_ring back;
        test_thread thread;
        memory_ring_open(&there, CAPACITY, 0, kinds[k]);
        memory_ring_open(&back, CAPACITY, 0, kinds[k]);
        ping_pong side = {.reader = &there.reader, .writer = &back.writer, .rounds = test_is_long() ? 2000000 : 20000};
        test_thread_start(&thread, echo_in_thread, &side);
        for (uint64_t i = 0; i < side.rounds; i++) {
            ipc_record record;
            uint64_t number = i;
            CHECK_OK(ipc_ring_write(&there.writer, &number, 8, (uint16_t)i, SOON, NULL));
            CHECK_OK(ipc_ring_read(&back.reader, SOON, NULL, &record));
            memcpy(&number, record.payload, 8);
            CHECK_EQUAL(i, number);
            ipc_ring_release(&back.reader);
        }
        test_thread_join(&thread);
        CHECK_STATUS(IPC_OK, side.status);
        memory_ring_close(&there);
        memory_ring_close(&back);
    }
}

typedef struct flood {
    memory_ring *memory;
    uint64_t records;
    ipc_status status;
} flood;

static void *write_flood(void *argument)
{
    flood *side = argument;
    uint32_t seed = 7;
    for (uint64_t i = 0; i < side->records && side->status == IPC_OK; i++) {
        void *payload = NULL;
        seed = seed * 1664525u + 1013904223u;
        const uint32_t length = 8 + (seed >> 8) % (i % 50 == 0 ? 1500 : 100);
        side->status =
            ipc_ring_claim(&side->memory->writer, length, ipc_deadline_after(20000000000ull), NULL, &payload);
        if (side->status != IPC_OK)
            break;
        memset(payload, (int)(i & 0xFF), length);
        memcpy(payload, &i, 8);
        side->status = (seed & 0x40) ? ipc_ring_commit_batched(&side->memory->writer, length, (uint16_t)i)
                                     : ipc_ring_commit(&side->memory->writer, length, (uint16_t)i);
    }
    ipc_ring_flush(&side->memory->writer);
    return NULL;
}

/* A small ring that is full and empty all the time; ThreadSanitizer sees both ends on the same addresses. */
TEST(a_flood_through_a_small_ring_keeps_content_and_order)
{
    FOR_EACH_MODE(mode)
    {
        memory_ring memory;
        test_thread thread;
        memory_ring_open(&memory, CAPACITY, 0, mode);
        flood side = {.memory = &memory, .records = mode == IPC_WAIT_SPIN ? 20000 : test_is_long() ? 3000000 : 50000};
        test_thread_start(&thread, write_flood, &side);
        for (uint64_t i = 0; i < side.records; i++) {
            ipc_record record;
            uint64_t number = 0;
            CHECK_OK(ipc_ring_read(&memory.reader, SOON, NULL, &record));
            memcpy(&number, record.payload, 8);
            CHECK_EQUAL(i, number);
            CHECK_EQUAL((uint16_t)i, record.type);
            for (uint32_t k = 8; k < record.length; k++)
                CHECK_EQUAL(i & 0xFF, ((const uint8_t *)record.payload)[k]);
            if (i % 3 != 0 || record.length > 108 ||
                i + 1 == side.records) /* reading ahead now and then, never so far that nothing fits */
                ipc_ring_release(&memory.reader);
        }
        test_thread_join(&thread);
        CHECK_STATUS(IPC_OK, side.status);
        memory_ring_close(&memory);
    }
}

/* Of every kind of object: what it may spin at most. */
TEST(a_spin_limit_is_that_of_every_end)
{
    enum { LIMIT = 1234 };
    ipc_ring_writer *writer = NULL;
    ipc_ring_reader *reader = NULL;
    ipc_shared_mutex *mutex = NULL;
    const ipc_ring_options ring = {.capacity = 4096, .spin_ns = LIMIT};
    const ipc_sync_options sync = {.spin_ns = LIMIT};
    CHECK_OK(ipc_ring_writer_open("r", &ring, &writer));
    CHECK_OK(ipc_ring_reader_open("r", &ring, &reader));
    CHECK_OK(ipc_shared_mutex_open("m", &sync, &mutex));
    CHECK_EQUAL(LIMIT, writer->end.spin_max_ns);
    CHECK_EQUAL(LIMIT, reader->end.spin_max_ns);
    CHECK_EQUAL(LIMIT, ((const ipc_sync *)(const void *)mutex)->end.spin_max_ns);
    ipc_ring_writer_close(writer);
    ipc_ring_reader_close(reader);
    ipc_shared_mutex_close(mutex);

    echo_server server = {0};
    const ipc_listener_options listener = {.spin_ns = LIMIT};
    const ipc_connect_options connect = {.spin_ns = LIMIT, .deadline = SOON};
    echo_server_start(&server, &listener);
    ipc_connection *client = connect_to(&connect);
    CHECK_EQUAL(LIMIT, server.listener->end.spin_max_ns);
    CHECK_EQUAL(LIMIT, client->writer.end.spin_max_ns);
    CHECK_EQUAL(LIMIT, client->reader.end.spin_max_ns);
    CHECK_EQUAL(LIMIT, client->session.spin_max_ns);
    expect_echo(client, 1);
    ipc_mutex_lock(&server.listener->mutex);
    const uint32_t limit = server.listener->table[ipc_connection_slot(client)]->writer.end.spin_max_ns;
    ipc_mutex_unlock(&server.listener->mutex);
    CHECK_EQUAL(LIMIT, limit);
    ipc_connection_close(client);
    echo_server_stop(&server);
}
