/*
 * rewrite_test.c - shared bytes are rewritten while both sides work.
 *
 * Tests of hostile bytes put one wrong number into a region that stands still. Here somebody writes random ones into any place, again and again, while writers and readers of
 * that region are at work in it: what was checked changes before it is used. Whatever stands there, calls return, with an outcome or a typed error, and touch nothing outside of
 * the region: each mapping has a wide guard before and behind it (mmap is wrapped, see CMakeLists.txt). A crash, a hang (the watchdog) and an error without words fail.
 *
 * The seed is printed before the first byte; IPC_REWRITE_SEED=n repeats it, as far as threads let it. IPC_TEST_LONG=1: two minutes for each structure instead of two seconds.
 */
#define _GNU_SOURCE
#include "hostile.h"
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { GUARD = 1 << 24, SIDES = 4, SHORT_SECONDS = 2, LONG_SECONDS = 120, REGION_MS = 100 };

/* ---- guards ------------------------------------------------------------------------------------------------------- */

void *__real_mmap(void *address, size_t size, int protection, int flags, int file, off_t offset);
int __real_munmap(void *address, size_t size);
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int file, off_t offset);
int __wrap_munmap(void *address, size_t size);

static _Atomic(void *) guarded[4096];

/* Shared files stand between two guards; everything else is as ever. */
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
    if (address != NULL || file < 0 || (flags & MAP_SHARED) == 0)
        return __real_mmap(address, size, protection, flags, file, offset);
    const size_t whole = (size + 4095) / 4096 * 4096;
    uint8_t *around = __real_mmap(NULL, whole + 2 * (size_t)GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (around == MAP_FAILED)
        return MAP_FAILED;
    void *inside = __real_mmap(around + GUARD, size, protection, flags | MAP_FIXED, file, offset);
    if (inside == MAP_FAILED) {
        (void)__real_munmap(around, whole + 2 * (size_t)GUARD);
        return MAP_FAILED;
    }
    for (size_t i = 0; i < sizeof guarded / sizeof guarded[0]; i++) {
        void *none = NULL;
        if (atomic_compare_exchange_strong(&guarded[i], &none, inside))
            break;
    }
    return inside;
}

int __wrap_munmap(void *address, size_t size)
{
    for (size_t i = 0; i < sizeof guarded / sizeof guarded[0]; i++) {
        void *mine = address;
        if (atomic_compare_exchange_strong(&guarded[i], &mine, NULL))
            return __real_munmap((uint8_t *)address - GUARD, (size + 4095) / 4096 * 4096 + 2 * (size_t)GUARD);
    }
    return __real_munmap(address, size);
}

/* ---- who works ---------------------------------------------------------------------------------------------------- */

#define MOMENT ipc_deadline_after(3000000)

static atomic_bool over;

/* Whether to go on with this object. An error has words. */
static bool goes_on(ipc_status status)
{
    if (status < 0)
        CHECK(ipc_last_error()[0] != '\0');
    return status >= 0 && status != IPC_CLOSED && status != IPC_PEER_CLOSED && status != IPC_PEER_DIED && status != IPC_EVICTED;
}

static const unsigned char bytes[5000];

static uint32_t some_length(uint64_t *random)
{
    return next_random(random) % 4 == 0 ? 3000u + (uint32_t)(next_random(random) % 2000) : (uint32_t)(next_random(random) % 200);
}

/* Looks at all of what it was given: a payload that is not in the region is somewhere else. */
static void look_at(const void *payload, uint32_t length)
{
    uint8_t seen = 0;
    for (uint32_t i = 0; i < length; i++)
        seen = (uint8_t)(seen + ((const volatile uint8_t *)payload)[i]);
    (void)seen;
}

static void write_ring(uint64_t *random)
{
    const ipc_ring_options options = {.capacity = 4096, .loan_budget = 1 << 16};
    ipc_ring_writer *writer = NULL;
    if (!goes_on(ipc_ring_writer_open("x", &options, &writer)))
        return;
    while (!over && goes_on(ipc_ring_write(writer, bytes, some_length(random), 1, MOMENT, NULL))) {
    }
    ipc_ring_writer_close(writer);
}

static void read_ring(uint64_t *random)
{
    const ipc_ring_options options = {.capacity = 4096, .loan_budget = 1 << 16};
    ipc_ring_reader *reader = NULL;
    if (!goes_on(ipc_ring_reader_open("x", &options, &reader)))
        return;
    ipc_status status = IPC_OK;
    while (!over && goes_on(status)) {
        ipc_record record;
        status = ipc_ring_read(reader, MOMENT, NULL, &record);
        if (status == IPC_OK)
            look_at(record.payload, record.length);
        if (next_random(random) % 3 == 0)
            ipc_ring_release(reader);
    }
    ipc_ring_reader_close(reader);
}

static const ipc_queue_options queue_options = {.block_size = 128, .block_count = 8, .max_expansions = 2, .loan_budget = 1 << 16};

