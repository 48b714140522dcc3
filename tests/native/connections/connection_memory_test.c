/* A connection begins with little memory, and its writers make more: where one has claimed there is memory before anybody
   touches it. On a full disk a store to a hole ends the process. */
#define _GNU_SOURCE
#include "connections/connection.h"
#include "echo_server.h"

#include <sys/mman.h>

#define CAPACITY (256u << 10)
#define PAGE     4096u
#define FIRST    8192u

/* Is there memory behind all of it? It is not touched. */
static bool is_present(const uint8_t *start, uint64_t length)
{
    static unsigned char pages[2 * CAPACITY / PAGE];
    const uintptr_t from = (uintptr_t)start & ~(uintptr_t)(PAGE - 1);
    const uintptr_t to = ((uintptr_t)start + length + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    CHECK(mincore((void *)from, to - from, pages) == 0);
    for (size_t i = 0; i < (to - from) / PAGE; i++) {
        if ((pages[i] & 1) == 0)
            return false;
    }
    return true;
}

/* The claim of so many bytes at the tail, and the header behind it. */
static void expect_present(const ipc_ring_writer *writer, uint32_t length)
{
    const uint64_t start = ipc_ring_writer_position(writer) % CAPACITY;
    const uint64_t end = start + ipc_record_size(length);
    const uint64_t needed = end + IPC_LINE > CAPACITY ? CAPACITY : end + IPC_LINE;
    if (!is_present(writer->data, needed))
        CHECK_EQUAL(0, needed); /* says how far */
}

static ipc_connection *connect_small(void)
{
    const ipc_connect_options options = {.to_server_capacity = CAPACITY, .to_client_capacity = CAPACITY};
    return connect_to(&options);
}

static void send_one(ipc_connection *connection, uint32_t length, uint32_t claimed_in_ring)
{
    ipc_ring_writer *writer = ipc_connection_writer(connection);
    ipc_record record;
    void *payload = NULL;
    CHECK_OK(ipc_ring_claim(writer, length, SOON, NULL, &payload));
    expect_present(writer, claimed_in_ring);
    CHECK_OK(ipc_ring_commit(writer, length, 1));
    CHECK_OK(ipc_ring_read(ipc_connection_reader(connection), SOON, NULL, &record));
    CHECK_EQUAL(length, record.length);
    ipc_ring_release(ipc_connection_reader(connection));
}

TEST(a_claim_and_the_header_behind_it_have_memory)
{
    static const uint32_t shapes[][5] = {
        {1, 1, 1},
        {8184, 1}, /* ends with the memory that is there from the start */
        {8120, 1},
        {16376, 1}, /* ends with what is made for it */
        {100, 100000, 50, 16000, 131000},
        {131064, 1, 131064}, /* the last begins the second lap, behind padding */
        {131064, 131064, 1},
    };
    echo_server one = {0};
    if (ipc_platform_populate_needs_file())
        test_skip("memory is made at once here");
    echo_server_start(&one, NULL);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        ipc_connection *connection = connect_small();
        CHECK(!is_present(ipc_connection_writer(connection)->data, CAPACITY));
        for (int k = 0; k < 5 && shapes[i][k] != 0; k++)
            send_one(connection, shapes[i][k], shapes[i][k]);
        ipc_connection_close(connection);
    }
    echo_server_stop(&one);
}

TEST(a_claim_that_grows_has_memory)
{
    echo_server one = {0};
    if (ipc_platform_populate_needs_file())
        test_skip("memory is made at once here");
    echo_server_start(&one, NULL);
    ipc_connection *connection = connect_small();
    ipc_ring_writer *writer = ipc_connection_writer(connection);
    for (uint32_t length = 100; length < 131064; length = length * 3 / 2) {
        void *payload = NULL;
        CHECK_OK(ipc_ring_try_claim(writer, 100, &payload));
        CHECK_OK(ipc_ring_try_extend_claim(writer, length, &payload));
        expect_present(writer, length);
        ipc_ring_abandon(writer);
    }
    ipc_connection_close(connection);
    echo_server_stop(&one);
}

TEST(the_record_of_a_loan_has_memory_and_so_has_the_table)
{
    echo_server one = {0};
    if (ipc_platform_populate_needs_file())
        test_skip("memory is made at once here");
    echo_server_start(&one, NULL);
    ipc_connection *connection = connect_small();
    const ipc_pool *pool = &ipc_connection_writer(connection)->ring.pool;
    const uint64_t table = ipc_pool_reserve(pool->budget) - IPC_POOL_HEADER_SIZE;
    CHECK(!is_present((const uint8_t *)pool->blocks, table));
    for (int i = 0; i < 300; i++) {
        send_one(connection, CAPACITY, IPC_RECORD_LOAN_LENGTH);
        CHECK(is_present((const uint8_t *)pool->blocks, table));
    }
    ipc_connection_close(connection);
    echo_server_stop(&one);
}

TEST(little_is_made_for_little)
{
    echo_server one = {0};
    if (ipc_platform_populate_needs_file())
        test_skip("memory is made at once here");
    echo_server_start(&one, NULL);
    ipc_connection *connection = connect_small();
    for (int i = 0; i < 20; i++)
        send_one(connection, 100, 100);
    CHECK(!is_present(ipc_connection_writer(connection)->data + FIRST, 1));
    CHECK(!is_present(ipc_connection_reader(connection)->data + FIRST, 1));
    ipc_connection_close(connection);
    echo_server_stop(&one);
}

/* Its sender has not taken a block yet: nobody looks for memory there that may not be. */
TEST(a_descriptor_that_comes_before_the_table_is_corrupt)
{
    echo_server one = {0};
    if (ipc_platform_populate_needs_file())
        test_skip("memory is made at once here");
    echo_server_start(&one, NULL);
    ipc_connection *connection = connect_small();
    ipc_ring_writer *writer = ipc_connection_writer(connection);
    const ipc_loan_descriptor descriptor = {.klass = 2, .index = 3, .length = PAGE};
    ipc_record record;
    memcpy(writer->data + IPC_RECORD_HEADER_SIZE, &descriptor, sizeof descriptor);
    ipc_ring_append(writer, ipc_record_loan_word(1), IPC_LINE, false);
    CHECK_STATUS(IPC_PEER_CLOSED, ipc_ring_read(ipc_connection_reader(connection), SOON, NULL, &record));
    CHECK_EQUAL(IPC_CLOSE_CORRUPT, ipc_connection_close_code(connection));
    CHECK(!is_present((const uint8_t *)ipc_pool_block_at(&writer->ring.pool, 2, 3), 1)); /* a look would have made it */
    ipc_connection_close(connection);
    echo_server_stop(&one);
}
