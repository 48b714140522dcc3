/*
 * named.c - the C library's named connection between two processes.
 *
 *   named.echo.64.spin.c    ns      64 B there and back, both sides spin; each message is numbered and acknowledged
 */
#include "harness.h"

#include <ipc.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_AT(p) __asm__ volatile("" : : "r"(p) : "memory")

enum { SMALL = 64 };

typedef struct side {
    ipc_named_listener *listener; /* the server's */
    ipc_named_connection *connection;
} side;

static void check(ipc_status status, const char *what)
{
    if (status != IPC_OK) {
        fprintf(stderr, "%s: %s: %s\n", what, ipc_status_name(status), ipc_last_error());
        exit(1);
    }
}

static void *open_side(void *shared, int which)
{
    static side opened;
    const ipc_deadline soon = ipc_deadline_after(10000000000u);
    (void)shared;
    if (which == 0) {
        const ipc_named_options options = {.wait_mode = IPC_WAIT_SPIN};
        check(ipc_named_open(bench_name(), "client", &options, &opened.connection), "ipc_named_open");
        check(ipc_named_connect(opened.connection, soon, NULL), "ipc_named_connect");
    } else {
        const ipc_named_listener_options options = {.wait_mode = IPC_WAIT_SPIN};
        ipc_named_event event;
        check(ipc_named_listener_open(bench_name(), &options, &opened.listener), "ipc_named_listener_open");
        check(ipc_named_listener_next(opened.listener, soon, NULL, &event), "ipc_named_listener_next");
        check(ipc_named_accept(event.connection, NULL, 0), "ipc_named_accept");
        opened.connection = event.connection;
    }
    return &opened;
}

static void close_side(void *opened, int which)
{
    side *it = opened;
    ipc_named_close(it->connection, 0, NULL);
    ipc_named_listener_close(it->listener, 0, NULL);
    if (which == 1) /* the other has closed before */
        check(ipc_named_remove(bench_name(), "client"), "ipc_named_remove");
}

static inline void send_small(side *it, const unsigned char *bytes)
{
    void *payload = NULL;
    check(ipc_named_claim(it->connection, SMALL, IPC_FOREVER, NULL, &payload), "ipc_named_claim");
    memcpy(payload, bytes, SMALL);
    check(ipc_named_commit(it->connection, SMALL, 1, NULL), "ipc_named_commit");
}

static inline void receive_small(side *it, unsigned char *bytes)
{
    ipc_named_message message;
    check(ipc_named_receive(it->connection, IPC_FOREVER, NULL, &message), "ipc_named_receive");
    memcpy(bytes, message.payload, SMALL);
    LOOK_AT(bytes);
    ipc_named_acknowledge(it->connection, message.sequence);
}

static double echo_measure(void *opened, uint64_t count)
{
    unsigned char bytes[SMALL] = {7};
    uint64_t began = 0;
    for (uint64_t i = 0; i <= count; i++) { /* the first finds the answerer asleep: not counted */
        if (i == 1)
            began = bench_now();
        send_small(opened, bytes);
        receive_small(opened, bytes);
        bench_done();
    }
    return (double)(bench_now() - began) / (double)count;
}

static void echo_answer(void *opened, uint64_t count)
{
    unsigned char bytes[SMALL];
    for (uint64_t i = 0; i <= count; i++) {
        receive_small(opened, bytes);
        send_small(opened, bytes);
    }
}

static const bench_figure figures[] = {
    {.name = "named.echo.64.spin.c",
     .count = 250000,
     .open = open_side,
     .measure = echo_measure,
     .answer = echo_answer,
     .close = close_side},
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, figures, sizeof figures / sizeof figures[0]);
}
