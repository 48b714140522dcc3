/*
 * How long a region stays (docs/wire-format.md section 2). The creator writes it down, and everybody finds it as it is:
 * who asks for something else is told, and gets nothing else.
 *
 * Whether a region is over is decided under its region lock, by the last to leave and by whoever opens it when nobody
 * is attached, and by nothing but what lies in it. So it does not matter where who should have decided was killed: the
 * next one decides the same.
 */
#include "platform/error.h"
#include "regions/region.h"

bool ipc_region_lifetime_fits(uint32_t kind, uint32_t lifetime)
{
    switch (lifetime) {
    case IPC_LIFETIME_WHILE_USED:
        return kind != IPC_KIND_NAMED;
    case IPC_LIFETIME_UNTIL_EMPTY:
        return kind == IPC_KIND_RING || kind == IPC_KIND_QUEUE;
    case IPC_LIFETIME_PERSISTENT:
        return kind != IPC_KIND_LISTENER && kind != IPC_KIND_CONNECTION;
    default:
        return false;
    }
}

const char *ipc_region_lifetime_name(ipc_lifetime lifetime)
{
    switch (lifetime) {
    case IPC_LIFETIME_DEFAULT:
        return "IPC_LIFETIME_DEFAULT";
    case IPC_LIFETIME_WHILE_USED:
        return "IPC_LIFETIME_WHILE_USED";
    case IPC_LIFETIME_UNTIL_EMPTY:
        return "IPC_LIFETIME_UNTIL_EMPTY";
    case IPC_LIFETIME_PERSISTENT:
        return "IPC_LIFETIME_PERSISTENT";
    }
    return "no lifetime";
}

ipc_status ipc_region_new_lifetime(const ipc_region_kind *kind, ipc_lifetime asked, ipc_lifetime *lifetime)
{
    const ipc_lifetime usual = kind->holds_messages != NULL      ? IPC_LIFETIME_UNTIL_EMPTY
                               : kind->kind == IPC_KIND_NAMED ? IPC_LIFETIME_PERSISTENT
                                                              : IPC_LIFETIME_WHILE_USED;
    *lifetime = asked == IPC_LIFETIME_DEFAULT ? usual : asked;
    if (ipc_region_lifetime_fits(kind->kind, (uint32_t)*lifetime))
        return IPC_OK;
    return ipc_fail(IPC_E_INVALID_ARGUMENT, "a lifetime of %s (%d) is none that %s can have",
                    ipc_region_lifetime_name(asked), (int)asked, ipc_region_kind_name(kind->kind));
}

ipc_status ipc_region_check_lifetime(const ipc_region *region, ipc_lifetime asked)
{
    if (asked == IPC_LIFETIME_DEFAULT || asked == region->geometry.lifetime)
        return IPC_OK;
    return ipc_fail(IPC_E_WRONG_LIFETIME,
                    "%s has the lifetime %s, %s was asked for: ask for the same everywhere, or for none, or remove it "
                    "first",
                    region->path, ipc_region_lifetime_name(region->geometry.lifetime), ipc_region_lifetime_name(asked));
}

bool ipc_region_is_kept(ipc_region *region)
{
    if (!ipc_region_may_remove(region))
        return true;
    if (region->geometry.lifetime == IPC_LIFETIME_UNTIL_EMPTY)
        return region->kind == NULL || region->kind->holds_messages(region); /* who does not know it, does not decide */
    return region->geometry.lifetime == IPC_LIFETIME_PERSISTENT;
}

bool ipc_region_is_over(ipc_region *region)
{
    if (region->geometry.lifetime == IPC_LIFETIME_PERSISTENT || !ipc_region_may_remove(region) ||
        ipc_region_has_living(region))
        return false;
    if (region->geometry.lifetime == IPC_LIFETIME_UNTIL_EMPTY && region->kind != NULL)
        ipc_region_recover_locked(region);
    return !ipc_region_is_kept(region);
}
