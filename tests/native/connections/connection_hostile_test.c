/* What a stranger may put into a listener: requests, slots, rings. */
#include "connections/connection.h"
#include "echo_server.h"

TEST(a_corrupt_peer_is_closed_and_others_go_on)
{
    echo_server one = {0};
    ipc_record record;
    echo_server_start(&one, NULL);
    ipc_connection *good = connect_to(NULL);
    ipc_connection *bad = connect_to(NULL);
    expect_echo(bad, 1);
    const ipc_ring_writer *writer = ipc_connection_writer(bad);
    ipc_store_release64(ipc_record_at(writer->data, writer->capacity, writer->tail), 0x1234);
    ipc_connection_ring_doorbell(bad);
    CHECK_STATUS(IPC_PEER_CLOSED, ipc_ring_read(ipc_connection_reader(bad), SOON, NULL, &record));
    CHECK_EQUAL(IPC_CLOSE_CORRUPT, ipc_connection_close_code(bad));
    expect_echo(good, 2);
    ipc_connection_close(bad);
    ipc_connection_close(good);
    echo_server_stop(&one);
}

typedef struct request_mutation {
    const char *field;
    uint64_t offset; /* in the file; the region of two rings of 4096 */
    uint32_t size;
    uint64_t value;
} request_mutation;

/* Asks as ipc_connect does, with one field of the region changed before the server can see it. */
static uint32_t ask_with(const request_mutation *mutation)
{
    char path[IPC_PATH_MAX];
    ipc_listener_view view;
    ipc_region *listener = NULL;
    ipc_region *region = NULL;
    CHECK_OK(ipc_region_path("l", path, sizeof path));
    CHECK_OK(ipc_region_attach(path, NULL, &ipc_listener_kind, NULL, IPC_ROLE_CLIENT, IPC_LIFETIME_DEFAULT, SOON, &listener));
    CHECK_OK(ipc_listener_locate(listener, &view));
    const uint32_t slot = listener->index;
    const ipc_connection_plan plan = {
        .to_server_capacity = 4096, .to_client_capacity = 4096, .connection_id = 0x34567890ABCDEF, .slot = slot};
    ipc_store_release64(&view.slots[slot].word, ipc_slot_of(plan.connection_id, IPC_SLOT_OPENING));
    ipc_listener_connection_path(listener, plan.connection_id, path, sizeof path);
    CHECK_OK(ipc_connection_region_build(path, NULL, &plan, &region));
    CHECK_OK(ipc_region_link(region));
    memcpy(region->base + mutation->offset, &mutation->value, mutation->size);
    ipc_store_release64(&view.slots[slot].word, ipc_slot_of(plan.connection_id, IPC_SLOT_REQUESTED));
    ipc_listener_notify(&view, slot);

    ipc_connection_body *body = ipc_region_at(region, 1024);
    WAIT_FOR(ipc_load_acquire64(&view.slots[slot].word) == IPC_SLOT_IDLE ||
             ipc_load_acquire32(&body->reply) != IPC_REPLY_NONE);
    const uint32_t reply = ipc_load_acquire32(&body->reply);
    if (reply == IPC_REPLY_ACCEPTED) {
        ipc_store_release32(&body->client_close, IPC_CLOSE_NORMAL);
        ipc_listener_notify(&view, slot);
    }
    WAIT_FOR(ipc_load_acquire64(&view.slots[slot].word) == IPC_SLOT_IDLE);
    CHECK_EQUAL(1, test_files());
    ipc_region_discard(region);
    ipc_region_leave(listener);
    return reply;
}

TEST(every_field_of_a_request_is_checked)
{
    static const request_mutation mutations[] = {
        {"nothing", 0, 0, 0},
        {"region magic", 0, 4, 1},
        {"kind", 12, 4, 1},
        {"total_size", 16, 8, 1 << 20},
        {"body_offset", 32, 8, 4096},
        {"body_offset", 32, 8, 8192},
        {"magic", 1024, 4, 0},
        {"slot", 1024 + 4, 4, 77},
        {"to_server", 1024 + 8, 8, 64},
        {"to_server", 1024 + 8, 8, UINT64_MAX - 127},
        {"to_server", 1024 + 8, 8, 3072}, /* both rings one */
        {"to_client", 1024 + 16, 8, 2048},
        {"to_client", 1024 + 16, 8, 1024}, /* over the body */
        {"connection_id", 1024 + 24, 8, 1},
        {"hello_length", 1024 + 516, 4, 241},
        {"hello_length", 1024 + 516, 4, UINT32_MAX},
        {"to_server magic", 2048, 4, 0},
        {"to_server capacity", 2048 + 8, 8, 16384},
        {"to_server data_offset", 2048 + 16, 8, 8192}, /* the other ring's */
        {"to_server data_offset", 2048 + 16, 8, 0},
        {"to_server read_position", 2048 + 256, 8, 3},
        {"to_client capacity", 3072 + 8, 8, 1},
        {"to_client data_offset", 3072 + 16, 8, 1ull << 40},
    };
    echo_server one = {0};
    echo_server_start(&one, NULL);
    for (size_t i = 0; i < sizeof mutations / sizeof mutations[0]; i++) {
        const uint32_t reply = ask_with(&mutations[i]);
        if (reply != (i == 0 ? IPC_REPLY_ACCEPTED : IPC_REPLY_NONE))
            test_fail(__FILE__, __LINE__, "%s (%zu): the reply was %u", mutations[i].field, i, reply);
    }
    ipc_connection *connection = connect_to(NULL); /* and the server is none the worse */
    expect_echo(connection, 1);
    ipc_connection_close(connection);
    echo_server_stop(&one);
}

TEST(random_words_in_the_listener_do_not_harm_its_server)
{
    echo_server one = {0};
    uint64_t seed = 5;
    echo_server_start(&one, NULL);
    ipc_connection *connection = connect_to(NULL);
    const ipc_listener_view *view = connection->view;
    for (int i = 0; i < 3000; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        const uint32_t slot = 2 + (uint32_t)((seed >> 40) % (view->slot_count - 2)); /* ours is 1 */
        ipc_store_release64(&view->slots[slot].word, ipc_slot_of(seed, (seed >> 20) % 5));
        (void)ipc_or64(&view->ready[slot / 64], seed);
        if (i % 100 == 0)
            expect_echo(connection, (uint64_t)i);
    }
    expect_echo(connection, 9);
    ipc_connection_close(connection);
    echo_server_stop(&one);
}
