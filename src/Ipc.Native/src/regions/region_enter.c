/* Opening by name, as the open mode says: attach, create, or whichever is possible first. */
#include "platform/error.h"
#include "regions/region.h"
#include "waiting/cancel.h"

#include <stdio.h>

/* Each turn somebody else made or removed it in between. */
#define TURNS 1000

/* For a creator: between two looks. */
#define LOOK_MIN_NS 1000000u
#define LOOK_MAX_NS 20000000u

static ipc_status attach(const ipc_region_entrance *entrance, const char *path, const ipc_share *share,
                         ipc_deadline deadline, ipc_region **region)
{
    return ipc_region_attach(path, share, entrance->kind, entrance->owner, entrance->role, entrance->lifetime,
                             ipc_region_lock_deadline(deadline), region);
}

static ipc_status open_or_create(const ipc_region_entrance *entrance, const char *path, const ipc_share *share,
                                 ipc_region **region)
{
    for (int turn = 0; turn < TURNS; turn++) {
        ipc_status status = attach(entrance, path, share, IPC_NOW, region);
        if (status != IPC_E_NOT_FOUND)
            return status;
        status = entrance->create(entrance->owner, path, share, region);
        if (status != IPC_E_EXISTS)
            return status;
    }
    return ipc_fail(IPC_E_IN_USE, "%s is created and removed by others all the time", path);
}

static ipc_status create_new(const ipc_region_entrance *entrance, const char *path, const ipc_share *share,
                             ipc_region **region)
{
    for (int turn = 0; turn < TURNS; turn++) {
        ipc_status status = entrance->create(entrance->owner, path, share, region);
        if (status != IPC_E_EXISTS)
            return status;
        status = ipc_region_reap(path, share, entrance->kind);
        if (status != IPC_OK)
            return status;
    }
    return ipc_fail(IPC_E_EXISTS, "%s is created by others all the time", path);
}

static ipc_status open_existing(const ipc_region_entrance *entrance, const char *path, const ipc_share *share,
                                ipc_region **region)
{
    uint64_t pause = LOOK_MIN_NS;
    for (;;) {
        ipc_status status = attach(entrance, path, share, entrance->deadline, region);
        if (status != IPC_E_NOT_FOUND && status != IPC_TIMEOUT)
            return status;
        if (ipc_cancel_is_triggered(entrance->cancel))
            return ipc_ended(IPC_CANCELLED);
        const ipc_deadline next = ipc_deadline_after(pause);
        if (ipc_platform_now() >= entrance->deadline)
            return status == IPC_E_NOT_FOUND ? ipc_region_not_found(entrance->kind, path) : status;
        ipc_cancel_pause(entrance->cancel, next < entrance->deadline ? next : entrance->deadline);
        pause = pause * 2 > LOOK_MAX_NS ? LOOK_MAX_NS : pause * 2;
    }
}

ipc_status ipc_region_enter(const ipc_region_entrance *entrance, ipc_region **region)
{
    char path[IPC_PATH_MAX];
    ipc_share share;
    ipc_lifetime lifetime = IPC_LIFETIME_DEFAULT;
    ipc_status status = IPC_OK;
    if (entrance->path == NULL) {
        status = ipc_region_place(entrance->name, entrance->access, path, sizeof path, &share);
    } else {
        share = (ipc_share){.access = {.kind = IPC_ACCESS_USER}};
        (void)snprintf(path, sizeof path, "%s", entrance->path);
    }
    if (status == IPC_OK) /* what nobody may ask for is refused also when the region exists */
        status = ipc_region_new_lifetime(entrance->kind, entrance->lifetime, &lifetime);
    if (status != IPC_OK)
        return status;
    switch (entrance->mode) {
    case IPC_OPEN_OR_CREATE:
        return open_or_create(entrance, path, &share, region);
    case IPC_CREATE_NEW:
        return create_new(entrance, path, &share, region);
    case IPC_OPEN_EXISTING:
        return open_existing(entrance, path, &share, region);
    }
    return ipc_fail(IPC_E_INVALID_ARGUMENT, "open_mode %d is none of the three", (int)entrance->mode);
}