static void send_queue(uint64_t *random)
{
    ipc_queue *queue = NULL;
    if (!goes_on(ipc_queue_open("x", &queue_options, &queue)))
        return;
    while (!over && goes_on(ipc_queue_send(queue, bytes, some_length(random), 1, MOMENT, NULL))) {
    }
    ipc_queue_close(queue);
}

static void receive_queue(uint64_t *random)
{
    ipc_queue *queue = NULL;
    (void)random;
    if (!goes_on(ipc_queue_open("x", &queue_options, &queue)))
        return;
    ipc_status status = IPC_OK;
    while (!over && goes_on(status)) {
        ipc_block block;
        status = ipc_queue_receive(queue, MOMENT, NULL, &block);
        if (status == IPC_OK) {
            look_at(block.payload, block.length);
            ipc_queue_release(queue, &block);
        }
    }
    ipc_queue_close(queue);
}

static void publish_topic(uint64_t *random)
{
    const ipc_topic_options options = {.block_size = 128, .block_count = 8, .loan_budget = 1 << 16};
    ipc_topic_writer *writer = NULL;
    if (!goes_on(ipc_topic_writer_open("x", &options, &writer)))
        return;
    while (!over && goes_on(ipc_topic_publish(writer, bytes, some_length(random), 1, next_random(random) % 4, MOMENT, NULL))) {
    }
    ipc_topic_writer_close(writer);
}

static void read_topic(uint64_t *random)
{
    const ipc_topic_options options = {.block_size = 128, .block_count = 8, .loan_budget = 1 << 16, .policy = (ipc_policy)(next_random(random) % 4)};
    ipc_topic_reader *reader = NULL;
    if (!goes_on(ipc_topic_reader_open("x", &options, &reader)))
        return;
    ipc_status status = IPC_OK;
    while (!over && goes_on(status)) {
        ipc_message message;
        status = ipc_topic_read(reader, MOMENT, NULL, &message);
        if (status == IPC_OK) {
            look_at(message.payload, message.length);
            status = ipc_topic_release(reader);
        }
    }
    ipc_topic_reader_close(reader);
}

static void lock_mutex(uint64_t *random)
{
    ipc_shared_mutex *mutex = NULL;
    (void)random;
    if (!goes_on(ipc_shared_mutex_open("x", NULL, &mutex)))
        return;
    ipc_status status = IPC_OK;
    while (!over && goes_on(status)) {
        status = ipc_shared_mutex_acquire(mutex, MOMENT, NULL);
        if (status == IPC_OK || status == IPC_ABANDONED)
            status = ipc_shared_mutex_release(mutex);
    }
    ipc_shared_mutex_close(mutex);
}

static void take_permits(uint64_t *random)
{
    const ipc_sync_options options = {.permits = 3};
    ipc_shared_semaphore *semaphore = NULL;
    (void)random;
    if (!goes_on(ipc_shared_semaphore_open("x", &options, &semaphore)))
        return;
    ipc_status status = IPC_OK;
    while (!over && goes_on(status)) {
        status = ipc_shared_semaphore_acquire(semaphore, MOMENT, NULL);
        if (status == IPC_OK || status == IPC_ABANDONED)
            status = ipc_shared_semaphore_release(semaphore);
    }
    ipc_shared_semaphore_close(semaphore);
}

static void serve(uint64_t *random)
{
    ipc_listener *listener = NULL;
    (void)random;
    if (!goes_on(ipc_listener_open("x", &(ipc_listener_options){.max_connections = 3}, &listener)))
        return;
    ipc_status status = IPC_OK;
    while (!over && goes_on(status)) {
        ipc_event event;
        ipc_record record;
        status = ipc_listener_next(listener, MOMENT, NULL, &event);
        if (status != IPC_OK)
            continue;
        if (event.kind == IPC_EVENT_CLOSED) {
            ipc_connection_close(event.connection);
            continue;
        }
        if (event.kind == IPC_EVENT_CONNECT && !goes_on(ipc_connection_accept(event.connection))) {
            ipc_connection_close(event.connection);
            continue;
        }
        ipc_status read = ipc_ring_try_read(ipc_connection_reader(event.connection), &record);
        if (read == IPC_OK) {
            look_at(record.payload, record.length);
            (void)goes_on(ipc_ring_write(ipc_connection_writer(event.connection), bytes, 100, 1, IPC_NOW, NULL));
            ipc_ring_release(ipc_connection_reader(event.connection));
        }
        if (goes_on(read))
            ipc_listener_return(listener, event.connection);
        else
            ipc_connection_close(event.connection);
    }
    ipc_listener_close(listener);
}

static void call(uint64_t *random)
{
    const ipc_connect_options options = {.to_server_capacity = 4096, .to_client_capacity = 4096, .deadline = ipc_deadline_after(20000000), .loan_budget = 1 << 16};
    ipc_connection *connection = NULL;
    if (ipc_connect("x", &options, &connection) != IPC_OK)
        return;
    ipc_status status = IPC_OK;
    for (int i = 0; i < 20 && !over && goes_on(status); i++) {
        ipc_record record;
        status = ipc_ring_write(ipc_connection_writer(connection), bytes, some_length(random), 1, MOMENT, NULL);
        if (!goes_on(status))
            break;
        status = ipc_ring_read(ipc_connection_reader(connection), MOMENT, NULL, &record);
        if (status == IPC_OK) {
            look_at(record.payload, record.length);
            ipc_ring_release(ipc_connection_reader(connection));
        }
    }
    ipc_connection_close(connection);
}

