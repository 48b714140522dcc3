/* A storm's worker at a ring: one writer, one reader, each replaced when it dies. */
#include "storm_worker.h"

#include "ignore.h"
#include "numbered.h"

static ipc_status send_one(void *end, uint64_t n, uint32_t length, bool only_abandon)
{
    void *payload;
    ipc_status status;
    while ((status = ipc_ring_claim(end, length, IPC_FOREVER, NULL, &payload)) == IPC_PEER_DIED ||
           status == IPC_PEER_CLOSED)
        ignore(ipc_ring_writer_wait_for_peer(end, IPC_FOREVER, NULL)); /* full, and its reader is being replaced */
    if (status != IPC_OK)
        return status;
    fill_numbered(payload, length, n);
    if (!only_abandon)
        return ipc_ring_commit(end, length, (uint16_t)(n & 1023));
    ipc_ring_abandon(end);
    return IPC_OK;
}

static int receive_one(storm_worker *w, ipc_ring_reader *reader, bool waits, bool *ended)
{
    ipc_record record;
    ipc_status status;
    do
        status = waits ? ipc_ring_read(reader, IPC_FOREVER, NULL, &record) : ipc_ring_try_read(reader, &record);
    while ((status == IPC_PEER_DIED || status == IPC_PEER_CLOSED) && waits &&
           ipc_ring_reader_wait_for_peer(reader, IPC_FOREVER, NULL) == IPC_OK);
    if (status != IPC_OK) {
        *ended = true;
        return waits || status < 0 ? peer_error(status) : 0;
    }
    int result = 0;
    if (record.type != STORM_END)
        result = storm_delivered(w, record.payload, record.length, record.redelivered);
    else
        *ended = waits;
    ipc_ring_release(reader);
    return result;
}

int storm_ring(storm_worker *w, const char *role)
{
    const ipc_ring_options options = {
        .capacity = 16384, .lifetime = IPC_LIFETIME_PERSISTENT, .wait_mode = storm_wait_mode(w), .loan_budget = 1 << 20};
    ipc_ring_writer *writer = NULL;
    ipc_ring_reader *reader = NULL;
    const bool writes = strcmp(role, "send") == 0 || strcmp(role, "end") == 0;
    ipc_status status =
        writes ? ipc_ring_writer_open(w->name, &options, &writer) : ipc_ring_reader_open(w->name, &options, &reader);
    if (status != IPC_OK)
        return peer_error(status);
    atomic_store(&w->mine->attached, 1);
    int result = 0;
    if (strcmp(role, "send") == 0) {
        result = storm_send_all(w, writer, send_one);
    } else if (writes) {
        while ((status = ipc_ring_write(writer, "end", 3, STORM_END, IPC_FOREVER, NULL)) == IPC_PEER_DIED ||
               status == IPC_PEER_CLOSED) /* full, and its last reader was killed: the next one is on its way */
            ignore(ipc_ring_writer_wait_for_peer(writer, IPC_FOREVER, NULL));
        result = status == IPC_OK ? 0 : peer_error(status);
    } else {
        for (bool ended = false; result == 0 && !ended;)
            result = receive_one(w, reader, strcmp(role, "receive") == 0, &ended);
    }
    if (!writes && strcmp(role, "sweep") == 0 &&
        result == 0) { /* the writer's entry, too: a ring's dead is found by who joins */
        status = ipc_ring_writer_open(w->name, &options, &writer);
        result = status == IPC_OK ? 0 : peer_error(status);
    }
    ipc_ring_writer_close(writer);
    ipc_ring_reader_close(reader);
    return result;
}
