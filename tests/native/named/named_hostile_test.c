/* Whatever the bytes of a named connection's region say, and whatever its client asks for: a typed error, in time. */
#include "named_parts.h"

#include "connections/connect.h"

#define BODY (IPC_PARTICIPANT_OFFSET + 16 * IPC_PARTICIPANT_SIZE)

static ipc_deadline moment(void)
{
    return ipc_deadline_after(100000);
}

/* A little of everything; the statuses are the library's affair, that it comes back is ours. */
static void use(ipc_named_connection *connection)
{
    ipc_named_message message;
    void *payload = NULL;
    uint32_t length = 0;
    char identity[IPC_NAMED_NAME_MAX + 1];
    for (int i = 0; i < 3; i++)
        ignore(ipc_named_try_send(connection, "12345678", 8, 1, NULL));
    ignore(ipc_named_send(connection, "12345678", 8, 1, moment(), NULL, NULL));
    if (ipc_named_try_claim(connection, 6000, &payload) == IPC_OK)
        ignore(ipc_named_commit_batched(connection, 6000, 1, NULL));
    ipc_named_flush(connection);
    for (int i = 0; i < 5 && ipc_named_try_receive(connection, &message) == IPC_OK; i++) {
        if (i == 1)
            ipc_named_acknowledge(connection, message.sequence);
    }
    ipc_named_acknowledge(connection, 0);
    ignore(ipc_named_receive(connection, moment(), NULL, &message));
    (void)ipc_named_unacknowledged(connection);
    (void)ipc_named_is_connected(connection);
    (void)ipc_named_reply(connection, &length);
    CHECK(length <= IPC_NAMED_DATA_MAX);
    (void)ipc_named_login(connection, &length);
    CHECK(length <= IPC_NAMED_DATA_MAX);
    CHECK(ipc_named_identity(connection, identity, sizeof identity) <= IPC_NAMED_NAME_MAX);
}

/* False: the connection was closed. */
static bool lead(ipc_named_listener *listener)
{
    bool is_there = true;
    ipc_named_event event;
    for (int i = 0; i < 5 && ipc_named_listener_next(listener, IPC_NOW, NULL, &event) == IPC_OK; i++) {
        if (event.kind == IPC_NAMED_READABLE) {
            use(event.connection);
            ipc_named_return(listener, event.connection);
        } else if (event.kind == IPC_NAMED_LOGIN) {
            ignore(ipc_named_accept(event.connection, NULL, 0));
        } else {
            ipc_named_close(event.connection, 0, NULL);
            is_there = false;
        }
    }
    return is_there;
}

static ipc_named_connection *talk(ipc_named_connection **client, ipc_named_listener *listener)
{
    const ipc_named_options options = {.to_server_capacity = 4096, .to_client_capacity = 4096, .loan_budget = 65536};
    *client = open_client(&options);
    ipc_named_connection *server = log_in(*client, listener);
    for (uint64_t i = 1; i <= 3; i++) {
        send_number(*client, i, i);
        send_number(server, i, i);
    }
    static uint8_t loan[5000];
    CHECK_OK(ipc_named_try_send(*client, loan, sizeof loan, 1, NULL));
    receive_number(*client, 1, 1, false);
    ipc_named_acknowledge(*client, 1);
    return server;
}

