/* The body of a named connection's region: docs/wire-format/named.md, section 14. */
#ifndef IPC_NAMED_LAYOUT_H
#define IPC_NAMED_LAYOUT_H

#include "layout/ring_layout.h"

#define IPC_NAMED_MAGIC       0x444D414Eu /* "NAMD" */
#define IPC_NAMED_HEADER_SIZE 3072u
#define IPC_NAMED_BODY_SIZE   (IPC_NAMED_HEADER_SIZE + 2 * IPC_RING_HEADER_SIZE)
#define IPC_NAMED_TO_SERVER   3072u /* from the start of the body */
#define IPC_NAMED_TO_CLIENT   4096u
#define IPC_NAMED_NAME_MAX    120u
#define IPC_NAMED_ID_SIZE     16u
#define IPC_NAMED_DATA_MAX    1024u

typedef struct ipc_named_header {
    /* written once, by the client that makes it */
    uint32_t magic;
    uint32_t reserved_4;
    uint64_t to_server; /* offset of a ring header, from the start of the file */
    uint64_t to_client;
    uint32_t server_length;
    uint32_t client_length;
    uint8_t server[IPC_NAMED_NAME_MAX];
    uint8_t reserved_152[8];
    uint8_t client[IPC_NAMED_NAME_MAX];
    uint8_t reserved_280[8];

    /* by each side, of what it has bound the conversation to */
    ipc_atomic32 client_is_bound; /* [login] 1, once the id stands there */
    ipc_atomic32 server_is_bound; /* likewise */
    uint8_t client_bound[IPC_NAMED_ID_SIZE];
    uint8_t server_bound[IPC_NAMED_ID_SIZE];
    uint8_t reserved_328[56];

    /* written by the server */
    ipc_atomic32 identity_length; /* [login] 0: no server has been here yet */
    ipc_atomic32 reply_length;
    uint8_t identity[IPC_NAMED_NAME_MAX];
    uint8_t reply[IPC_NAMED_DATA_MAX];
    uint8_t reserved_1536[128];

    /* written by the client */
    ipc_atomic32 login_length;
    uint32_t reserved_1668;
    uint8_t login[IPC_NAMED_DATA_MAX];
    uint8_t reserved_2696[376];
} ipc_named_header;

_Static_assert(offsetof(ipc_named_header, magic) == 0, "wire-format section 14");
_Static_assert(offsetof(ipc_named_header, to_server) == 8, "wire-format section 14");
_Static_assert(offsetof(ipc_named_header, to_client) == 16, "wire-format section 14");
_Static_assert(offsetof(ipc_named_header, server_length) == 24, "wire-format section 14");
_Static_assert(offsetof(ipc_named_header, client_length) == 28, "wire-format section 14");
_Static_assert(offsetof(ipc_named_header, server) == 32, "wire-format section 14");
_Static_assert(offsetof(ipc_named_header, client) == 160, "wire-format section 14");
_Static_assert(offsetof(ipc_named_header, client_is_bound) == 288, "wire-format section 14");
_Static_assert(offsetof(ipc_named_header, server_is_bound) == 292, "wire-format section 14");
_Static_assert(offsetof(ipc_named_header, client_bound) == 296, "wire-format section 14");
_Static_assert(offsetof(ipc_named_header, server_bound) == 312, "wire-format section 14");
_Static_assert(offsetof(ipc_named_header, identity_length) == 384, "wire-format section 14");
_Static_assert(offsetof(ipc_named_header, reply_length) == 388, "wire-format section 14");
_Static_assert(offsetof(ipc_named_header, identity) == 392, "wire-format section 14");
_Static_assert(offsetof(ipc_named_header, reply) == 512, "wire-format section 14");
_Static_assert(offsetof(ipc_named_header, login_length) == 1664, "wire-format section 14");
_Static_assert(offsetof(ipc_named_header, login) == 1672, "wire-format section 14");
_Static_assert(sizeof(ipc_named_header) == IPC_NAMED_HEADER_SIZE, "wire-format section 14");

#endif
