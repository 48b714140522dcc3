/* Shared by the files of the C peer. */
#ifndef IPC_PEER_H
#define IPC_PEER_H

#include "ipc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern ipc_ring_options peer_ring_options;
extern ipc_deadline peer_deadline;
extern const char *peer_log; /* of peer_named.c, and so are: */
extern const char *peer_login;
extern uint64_t peer_acknowledge;

int peer_error(ipc_status status); /* prints it; the exit code */
#ifdef _WIN32
int peer_wrong(const char *format, ...) __attribute__((format(gnu_printf, 1, 2)));
#else
int peer_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
#endif
void peer_fill(void *payload, uint64_t sequence, uint32_t length);
int peer_check(const void *payload, uint64_t sequence, uint32_t length);
void peer_wait_for_input_end(void);
uint32_t peer_next_size(const char *size, uint32_t max, uint64_t *seed); /* SIZE|random */

int peer_listen(char **arguments, int count);
int peer_connect(char **arguments, int count);
int peer_named_client(char **arguments, int count);
int peer_named_server(char **arguments, int count);
int peer_storm_named_client(char **arguments, int count);
int peer_storm_named_server(char **arguments, int count);
int peer_region_show(char **arguments, int count);
int peer_storm(char **arguments, int count);

#endif
