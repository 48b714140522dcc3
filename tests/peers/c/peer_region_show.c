/* peer region-show: a region as its bytes say it is, without entering it. */
#include "peer.h"

#include "layout/connection_layout.h"
#include "layout/listener_layout.h"
#include "layout/named_layout.h"
#include "regions/region.h"
#include "peer_show.h"

#include <inttypes.h>

static void show(const char *prefix, const char *key, uint64_t value)
{
    printf("%s%s %" PRIu64 "\n", prefix, key, value);
}

static void show_waiter(const char *prefix, const char *name, const ipc_waiter *waiter)
{
    printf("%s%s.word %u\n", prefix, name, ipc_load_relaxed32(&waiter->word));
    printf("%s%s.fence_required %u\n", prefix, name, ipc_load_relaxed32(&waiter->fence_required));
    printf("%s%s.wanted %u\n", prefix, name, ipc_load_relaxed32(&waiter->wanted));
}

static void show_header(const ipc_region_header *header)
{
    show("", "magic", header->magic);
    show("", "major", header->major);
    show("", "minor", header->minor);
    show("", "kind", header->kind);
    show("", "total_size", header->total_size);
    show("", "participant_offset", header->participant_offset);
    show("", "participant_capacity", header->participant_capacity);
    show("", "body_offset", header->body_offset);
    show("", "body_size", header->body_size);
    printf("region_id ");
    for (size_t i = 0; i < sizeof header->region_id; i++)
        printf("%02x", header->region_id[i]);
    printf("\n");
    show("", "created", header->created);
    show("", "creator_pid", header->creator_pid);
    show("", "lifetime", header->lifetime);
    show("", "state", ipc_load_acquire32(&header->state));
    show("", "recoveries", ipc_load_relaxed32(&header->recoveries));
    show_waiter("", "change", &header->change);
}

static void show_participants(const ipc_region *region)
{
    for (uint32_t i = 0; i < region->geometry.participant_capacity; i++) {
        const ipc_participant *entry = ipc_region_participant(region, i);
        char prefix[32];
        if (ipc_load_acquire32(&entry->state) == IPC_PARTICIPANT_FREE)
            continue;
        (void)snprintf(prefix, sizeof prefix, "participant.%u.", i);
        show(prefix, "state", ipc_load_acquire32(&entry->state));
        show(prefix, "generation", ipc_load_relaxed32(&entry->generation));
        show(prefix, "pid", ipc_load_relaxed32(&entry->pid));
        show(prefix, "role", ipc_load_relaxed32(&entry->role));
        show(prefix, "start_time", ipc_load_relaxed64(&entry->start_time));
        show(prefix, "attached", ipc_load_relaxed64(&entry->attached));
        show(prefix, "pid_namespace", ipc_load_relaxed64(&entry->pid_namespace));
        show(prefix, "runtime", ipc_load_relaxed32(&entry->runtime));
        show(prefix, "alive", ipc_region_is_alive(region, i));
    }
}

static void show_ring(const ipc_region *region, const char *prefix, uint64_t offset)
{
    if (offset > region->geometry.total_size - IPC_RING_HEADER_SIZE)
        return;
    const ipc_ring_header *header = ipc_region_at(region, offset);
    show(prefix, "magic", header->magic);
    show(prefix, "capacity", header->capacity);
    show(prefix, "data_offset", header->data_offset);
    show(prefix, "writer", ipc_load_relaxed32(&header->writer));
    show(prefix, "writer_state", ipc_load_relaxed32(&header->writer_state));
    show(prefix, "reader", ipc_load_relaxed32(&header->reader));
    show(prefix, "reader_state", ipc_load_relaxed32(&header->reader_state));
    show(prefix, "read_position", ipc_load_relaxed64(&header->read_position));
    show(prefix, "free_position", ipc_load_relaxed64(&header->free_position));
    show_waiter(prefix, "data", &header->data);
    show_waiter(prefix, "space", &header->space);
}

static void show_listener(const ipc_region *region)
{
    const ipc_listener_body *body = ipc_region_at(region, region->geometry.body_offset);
    show("listener.", "magic", body->magic);
    show("listener.", "slot_count", body->slot_count);
    show("listener.", "slots_offset", body->slots_offset);
    show("listener.", "ready_offset", body->ready_offset);
    show("listener.", "max_ring_capacity", body->max_ring_capacity);
    show("listener.", "server_state", ipc_load_relaxed32(&body->server_state));
    show_waiter("listener.", "doorbell", &body->doorbell);
    for (uint32_t i = 0; i < region->geometry.participant_capacity; i++) {
        const uint64_t offset = body->slots_offset + (uint64_t)i * IPC_SLOT_SIZE;
        char prefix[32];
        if (offset > region->geometry.total_size - IPC_SLOT_SIZE)
            return;
        const ipc_slot *slot = ipc_region_at(region, offset);
        const uint64_t word = ipc_load_relaxed64(&slot->word);
        if (word == IPC_SLOT_IDLE)
            continue;
        (void)snprintf(prefix, sizeof prefix, "slot.%u.", i);
        show(prefix, "state", ipc_slot_state(word));
        show(prefix, "connection_id", ipc_slot_id(word));
    }
}

