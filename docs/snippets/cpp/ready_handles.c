/* The event loop of docs/guide/async.md. */
#include <poll.h>
#include <stdio.h>

#include "ipc.h"

static int failed(void)
{
    fprintf(stderr, "%s\n", ipc_last_error());
    return 1;
}

int main(void)
{
    ipc_queue *jobs = NULL;
    if (ipc_queue_open("jobs", NULL, &jobs) != IPC_OK)
        return failed();
    if (ipc_queue_send(jobs, "resize cat.png", 14, 1, IPC_NOW, NULL) != IPC_OK)
        return failed();

    // snippet: loop
    ipc_ready_handle *handle = NULL;
    if (ipc_ready_handle_create(NULL, NULL, &handle) != IPC_OK)
        return failed();

    struct pollfd one = {.fd = ipc_ready_handle_descriptor(handle), .events = POLLIN}; /* beside whatever else the loop waits for */
    bool handled = false;
    while (!handled) {
        ipc_block job;
        while (ipc_queue_try_receive(jobs, &job) == IPC_OK) { /* until there is no more */
            printf("%.*s\n", (int)job.length, (const char *)job.payload); /*> resize cat.png */
            ipc_queue_release(jobs, &job);
            handled = true;
        }
        if (!handled && ipc_queue_arm(jobs, IPC_FOREVER, NULL, handle) == IPC_EMPTY)
            (void)poll(&one, 1, -1); /* readable when there may be something */
    }

    ipc_ready_handle_destroy(handle);
    ipc_queue_close(jobs);
    // end-snippet
    return 0;
}
