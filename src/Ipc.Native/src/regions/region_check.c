/* A region's header, judged from a private copy: whatever the file's bytes become later, the geometry stays what was
   checked. */
#include "platform/error.h"
#include "regions/region.h"

#include <inttypes.h>
#include <string.h>

const char *ipc_region_kind_name(uint32_t kind)
{
    switch (kind) {
    case IPC_KIND_RING:
        return "a ring";
    case IPC_KIND_LISTENER:
        return "a listener";
    case IPC_KIND_CONNECTION:
        return "a connection";
    case IPC_KIND_QUEUE:
        return "a queue";
    case IPC_KIND_TOPIC:
        return "a topic";
    case IPC_KIND_MUTEX:
        return "a mutex";
    case IPC_KIND_SEMAPHORE:
        return "a semaphore";
    case IPC_KIND_EVENT:
        return "an event";
    case IPC_KIND_NAMED:
        return "a named connection";
    default:
        return NULL;
    }
}

static bool is_zero(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != 0)
            return false;
    }
    return true;
}

static ipc_status check_identity(const ipc_region_header *copy, const char *path)
{
    if (copy->magic != IPC_REGION_MAGIC)
        return ipc_fail(IPC_E_CORRUPT,
                        "%s is not a region: it begins with %016" PRIx64
                        ", a region with %016llx; remove it, or use another name",
                        path, copy->magic, IPC_REGION_MAGIC);
    if (copy->major != IPC_REGION_MAJOR)
        return ipc_fail(IPC_E_WRONG_VERSION,
                        "%s has layout version %u.%u, this library has %u.%u: use libraries of the same major version "
                        "on both sides",
                        path, copy->major, copy->minor, IPC_REGION_MAJOR, IPC_REGION_MINOR);
    if (ipc_region_kind_name(copy->kind) == NULL)
        return ipc_fail(IPC_E_WRONG_KIND, "%s is a region of kind %u, which this library does not know", path,
                        copy->kind);
    if (is_zero(copy->region_id, sizeof copy->region_id))
        return ipc_fail(IPC_E_CORRUPT, "%s has a region id of zero", path);
    return IPC_OK;
}

ipc_status ipc_region_check(const ipc_region_header *copy, uint64_t file_size, const char *path,
                            ipc_region_geometry *geometry)
{
    ipc_status status = check_identity(copy, path);
    if (status != IPC_OK)
        return status;

    const uint64_t total = copy->total_size;
    const uint64_t table_end = IPC_PARTICIPANT_OFFSET + (uint64_t)IPC_PARTICIPANT_SIZE * copy->participant_capacity;
    if (total != file_size)
        return ipc_fail(IPC_E_CORRUPT, "%s, %s, says it has %" PRIu64 " bytes, the file has %" PRIu64, path,
                        ipc_region_kind_name(copy->kind), total, file_size);
    if (total % IPC_REGION_SIZE_UNIT != 0)
        return ipc_fail(IPC_E_CORRUPT, "%s has %" PRIu64 " bytes, not a multiple of %u", path, total,
                        IPC_REGION_SIZE_UNIT);
    if (copy->participant_offset != IPC_PARTICIPANT_OFFSET)
        return ipc_fail(IPC_E_CORRUPT, "%s has its participants at %u, they stand at %u", path,
                        copy->participant_offset, IPC_PARTICIPANT_OFFSET);
    const uint32_t most = copy->kind == IPC_KIND_LISTENER ? IPC_LISTENER_CAPACITY_MAX : IPC_PARTICIPANT_CAPACITY_MAX;
    if (copy->participant_capacity > most)
        return ipc_fail(IPC_E_CORRUPT, "%s has room for %u participants, at most %u are possible", path,
                        copy->participant_capacity, most);
    if (copy->body_offset % IPC_REGION_BODY_ALIGNMENT != 0 || copy->body_offset < table_end ||
        copy->body_offset > total)
        return ipc_fail(IPC_E_CORRUPT,
                        "%s has its body at %" PRIu64 ", outside %" PRIu64 "..%" PRIu64 " or not on %u bytes", path,
                        copy->body_offset, table_end, total, IPC_REGION_BODY_ALIGNMENT);
    if (copy->body_size > total - copy->body_offset)
        return ipc_fail(IPC_E_CORRUPT, "%s has a body of %" PRIu64 " bytes, there is room for %" PRIu64, path,
                        copy->body_size, total - copy->body_offset);

    const uint32_t state = ipc_load_relaxed32(&copy->state);
    if (state != IPC_REGION_LIVE && state != IPC_REGION_RETIRED)
        return ipc_fail(IPC_E_CORRUPT, "%s is in state %u, neither live (1) nor retired (2)", path, state);

    geometry->kind = copy->kind;
    geometry->lifetime = (ipc_lifetime)copy->lifetime;
    geometry->participant_capacity = copy->participant_capacity;
    geometry->body_offset = copy->body_offset;
    geometry->body_size = copy->body_size;
    geometry->total_size = total;
    memcpy(geometry->region_id, copy->region_id, sizeof geometry->region_id);
    return IPC_OK;
}
