/* A storm's worker at a queue: small segments that grow, short blocks, loans. */
#include "storm_worker.h"

#include "numbered.h"

static ipc_status send_one(void *end, uint64_t n, uint32_t length, bool only_abandon)
{
    ipc_block block;
    const ipc_status status = ipc_queue_claim(end, length, IPC_FOREVER, NULL, &block);
    if (status != IPC_OK)
        return status;
    fill_numbered(block.payload, length, n);
    if (!only_abandon)
        return ipc_queue_commit(end, &block, length, (uint16_t)(n & 1023));
    ipc_queue_abandon(end, &block);
    return IPC_OK;
}

/* One message, or none when WAITS is not set and there is none. Sets ENDED by an end mark. */
static int receive_one(storm_worker *w, ipc_queue *queue, bool waits, bool *ended)
{
    ipc_block block;
    const ipc_status status =
        waits ? ipc_queue_receive(queue, IPC_FOREVER, NULL, &block) : ipc_queue_try_receive(queue, &block);
    if (status == IPC_EMPTY) {
        *ended = true;
        return 0;
    }
    if (status != IPC_OK)
        return peer_error(status);
    int result = 0;
    if (block.type != STORM_END)
        result = storm_delivered(w, block.payload, block.length, block.redelivered);
    else
        *ended = waits; /* one too many is nothing */
    ipc_queue_release(queue, &block);
    return result;
}

int storm_queue(storm_worker *w, const char *role)
{
    const ipc_queue_options options = {.block_size = 128,
                                       .block_count = 64,
                                       .max_expansions = 3,
                                       .min_expansion_distance = w->seed % 2 == 0 ? 8 : 0,
                                       .lifetime = IPC_LIFETIME_PERSISTENT,
                                       .participants = 32,
                                       .loan_budget = 1 << 20,
                                       .wait_mode = storm_wait_mode(w)};
    ipc_queue *queue = NULL;
    ipc_status status = ipc_queue_open(w->name, &options, &queue);
    if (status != IPC_OK)
        return peer_error(status);
    atomic_store(&w->mine->attached, 1);
    int result = 0;
    if (strcmp(role, "send") == 0) {
        result = storm_send_all(w, queue, send_one);
    } else if (strcmp(role, "end") == 0) {
        status = ipc_queue_send(queue, "end", 3, STORM_END, IPC_FOREVER, NULL);
        result = status == IPC_OK ? 0 : peer_error(status);
    } else {
        for (bool ended = false; result == 0 && !ended;)
            result = receive_one(w, queue, strcmp(role, "receive") == 0, &ended);
    }
    ipc_queue_close(queue);
    return result;
}
