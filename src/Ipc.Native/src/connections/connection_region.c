/* The region of a connection: geometry, building, checking (docs/wire-format.md section 6). */
#include "connections/connection.h"

#include <inttypes.h>
#include <string.h>

#define BODY_OFFSET      IPC_PARTICIPANT_OFFSET /* no participants: who lives is known from the listener's table */
#define TO_SERVER_OFFSET (BODY_OFFSET + IPC_CONNECTION_HEADER_SIZE)
#define TO_CLIENT_OFFSET (TO_SERVER_OFFSET + IPC_RING_HEADER_SIZE)
#define DATA_OFFSET      (TO_CLIENT_OFFSET + IPC_RING_HEADER_SIZE)

_Static_assert(DATA_OFFSET % IPC_RING_DATA_ALIGN == 0, "a ring's place");

/* A ring begins with so much memory; its writer makes the rest when it gets there. Most connections never do. */
#define FIRST_PRESENT 8192u

const ipc_region_kind ipc_connection_kind = {.kind = IPC_KIND_CONNECTION};

/* What a system that makes memory present by the file alone makes, it makes at once: the file is closed soon. */
static uint64_t first_present(uint64_t capacity)
{
    return capacity <= FIRST_PRESENT || ipc_platform_populate_needs_file() ? capacity : FIRST_PRESENT;
}

ipc_status ipc_connection_region_build(const char *path, const ipc_share *share, const ipc_connection_plan *plan,
                                       ipc_region **region)
{
    const uint64_t data_size = plan->to_server_capacity + plan->to_client_capacity;
    const uint64_t pool_size = ipc_pool_size(plan->loan_budget);
    const bool whole = ipc_platform_populate_needs_file();
    const uint64_t pool_front = plan->loan_budget == 0 ? 0
                                : whole                ? ipc_pool_reserve(plan->loan_budget)
                                                       : IPC_POOL_HEADER_SIZE;
    const uint64_t to_server_present = first_present(plan->to_server_capacity);
    const uint64_t to_client_present = first_present(plan->to_client_capacity);
    const uint64_t pools[2] = {DATA_OFFSET + data_size, DATA_OFFSET + data_size + pool_size};
    const bool has_pools = plan->loan_budget != 0;
    const ipc_region_plan region_plan = {
        .participants = 0,
        .role = 0,
        .lifetime = IPC_LIFETIME_WHILE_USED,
        .share = share,
        .body_offset = BODY_OFFSET,
        .body_size = IPC_CONNECTION_BODY_SIZE + data_size + 2 * pool_size,
        .total_size = DATA_OFFSET + data_size + 2 * pool_size,
        .reserved_size = DATA_OFFSET + to_server_present,
        .reserved = {{DATA_OFFSET + plan->to_server_capacity, to_client_present},
                     {pools[0], pool_front},
                     {pools[1], pool_front}},
    };
    ipc_status status = ipc_region_build(path, &ipc_connection_kind, &region_plan, region);
    if (status != IPC_OK)
        return status;
    ipc_connection_body *body = ipc_region_at(*region, BODY_OFFSET);
    body->magic = IPC_CONNECTION_MAGIC;
    body->slot = plan->slot;
    body->to_server = TO_SERVER_OFFSET;
    body->to_client = TO_CLIENT_OFFSET;
    body->connection_id = plan->connection_id;
    if (plan->hello_length != 0)
        memcpy(body->hello, plan->hello, plan->hello_length);
    ipc_store_relaxed32(&body->hello_length, plan->hello_length);
    ipc_store_relaxed32(&body->protocol, plan->protocol);
    ipc_ring_header *to_server = ipc_region_at(*region, TO_SERVER_OFFSET);
    ipc_ring_header *to_client = ipc_region_at(*region, TO_CLIENT_OFFSET);
    ipc_ring_write_header(to_server, plan->to_server_capacity, DATA_OFFSET, has_pools ? pools[0] : 0);
    ipc_ring_write_header(to_client, plan->to_client_capacity, DATA_OFFSET + plan->to_server_capacity,
                          has_pools ? pools[1] : 0);
    to_server->present = to_server_present == plan->to_server_capacity ? 0 : to_server_present;
    to_client->present = to_client_present == plan->to_client_capacity ? 0 : to_client_present;
    for (int i = 0; i < 2 && has_pools; i++) {
        ipc_pool_header *pool = ipc_region_at(*region, pools[i]);
        ipc_pool_write_header(pool, plan->loan_budget);
        ipc_store_relaxed32(&pool->table_missing, !whole);
    }
    return IPC_OK;
}

ipc_status ipc_connection_locate(const ipc_region *region, ipc_ring *to_server, ipc_ring *to_client)
{
    const uint64_t body_offset = region->geometry.body_offset;
    if (region->geometry.body_size < IPC_CONNECTION_BODY_SIZE)
        return ipc_fail(IPC_E_CORRUPT, "%s has %" PRIu64 " bytes for a connection's body of %u", region->path,
                        region->geometry.body_size, IPC_CONNECTION_BODY_SIZE);
    const ipc_connection_body *body = ipc_region_at(region, body_offset);
    const uint32_t magic = *(const volatile uint32_t *)&body->magic; /* once: the peer can still write it */
    const uint64_t offsets[2] = {*(const volatile uint64_t *)&body->to_server,
                                 *(const volatile uint64_t *)&body->to_client};
    if (magic != IPC_CONNECTION_MAGIC)
        return ipc_fail(IPC_E_CORRUPT, "%s has %08x where a connection's magic %08x should be", region->path, magic,
                        IPC_CONNECTION_MAGIC);

    ipc_status status = ipc_ring_locate(region, offsets[0], to_server);
    if (status == IPC_OK)
        status = ipc_ring_locate(region, offsets[1], to_client);
    if (status == IPC_OK)
        status = ipc_ring_locate_present(to_server);
    if (status == IPC_OK)
        status = ipc_ring_locate_present(to_client);
    if (status == IPC_OK) {
        ipc_pool_locate_table(&to_server->pool);
        ipc_pool_locate_table(&to_client->pool);
    }
    return status == IPC_OK ? ipc_ring_check_apart(region, IPC_CONNECTION_HEADER_SIZE, to_server, to_client) : status;
}
