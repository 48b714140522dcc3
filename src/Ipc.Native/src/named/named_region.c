/* The region of a named connection: geometry, building, checking, who has which end (docs/wire-format/named.md). */
#include "named/named.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PARTICIPANTS     16u /* two are used; a forked child may keep some occupied for a while */
#define BODY_OFFSET      (IPC_PARTICIPANT_OFFSET + PARTICIPANTS * IPC_PARTICIPANT_SIZE)
#define TO_SERVER_OFFSET (BODY_OFFSET + IPC_NAMED_TO_SERVER)
#define TO_CLIENT_OFFSET (BODY_OFFSET + IPC_NAMED_TO_CLIENT)
#define RINGS_END        (TO_CLIENT_OFFSET + IPC_RING_HEADER_SIZE)
#define DATA_OFFSET      ((RINGS_END + IPC_RING_DATA_ALIGN - 1) / IPC_RING_DATA_ALIGN * IPC_RING_DATA_ALIGN)
#define DEFAULT_CAPACITY (1ull << 20)

_Static_assert(BODY_OFFSET % IPC_REGION_BODY_ALIGNMENT == 0, "a body's place");

/* ---- names ------------------------------------------------------------------------------------------- */

ipc_status ipc_named_check_name(const char *name)
{
    char path[IPC_PATH_MAX];
    if (name != NULL && strncmp(name, IPC_MACHINE, sizeof IPC_MACHINE - 1) == 0)
        return ipc_fail(IPC_E_INVALID_ARGUMENT,
                        "a named connection is between programs of one user: \"%s\" cannot be a name of the machine",
                        name);
    return ipc_region_path(name, path, sizeof path);
}

ipc_status ipc_named_path(const char *server, const char *client, char *path, size_t size)
{
    ipc_status status = ipc_named_check_name(client);
    if (status == IPC_OK)
        status = ipc_named_check_name(server);
    if (status == IPC_OK)
        status = ipc_region_path(server, path, size);
    if (status != IPC_OK)
        return status;
    const size_t length = strlen(path);
    const int rest = snprintf(path + length, size - length, "~~%s", client);
    if (rest < 0 || (size_t)rest >= size - length)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "the path of region %s~~%s is too long", server, client);
    return IPC_OK;
}

/* ---- the kind ---------------------------------------------------------------------------------------- */

static ipc_ring_header *written(const ipc_named_ends *ends)
{
    return ends->connection->is_client ? ends->to_server.header : ends->to_client.header;
}

static ipc_ring_header *read_ring(const ipc_named_ends *ends)
{
    return ends->connection->is_client ? ends->to_client.header : ends->to_server.header;
}

static ipc_status check_name(const ipc_region *region, const char *whose, const uint8_t *bytes, uint32_t length,
                             const char *expected)
{
    if (length == strlen(expected) && memcmp(bytes, expected, length) == 0)
        return IPC_OK;
    return ipc_fail(IPC_E_CORRUPT,
                    "%s is not the named connection of the %s \"%s\": a name of %u bytes stands in it, and another one",
                    region->path, whose, expected, length);
}

static ipc_status locate(const ipc_region *region, ipc_named_header *header, ipc_ring *to_server, ipc_ring *to_client)
{
    const uint32_t magic = *(volatile uint32_t *)&header->magic; /* once: the peer can still write it */
    const uint64_t to_server_offset = *(volatile uint64_t *)&header->to_server;
    const uint64_t to_client_offset = *(volatile uint64_t *)&header->to_client;
    if (magic != IPC_NAMED_MAGIC)
        return ipc_fail(IPC_E_CORRUPT, "%s has %08x where a named connection's magic %08x should be", region->path,
                        magic, IPC_NAMED_MAGIC);
    ipc_status status = ipc_ring_locate(region, to_server_offset, to_server);
    if (status == IPC_OK)
        status = ipc_ring_locate(region, to_client_offset, to_client);
    return status == IPC_OK ? ipc_ring_check_apart(region, IPC_NAMED_HEADER_SIZE, to_server, to_client) : status;
}