/* ---- who rewrites ------------------------------------------------------------------------------------------------- */

static uint64_t wrong_word(uint64_t *random, uint64_t present)
{
    switch (next_random(random) % 8) {
    case 0: return 0;
    case 1: return UINT64_MAX;
    case 2: return present + 1;
    case 3: return present - 1;
    case 4: return present ^ (UINT64_C(1) << (next_random(random) % 64));
    case 5: return UINT64_C(1) << (next_random(random) % 64);
    case 6: return present + (next_random(random) % 64) * 64;
    default: return next_random(random);
    }
}

/* Some words of one of the files, where the numbers are or anywhere. The files' sizes stay. */
static void rewrite_some(uint64_t *random)
{
    DIR *all = opendir(test_directory());
    const struct dirent *entry;
    CHECK(all != NULL);
    while ((entry = readdir(all)) != NULL) {
        if (entry->d_name[0] == '.' || next_random(random) % 2 == 0)
            continue;
        const int file = openat(dirfd(all), entry->d_name, O_RDWR | O_CLOEXEC);
        struct stat about;
        if (file < 0)
            continue;
        if (fstat(file, &about) == 0 && about.st_size >= 4096) {
            uint8_t *base = __real_mmap(NULL, (size_t)about.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
            CHECK(base != MAP_FAILED);
            for (int i = 0; i < 4; i++) {
                const uint64_t end = next_random(random) % 4 == 0 ? (uint64_t)about.st_size : 8192;
                const uint64_t at = next_random(random) % (end < (uint64_t)about.st_size ? end : (uint64_t)about.st_size) / 8 * 8;
                _Atomic uint64_t *word = (_Atomic uint64_t *)(void *)(base + at);
                const uint64_t present = atomic_load(word);
                if (next_random(random) % 2 == 0)
                    atomic_store(word, wrong_word(random, present));
                else
                    atomic_store((_Atomic uint32_t *)(void *)(base + at + next_random(random) % 2 * 4), (uint32_t)wrong_word(random, present));
            }
            (void)__real_munmap(base, (size_t)about.st_size);
        }
        (void)close(file);
    }
    (void)closedir(all);
}

static void remove_all(void)
{
    DIR *all = opendir(test_directory());
    const struct dirent *entry;
    CHECK(all != NULL);
    while ((entry = readdir(all)) != NULL)
        if (entry->d_name[0] != '.')
            (void)unlinkat(dirfd(all), entry->d_name, 0);
    (void)closedir(all);
}

/* ---- cases -------------------------------------------------------------------------------------------------------- */

typedef struct side {
    void (*work)(uint64_t *random);
    uint64_t random;
} side;

static void *be(void *argument)
{
    side *one = argument;
    while (!over)
        one->work(&one->random);
    return NULL;
}

static uint64_t milliseconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void rewrite_under(void (*some)(uint64_t *), void (*others)(uint64_t *))
{
    const char *given = getenv("IPC_REWRITE_SEED");
    uint64_t random = given != NULL ? strtoull(given, NULL, 10) : milliseconds() * 2654435761u + (uint64_t)getpid();
    printf("IPC_REWRITE_SEED=%llu\n", (unsigned long long)random);
    fflush(stdout);
    random |= 1;
    const uint64_t end = milliseconds() + 1000 * (test_is_long() ? LONG_SECONDS : SHORT_SECONDS);
    while (milliseconds() < end) {
        side sides[SIDES];
        test_thread threads[SIDES];
        over = false;
        for (int i = 0; i < SIDES; i++) {
            sides[i] = (side){i % 2 == 0 ? some : others, next_random(&random) | 1};
            test_thread_start(&threads[i], be, &sides[i]);
        }
        for (const uint64_t until = milliseconds() + REGION_MS; milliseconds() < until;) {
            rewrite_some(&random);
            (void)usleep((unsigned)(next_random(&random) % 2000));
        }
        over = true;
        for (int i = 0; i < SIDES; i++)
            test_thread_join(&threads[i]);
        remove_all(); /* what it is now nobody can use */
    }
}

TEST(a_ring_is_used_while_its_bytes_are_rewritten) { rewrite_under(write_ring, read_ring); }
TEST(a_queue_is_used_while_its_bytes_are_rewritten) { rewrite_under(send_queue, receive_queue); }
TEST(a_topic_is_used_while_its_bytes_are_rewritten) { rewrite_under(publish_topic, read_topic); }
TEST(a_mutex_is_used_while_its_bytes_are_rewritten) { rewrite_under(lock_mutex, lock_mutex); }
TEST(a_semaphore_is_used_while_its_bytes_are_rewritten) { rewrite_under(take_permits, take_permits); }
TEST(a_listener_is_used_while_its_bytes_are_rewritten) { rewrite_under(serve, call); }
