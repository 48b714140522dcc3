/* The code of docs/guide that is C. */
#include <stdio.h>

#include "ipc.h"

int main(void)
{
    // snippet: c
    ipc_queue *queue = NULL;
    if (ipc_queue_open("jobs", NULL, &queue) != IPC_OK) {
        fprintf(stderr, "%s\n", ipc_last_error());
        return 1;
    }

    const ipc_deadline soon = ipc_deadline_after(1000000000); /* 1 s */
    if (ipc_queue_send(queue, "resize cat.png", 14, 1, soon, NULL) != IPC_OK)
        fprintf(stderr, "%s\n", ipc_last_error());

    ipc_block job;
    if (ipc_queue_receive(queue, soon, NULL, &job) == IPC_OK) {
        printf("%.*s\n", (int)job.length, (const char *)job.payload); /*> resize cat.png */
        ipc_queue_release(queue, &job);
    }

    ipc_queue_close(queue);
    // end-snippet
    return 0;
}