static ipc_status check_body(ipc_region *region)
{
    ipc_ring rings[2];
    ipc_named_ends *ends = region->owner;
    if (region->geometry.body_size < IPC_NAMED_BODY_SIZE)
        return ipc_fail(IPC_E_CORRUPT, "%s has %" PRIu64 " bytes for a named connection's body of %u", region->path,
                        region->geometry.body_size, IPC_NAMED_BODY_SIZE);
    ipc_named_header *header = ipc_region_at(region, region->geometry.body_offset);
    if (ends == NULL)
        return locate(region, header, &rings[0], &rings[1]);
    const ipc_named_connection *connection = ends->connection;
    ipc_status status = locate(region, header, &ends->to_server, &ends->to_client);
    if (status == IPC_OK)
        status = check_name(region, "server", header->server, *(volatile uint32_t *)&header->server_length,
                            connection->server);
    if (status == IPC_OK)
        status = check_name(region, "client", header->client, *(volatile uint32_t *)&header->client_length,
                            connection->client);
    ends->header = header;
    return status;
}

static ipc_status admit(ipc_region *region, uint32_t role)
{
    char what[IPC_NAMED_NAME_MAX + 16];
    const ipc_named_ends *ends = region->owner;
    const bool is_client = role == IPC_ROLE_CLIENT;
    (void)snprintf(what, sizeof what, is_client ? "client \"%s\"" : "server \"%s\"",
                   is_client ? ends->connection->client : ends->connection->server);
    ipc_status status = ipc_ring_roles_check_free(region, written(ends), IPC_ROLE_WRITER, what);
    return status == IPC_OK ? ipc_ring_roles_check_free(region, read_ring(ends), IPC_ROLE_READER, what) : status;
}

static bool names(ipc_region *region, uint32_t index)
{
    const ipc_named_ends *ends = region->owner;
    return ipc_ring_roles_name(ends->to_server.header, index) || ipc_ring_roles_name(ends->to_client.header, index);
}

/* First to_server, then to_client. */
static void enter(ipc_region *region, uint32_t index, uint32_t role)
{
    ipc_named_ends *ends = region->owner;
    const bool is_client = role == IPC_ROLE_CLIENT;
    const ipc_peer_state first = ipc_ring_roles_enter(ends->to_server.header, index,
                                                      is_client ? IPC_ROLE_WRITER : IPC_ROLE_READER);
    const ipc_peer_state second = ipc_ring_roles_enter(ends->to_client.header, index,
                                                       is_client ? IPC_ROLE_READER : IPC_ROLE_WRITER);
    ends->writer_before = is_client ? first : second;
    ends->reader_before = is_client ? second : first;
}

static void clean_up(ipc_region *region, uint32_t index, bool died)
{
    const ipc_named_ends *ends = region->owner;
    ipc_ring_roles_vacate(region, ends->to_server.header, index, died);
    ipc_ring_roles_vacate(region, ends->to_client.header, index, died);
}

static void wake(ipc_region *region)
{
    const ipc_named_ends *ends = region->owner;
    ipc_ring_roles_wake(ends->to_server.header);
    ipc_ring_roles_wake(ends->to_client.header);
}

const ipc_region_kind ipc_named_kind = {
    .kind = IPC_KIND_NAMED,
    .check_body = check_body,
    .admit = admit,
    .names = names,
    .enter = enter,
    .clean_up = clean_up,
    .wake = wake,
};

/* ---- making it --------------------------------------------------------------------------------------- */

static uint64_t capacity_of(uint64_t asked)
{
    return asked == 0 ? DEFAULT_CAPACITY : asked;
}

ipc_status ipc_named_check_options(const ipc_named_options *options)
{
    uint64_t budget = 0;
    if (options->login_length > IPC_NAMED_DATA_MAX || (options->login_length != 0 && options->login == NULL))
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "the login has %u bytes, at most %u are possible",
                        options->login_length, IPC_NAMED_DATA_MAX);
    ipc_status status = ipc_ring_check_capacity(capacity_of(options->to_server_capacity));
    if (status == IPC_OK)
        status = ipc_ring_check_capacity(capacity_of(options->to_client_capacity));
    return status == IPC_OK ? ipc_pool_budget(options->loan_budget, &budget) : status;
}

static void write_name(uint8_t *to, uint32_t *length, const char *name)
{
    *length = (uint32_t)strlen(name);
    memcpy(to, name, *length);
}

