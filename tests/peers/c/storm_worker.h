/* Shared by the workers of a storm, a file per kind. */
#ifndef IPC_TESTS_STORM_WORKER_H
#define IPC_TESTS_STORM_WORKER_H

#include "peer.h"
#include "storm_side.h"

typedef struct storm_worker {
    const char *name;
    void *side;
    storm_head *head;
    storm_record *mine;
    uint32_t id;
    uint64_t seed;
    uint64_t *next; /* per sender: the number after the last one that was seen */
} storm_worker;

int storm_queue(storm_worker *w, const char *role);
int storm_topic(storm_worker *w, const char *role);
int storm_ring(storm_worker *w, const char *role);
int storm_lock(storm_worker *w, const char *role);

/* Sends numbered messages until the storm ends or the numbers are used up, each by one call of SEND. The exit code. */
typedef ipc_status (*storm_send)(void *end, uint64_t n, uint32_t length, bool only_abandon);
int storm_send_all(storm_worker *w, void *end, storm_send send);

/* A message was delivered. 0, or an exit code when it is not what was sent, or comes where it may not. */
int storm_delivered(storm_worker *w, const void *payload, uint32_t length, bool flagged);

uint32_t storm_length(uint64_t n); /* mostly within a block, now and then a loan */
bool storm_is_exact(void);         /* nobody dies, and nothing is abandoned */
ipc_wait_mode storm_wait_mode(const storm_worker *w);

#endif