static void show_text(const char *prefix, const char *key, const uint8_t *text, uint32_t length, uint32_t most)
{
    printf("%s%s ", prefix, key);
    for (uint32_t i = 0; i < length && i < most; i++)
        printf("%02x", text[i]);
    printf("\n");
}

static void show_connection(const ipc_region *region)
{
    const ipc_connection_body *body = ipc_region_at(region, region->geometry.body_offset);
    const uint32_t server_text_length = ipc_load_relaxed32(&body->server_text_length);
    const uint32_t hello_length = ipc_load_relaxed32(&body->hello_length);
    show("connection.", "magic", body->magic);
    show("connection.", "slot", body->slot);
    show("connection.", "to_server", body->to_server);
    show("connection.", "to_client", body->to_client);
    show("connection.", "connection_id", body->connection_id);
    show("connection.", "reply", ipc_load_relaxed32(&body->reply));
    show("connection.", "server_close", ipc_load_relaxed32(&body->server_close));
    show("connection.", "server_text_length", server_text_length);
    show_text("connection.", "server_text", body->server_text, server_text_length, IPC_CONNECTION_TEXT_MAX);
    show("connection.", "client_close", ipc_load_relaxed32(&body->client_close));
    show("connection.", "hello_length", hello_length);
    show_text("connection.", "hello", body->hello, hello_length, IPC_CONNECTION_TEXT_MAX);
    show_waiter("connection.", "session", &body->session);
    show_ring(region, "to_server.", body->to_server);
    show_ring(region, "to_client.", body->to_client);
}

static void show_named_ring(const ipc_region *region, const char *prefix, uint64_t offset)
{
    if (offset > region->geometry.total_size - IPC_RING_HEADER_SIZE)
        return;
    const ipc_ring_header *header = ipc_region_at(region, offset);
    show_ring(region, prefix, offset);
    show(prefix, "acknowledged", ipc_load_relaxed64(&header->acknowledged));
}

static void show_named(const ipc_region *region)
{
    const ipc_named_header *header = ipc_region_at(region, region->geometry.body_offset);
    const uint32_t identity_length = ipc_load_relaxed32(&header->identity_length);
    const uint32_t reply_length = ipc_load_relaxed32(&header->reply_length);
    const uint32_t login_length = ipc_load_relaxed32(&header->login_length);
    show("named.", "magic", header->magic);
    show("named.", "to_server", header->to_server);
    show("named.", "to_client", header->to_client);
    show("named.", "server_length", header->server_length);
    show("named.", "client_length", header->client_length);
    show_text("named.", "server", header->server, header->server_length, IPC_NAMED_NAME_MAX);
    show_text("named.", "client", header->client, header->client_length, IPC_NAMED_NAME_MAX);
    show("named.", "client_is_bound", ipc_load_relaxed32(&header->client_is_bound));
    show("named.", "server_is_bound", ipc_load_relaxed32(&header->server_is_bound));
    show_text("named.", "client_bound", header->client_bound, IPC_NAMED_ID_SIZE, IPC_NAMED_ID_SIZE);
    show_text("named.", "server_bound", header->server_bound, IPC_NAMED_ID_SIZE, IPC_NAMED_ID_SIZE);
    show("named.", "identity_length", identity_length);
    show("named.", "reply_length", reply_length);
    show_text("named.", "identity", header->identity, identity_length, IPC_NAMED_NAME_MAX);
    show_text("named.", "reply", header->reply, reply_length, IPC_NAMED_DATA_MAX);
    show("named.", "login_length", login_length);
    show_text("named.", "login", header->login, login_length, IPC_NAMED_DATA_MAX);
    show_named_ring(region, "to_server.", header->to_server);
    show_named_ring(region, "to_client.", header->to_client);
}

int peer_region_show(char **arguments, int count)
{
    (void)count;
    char path[IPC_PATH_MAX];
    ipc_region *region = NULL;
    ipc_status status = ipc_region_path(arguments[0], path, sizeof path);
    if (status == IPC_OK)
        status = ipc_region_open(path, NULL, NULL, NULL, IPC_NOW, &region);
    if (status != IPC_OK)
        return peer_error(status);
    show_header(ipc_region_header_of(region));
    show_participants(region);
    if (region->geometry.kind == IPC_KIND_RING) {
        show_ring(region, "ring.", region->geometry.body_offset);
        const uint64_t pool = *(const uint64_t *)ipc_region_at(region, region->geometry.body_offset + 24);
        if (pool != 0) {
            show("ring.", "pool_offset", pool);
            peer_show_pool(region, pool);
        }
    } else if (region->geometry.kind == IPC_KIND_QUEUE)
        peer_show_queue(region);
    else if (region->geometry.kind == IPC_KIND_TOPIC)
        peer_show_topic(region);
    else if (region->geometry.kind == IPC_KIND_LISTENER)
        show_listener(region);
    else if (region->geometry.kind == IPC_KIND_NAMED)
        show_named(region);
    else
        show_connection(region);
    ipc_region_discard(region);
    return 0;
}
