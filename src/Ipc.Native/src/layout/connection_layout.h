/* The body of a connection region: docs/wire-format.md section 6. */
#ifndef IPC_CONNECTION_LAYOUT_H
#define IPC_CONNECTION_LAYOUT_H

#include "layout/ring_layout.h"

#define IPC_CONNECTION_MAGIC       0x4E4E4F43u /* "CONN" */
#define IPC_CONNECTION_HEADER_SIZE 1024u
#define IPC_CONNECTION_BODY_SIZE   (IPC_CONNECTION_HEADER_SIZE + 2 * IPC_RING_HEADER_SIZE)
#define IPC_CONNECTION_TEXT_MAX    240u

enum { IPC_REPLY_NONE = 0, IPC_REPLY_ACCEPTED = 1, IPC_REPLY_REFUSED = 2 };

typedef struct ipc_connection_body {
    /* written once, by the client */
    uint32_t magic;
    uint32_t slot;
    uint64_t to_server; /* offset of a ring header, from the start of the file */
    uint64_t to_client;
    uint64_t connection_id;
    uint8_t reserved_32[96];

    /* written by the server only */
    ipc_atomic32 reply;        /* [reply] */
    ipc_atomic32 server_close; /* [close] */
    ipc_atomic32 server_text_length;
    ipc_atomic32 server_processor; /* on which the server last waited for this client or woke it, + 1; 0 unknown */
    uint8_t server_text[IPC_CONNECTION_TEXT_MAX];
    ipc_atomic64 server_handled; /* 1 + where in to_server what was handled ends; 0: says nothing */
    uint8_t reserved_392[120];

    /* written by the client only */
    ipc_atomic32 client_close; /* [close] */
    ipc_atomic32 hello_length;
    ipc_atomic32 client_processor; /* likewise */
    ipc_atomic32 protocol; /* which version of it the client is going to speak; 0: says nothing */
    uint8_t hello[IPC_CONNECTION_TEXT_MAX];

    ipc_waiter session; /* on which the client sleeps for `reply` */
    uint8_t reserved_832[192];
} ipc_connection_body;

_Static_assert(offsetof(ipc_connection_body, magic) == 0, "wire-format section 6");
_Static_assert(offsetof(ipc_connection_body, slot) == 4, "wire-format section 6");
_Static_assert(offsetof(ipc_connection_body, to_server) == 8, "wire-format section 6");
_Static_assert(offsetof(ipc_connection_body, to_client) == 16, "wire-format section 6");
_Static_assert(offsetof(ipc_connection_body, connection_id) == 24, "wire-format section 6");
_Static_assert(offsetof(ipc_connection_body, reply) == 128, "wire-format section 6");
_Static_assert(offsetof(ipc_connection_body, server_close) == 132, "wire-format section 6");
_Static_assert(offsetof(ipc_connection_body, server_text_length) == 136, "wire-format section 6");
_Static_assert(offsetof(ipc_connection_body, server_processor) == 140, "wire-format section 6");
_Static_assert(offsetof(ipc_connection_body, server_text) == 144, "wire-format section 6");
_Static_assert(offsetof(ipc_connection_body, server_handled) == 384, "wire-format section 6");
_Static_assert(offsetof(ipc_connection_body, client_close) == 512, "wire-format section 6");
_Static_assert(offsetof(ipc_connection_body, hello_length) == 516, "wire-format section 6");
_Static_assert(offsetof(ipc_connection_body, client_processor) == 520, "wire-format section 6");
_Static_assert(offsetof(ipc_connection_body, protocol) == 524, "wire-format section 6");
_Static_assert(offsetof(ipc_connection_body, hello) == 528, "wire-format section 6");
_Static_assert(offsetof(ipc_connection_body, session) == 768, "wire-format section 6");
_Static_assert(sizeof(ipc_connection_body) == IPC_CONNECTION_HEADER_SIZE, "wire-format section 6");

#endif
