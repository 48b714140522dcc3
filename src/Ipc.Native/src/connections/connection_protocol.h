/*
 * connection_protocol.h - what the records of a connection mean, and in which version.
 *
 * A listener says what it speaks before anybody connects; a client chooses the newest version that both have, and says
 * which. So the two agree without a round trip, and who does not fit is told before a record was sent.
 */
#ifndef IPC_CONNECTION_PROTOCOL_H
#define IPC_CONNECTION_PROTOCOL_H

#include "ipc/connection.h"

#include <stddef.h>

/* The word in shared memory, {version : 8, least_version : 8, id : 16}. IPC_E_INVALID_ARGUMENT: there is no such one. */
ipc_status ipc_protocol_check(const ipc_protocol *protocol, uint32_t *word);
uint32_t ipc_protocol_id_of(uint32_t word);
/* The word of who speaks exactly this version of the other word's protocol. */
uint32_t ipc_protocol_exactly(uint32_t word, uint32_t version);
/* IPC_OK: VERSION is the newest that both have; the oldest of ours when the other side says nothing, 0 when we do not.
   IPC_E_WRONG_KIND: another protocol. IPC_E_WRONG_VERSION: no version in common. Sets no text. */
ipc_status ipc_protocol_agree(uint32_t ours, uint32_t theirs, uint32_t *version);
/* `calls (protocol 1), version 1`, for people. */
void ipc_protocol_describe(uint32_t word, char *text, size_t size);

#endif
