#include "connections/connection_protocol.h"

#include "platform/error.h"

#include <stdio.h>

#define LEAST_SHIFT 8
#define ID_SHIFT    16
#define BYTE        0xFFu

static uint32_t version_of(uint32_t word)
{
    return word & BYTE;
}

static uint32_t least_of(uint32_t word)
{
    return word >> LEAST_SHIFT & BYTE;
}

uint32_t ipc_protocol_id_of(uint32_t word)
{
    return word >> ID_SHIFT;
}

uint32_t ipc_protocol_exactly(uint32_t word, uint32_t version)
{
    const uint32_t id = ipc_protocol_id_of(word);
    return id == 0 ? 0 : id << ID_SHIFT | version << LEAST_SHIFT | version;
}

ipc_status ipc_protocol_check(const ipc_protocol *protocol, uint32_t *word)
{
    const uint32_t version = protocol->version;
    const uint32_t least = protocol->least_version == 0 ? version : protocol->least_version;
    if (protocol->id == 0 ? version != 0 || least != 0 : version == 0 || least > version)
        return ipc_fail(IPC_E_INVALID_ARGUMENT,
                        "protocol %u in versions %u to %u: a protocol has an id and versions from 1 to 255, or all are 0",
                        protocol->id, least, version);
    *word = (uint32_t)protocol->id << ID_SHIFT | least << LEAST_SHIFT | version;
    return IPC_OK;
}

ipc_status ipc_protocol_agree(uint32_t ours, uint32_t theirs, uint32_t *version)
{
    *version = 0;
    if (ipc_protocol_id_of(ours) == 0)
        return IPC_OK;
    if (ipc_protocol_id_of(theirs) == 0) {
        *version = least_of(ours);
        return IPC_OK;
    }
    if (ipc_protocol_id_of(ours) != ipc_protocol_id_of(theirs))
        return IPC_E_WRONG_KIND;
    const uint32_t newest = version_of(ours) < version_of(theirs) ? version_of(ours) : version_of(theirs);
    const uint32_t oldest = least_of(ours) > least_of(theirs) ? least_of(ours) : least_of(theirs);
    if (newest < oldest || newest == 0)
        return IPC_E_WRONG_VERSION;
    *version = newest;
    return IPC_OK;
}

void ipc_protocol_describe(uint32_t word, char *text, size_t size)
{
    const uint32_t id = ipc_protocol_id_of(word);
    const char *name = id == IPC_PROTOCOL_CALLS   ? "calls "
                       : id == IPC_PROTOCOL_BYTES ? "bytes "
                       : id == IPC_PROTOCOL_NAMED ? "named connections "
                                                  : "";
    if (least_of(word) == version_of(word))
        (void)snprintf(text, size, "%s(protocol %u), version %u", name, id, version_of(word));
    else
        (void)snprintf(text, size, "%s(protocol %u), versions %u to %u", name, id, least_of(word), version_of(word));
}
