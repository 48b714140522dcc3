/*
 * slotqueue.h - the bare slot queue between threads of one process: what a queue of slots with one state word each can
 * do at best. No loss of a process is thought of, nobody sleeps, the messages are 8 bytes.
 */
#ifndef IPC_BENCH_SLOTQUEUE_H
#define IPC_BENCH_SLOTQUEUE_H

#include <stdint.h>

void *slotqueue_open(void *shared, int side);
double slotqueue_1_1(void *state, uint64_t count); /* ns per message */
double slotqueue_4_4(void *state, uint64_t count);

#endif