static ipc_status write_body(ipc_region *region, const ipc_named_connection *connection, uint64_t budget)
{
    const uint64_t to_server = capacity_of(connection->options.to_server_capacity);
    const uint64_t to_client = capacity_of(connection->options.to_client_capacity);
    const uint64_t pools[2] = {DATA_OFFSET + to_server + to_client,
                               DATA_OFFSET + to_server + to_client + ipc_pool_size(budget)};
    ipc_named_header *header = ipc_region_at(region, BODY_OFFSET);
    header->magic = IPC_NAMED_MAGIC;
    header->to_server = TO_SERVER_OFFSET;
    header->to_client = TO_CLIENT_OFFSET;
    write_name(header->server, &header->server_length, connection->server);
    write_name(header->client, &header->client_length, connection->client);
    ipc_ring_write_header(ipc_region_at(region, TO_SERVER_OFFSET), to_server, DATA_OFFSET, budget == 0 ? 0 : pools[0]);
    ipc_ring_write_header(ipc_region_at(region, TO_CLIENT_OFFSET), to_client, DATA_OFFSET + to_server,
                          budget == 0 ? 0 : pools[1]);
    for (int i = 0; i < 2 && budget != 0; i++)
        ipc_pool_write_header(ipc_region_at(region, pools[i]), budget);
    return check_body(region);
}

/* The region's owner are the ends; what it is to be made of stands in the connection's options. */
static ipc_status create(void *owner, const char *path, const ipc_share *share, ipc_region **created)
{
    ipc_named_ends *ends = owner;
    const ipc_named_options *options = &ends->connection->options;
    const uint64_t data = capacity_of(options->to_server_capacity) + capacity_of(options->to_client_capacity);
    uint64_t budget = 0;
    ipc_status status = ipc_pool_budget(options->loan_budget, &budget);
    if (status != IPC_OK)
        return status;
    const uint64_t pools = DATA_OFFSET + data; /* behind the rings, so that what is present from the start is two ranges */
    const ipc_region_plan plan = {
        .participants = PARTICIPANTS,
        .role = IPC_ROLE_CLIENT,
        .lifetime = IPC_LIFETIME_PERSISTENT,
        .body_offset = BODY_OFFSET,
        .body_size = pools + 2 * ipc_pool_size(budget) - BODY_OFFSET,
        .share = share,
        .total_size = pools + 2 * ipc_pool_size(budget),
        .reserved_size = pools + ipc_pool_reserve(budget),
        .reserved = {{pools + ipc_pool_size(budget), ipc_pool_reserve(budget)}},
    };
    ipc_region *region = NULL;
    status = ipc_region_build(path, &ipc_named_kind, &plan, &region);
    if (status != IPC_OK)
        return status;
    region->owner = ends;
    status = write_body(region, ends->connection, budget);
    if (status == IPC_OK) {
        enter(region, region->index, IPC_ROLE_CLIENT);
        status = ipc_region_link(region);
    }
    if (status != IPC_OK) {
        ipc_region_discard(region);
        return status;
    }
    *created = region;
    return IPC_OK;
}

/* ---- opening it -------------------------------------------------------------------------------------- */

ipc_status ipc_named_region_enter(ipc_named_ends *ends)
{
    char path[IPC_PATH_MAX];
    ipc_status status = ipc_named_path(ends->connection->server, ends->connection->client, path, sizeof path);
    if (status != IPC_OK)
        return status;
    const ipc_region_entrance entrance = {
        .path = path,
        .kind = &ipc_named_kind,
        .owner = ends,
        .role = IPC_ROLE_CLIENT,
        .mode = IPC_OPEN_OR_CREATE,
        .create = create,
    };
    return ipc_region_enter(&entrance, &ends->region);
}

ipc_status ipc_named_region_attach(ipc_named_ends *ends, ipc_deadline lock_deadline)
{
    char path[IPC_PATH_MAX];
    ipc_status status = ipc_named_path(ends->connection->server, ends->connection->client, path, sizeof path);
    if (status == IPC_OK)
        status = ipc_region_attach(path, NULL, &ipc_named_kind, ends, IPC_ROLE_SERVER, IPC_LIFETIME_DEFAULT,
                                   lock_deadline, &ends->region);
    return status;
}

static const ipc_region_kind *no_kind(uint32_t kind)
{
    (void)kind; /* nothing beside the file belongs to it */
    return NULL;
}

ipc_status ipc_named_remove(const char *server, const char *client)
{
    char path[IPC_PATH_MAX];
    const ipc_share share = {.access = {.kind = IPC_ACCESS_USER}};
    ipc_status status = ipc_named_path(server, client, path, sizeof path);
    return status == IPC_OK ? ipc_region_clear(path, &share, no_kind) : status;
}