static void rewrite(uint32_t word, uint64_t value)
{
    char path[512];
    size_t size = 0;
    ipc_named_connection *client = NULL;
    ipc_named_connection *again = NULL;
    ipc_named_listener *listener = open_server(NULL);
    ipc_named_connection *server = talk(&client, listener);
    test_path(SERVER "~~" CLIENT, path, sizeof path);
    uint64_t *base = test_map_file(path, &size);
    base[BODY / 8 + word] = value;
    use(client);
    use(server);
    const bool is_there = lead(listener);
    ipc_named_close(client, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    if (is_there)
        ipc_named_close(server, 0, NULL);

    base[BODY / 8 + word] = value; /* and from the start */
    if (ipc_named_open(SERVER, CLIENT, NULL, &again) == IPC_OK) {
        use(again);
        ipc_named_close(again, 0, NULL);
    }
    base[BODY / 8 + word] = value;
    listener = open_server(NULL);
    if (ipc_named_listener_open_connection(listener, CLIENT, &again) == IPC_OK) {
        use(again);
        ipc_named_close(again, 0, NULL);
    }
    ipc_named_listener_close(listener, 0, NULL);
    test_unmap_file(base, size);
    test_remove_file(path);
}

static void rewrite_all(uint32_t from, uint32_t to)
{
    static const uint64_t values[] = {0, 1, 2, 64, 4096, UINT32_MAX, 1ull << 32, 1ull << 62, 1ull << 63, UINT64_MAX,
                                      0x8000000000000001, 0xA000000000000010};
    uint64_t seed = 1;
    const size_t step = test_is_long() ? 1 : 5;
    for (uint32_t word = from; word < to; word++) {
        for (size_t i = word % step; i < sizeof values / sizeof values[0]; i += step)
            rewrite(word, values[i]);
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        rewrite(word, seed);
    }
}

TEST(any_word_of_the_header_is_a_typed_error_or_nothing)
{
    rewrite_all(0, 45);        /* names and offsets */
    rewrite_all(48, 52);       /* identity, reply */
    rewrite_all(208, 210);     /* login */
}

TEST(any_word_of_the_rings_headers_is_a_typed_error_or_nothing)
{
    for (uint32_t ring = 0; ring < 2; ring++) {
        const uint32_t at = (IPC_NAMED_TO_SERVER + ring * IPC_RING_HEADER_SIZE) / 8;
        rewrite_all(at, at + 4);
        rewrite_all(at + 16, at + 20);
        rewrite_all(at + 32, at + 36);
        rewrite_all(at + 48, at + 50);
        rewrite_all(at + 64, at + 66);
        rewrite_all(at + 72, at + 74);
        rewrite_all(at + 80, at + 83);
    }
}

/* ---- a hostile client ------------------------------------------------------------------------------------ */

static void expect_corrupt(void (*spoil)(ipc_named_connection *client), const char *words)
{
    ipc_named_message message;
    ipc_named_end reason;
    ipc_named_connection *client = open_client(NULL);
    ipc_named_listener *listener = open_server(NULL);
    ipc_named_connection *server = log_in(client, listener);
    send_number(client, 1, 1);
    spoil(client);
    (void)next_event(listener, IPC_NAMED_READABLE);
    receive_number(server, 1, 1, false);
    CHECK_STATUS(IPC_E_CORRUPT, ipc_named_try_receive(server, &message));
    check_error_says(words);
    ipc_named_acknowledge(server, 0);
    CHECK(!ipc_named_is_connected(client)); /* it is told */
    CHECK_STATUS(IPC_TIMEOUT, ipc_named_receive(client, ipc_deadline_after(10000000), NULL, &message));
    CHECK_OK(ipc_named_ended(client, &reason));
    CHECK_EQUAL(IPC_CLOSE_CORRUPT, reason.code);
    ipc_named_close(server, 0, NULL);
    ipc_named_close(client, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    remove_conversation();
}

static void send_without_number(ipc_named_connection *client)
{
    CHECK_OK(ipc_ring_write(&ipc_named_current(client)->writer, "123", 3, 7, IPC_NOW, NULL));
}

static void send_wrong_number(ipc_named_connection *client)
{
    const uint64_t number = 3;
    CHECK_OK(ipc_ring_write(&ipc_named_current(client)->writer, &number, 8, 7, IPC_NOW, NULL));
}

static void send_old_number(ipc_named_connection *client)
{
    const uint64_t number = 1;
    CHECK_OK(ipc_ring_write(&ipc_named_current(client)->writer, &number, 8, 7, IPC_NOW, NULL));
}

TEST(a_message_without_a_number_or_with_a_wrong_one_ends_the_session_as_corrupt)
{
    expect_corrupt(send_without_number, "a message without a number, of bytes 3");
    expect_corrupt(send_wrong_number, "message 3 follows message 1, 2 was expected");
    expect_corrupt(send_old_number, "message 1 follows message 1, 2 was expected");
}

static ipc_status ask(const void *hello, uint32_t length, ipc_named_listener *listener)
{
    ipc_connecting *connecting = NULL;
    ipc_connection *connection = NULL;
    const ipc_connect_options options = {
        .to_server_capacity = 4096,
        .to_client_capacity = 4096,
        .loan_budget = IPC_NO_LOANS,
        .hello = hello,
        .hello_length = length,
        .protocol = {.id = IPC_PROTOCOL_NAMED, .version = 1},
    };
    CHECK_OK(ipc_connect_begin(SERVER, &options, &connecting));
    CHECK_STATUS(IPC_EMPTY, ipc_connect_try(connecting, &connection));
    ipc_named_event event;
    CHECK_STATUS(IPC_TIMEOUT, ipc_named_listener_next(listener, IPC_NOW, NULL, &event));
    const ipc_status status = ipc_connect_try(connecting, &connection);
    ipc_connect_end(connecting);
    return status;
}

TEST(a_hello_that_is_none_is_refused_with_words)
{
    uint8_t hello[240] = {1};
    ipc_named_connection *client = open_client(NULL);
    ipc_named_listener *listener = open_server(NULL);
    CHECK_STATUS(IPC_E_REFUSED, ask(hello, 0, listener));
    check_error_says("a region's id and a name");
    CHECK_STATUS(IPC_E_REFUSED, ask(hello, 16, listener));
    CHECK_STATUS(IPC_E_REFUSED, ask(hello, 17, listener)); /* a name of a zero */
    memset(hello, 'x', sizeof hello);
    CHECK_STATUS(IPC_E_REFUSED, ask(hello, 16 + 121, listener));
    CHECK_STATUS(IPC_E_REFUSED, ask(hello, 20, listener)); /* of nobody */
    check_error_says("exchange~~xxxx");
    memcpy(hello + 16, "../x", 4);
    CHECK_STATUS(IPC_E_REFUSED, ask(hello, 20, listener));
    check_error_says("a region's id and a name");
    memcpy(hello + 16, CLIENT, sizeof CLIENT - 1); /* of a client, with another id */
    CHECK_STATUS(IPC_E_REFUSED, ask(hello, 16 + sizeof CLIENT - 1, listener));
    check_error_says("another one by now");
    CHECK_OK(ipc_named_listener_open_connection(listener, CLIENT, &(ipc_named_connection *){NULL}));
    ipc_named_connection *server = NULL;
    CHECK_OK(ipc_named_listener_open_connection(listener, CLIENT, &server));
    (void)log_in(client, listener);
    ipc_named_close(client, 0, NULL);
    (void)next_event(listener, IPC_NAMED_LOGOUT);
    ipc_named_close(server, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    remove_conversation();
}

TEST(a_hello_with_another_region_does_not_end_a_session)
{
    uint8_t hello[16 + sizeof CLIENT - 1] = {1};
    memcpy(hello + 16, CLIENT, sizeof CLIENT - 1);
    ipc_named_connection *client = open_client(NULL);
    ipc_named_listener *listener = open_server(NULL);
    ipc_named_connection *server = log_in(client, listener);
    CHECK_STATUS(IPC_E_REFUSED, ask(hello, sizeof hello, listener));
    check_error_says("is another one by now");
    CHECK(ipc_named_is_connected(client));
    CHECK(ipc_named_is_connected(server));
    send_number(client, 1, 1);
    (void)next_event(listener, IPC_NAMED_READABLE);
    CHECK_STATUS(IPC_PEER_CLOSED, ask(hello, sizeof hello, listener)); /* it is busy: come again */
    receive_number(server, 1, 1, false);
    ipc_named_return(listener, server);

    char path[512]; /* somebody removes it: then what has the name is who logs in */
    test_path(SERVER "~~" CLIENT, path, sizeof path);
    test_remove_file(path);
    ipc_named_connection *next = open_client(NULL);
    ipc_named_connection *with_next = log_in(next, listener);
    CHECK(with_next != server);
    CHECK(!ipc_named_is_connected(client));
    CHECK_STATUS(IPC_CLOSED, ipc_named_try_send(server, "x", 1, 0, NULL));
    send_number(next, 7, 1);
    receive_number(with_next, 7, 1, false);
    ipc_named_close(client, 0, NULL);
    ipc_named_close(next, 0, NULL);
    ipc_named_close(server, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    ipc_named_close(with_next, 0, NULL);
    remove_conversation();
}

TEST(a_server_that_says_in_its_session_that_it_has_left_holds_nobody_up)
{
    for (int writes = 0; writes < 2; writes++) {
        ipc_named_connection *client = open_client(NULL);
        ipc_named_listener *listener = open_server(NULL);
        ipc_named_connection *server = log_in(client, listener);
        ipc_named_message message;
        ipc_named_ends *ends = ipc_named_current(client);
        ipc_store_relaxed32(writes != 0 ? &ends->writer.header->reader_state : &ends->reader.header->writer_state,
                            IPC_OWNER_LEFT);
        CHECK_STATUS(IPC_TIMEOUT, ipc_named_receive(client, ipc_deadline_after(10000000), NULL, &message));
        ipc_named_close(client, 0, NULL);
        ipc_named_close(server, 0, NULL);
        ipc_named_listener_close(listener, 0, NULL);
        remove_conversation();
    }
}

TEST(what_is_not_a_named_connection_but_has_its_name_is_refused)
{
    char path[512];
    ipc_named_connection *client = NULL;
    test_path(SERVER "~~" CLIENT, path, sizeof path);
    test_write_file(path, "nonsense", 8);
    CHECK_STATUS(IPC_E_CORRUPT, ipc_named_open(SERVER, CLIENT, NULL, &client));
    test_remove_file(path);
    client = open_client(NULL);
    ipc_named_close(client, 0, NULL);
    char other[512];
    test_path(SERVER "~~other", other, sizeof other);
    CHECK_EQUAL(0, rename(path, other)); /* another's conversation */
    CHECK_STATUS(IPC_E_CORRUPT, ipc_named_open(SERVER, "other", NULL, &client));
    check_error_says("is not the named connection of the client \"other\"");
    CHECK_OK(ipc_named_remove(SERVER, "other"));
}
