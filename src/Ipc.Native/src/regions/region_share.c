/*
 * Regions of the machine: whose may be opened, who may ask, and who may end them (docs/wire-format.md section 1).
 *
 * The directory is everybody's, so a name may have been taken by anybody. Who made a file is the kernel's word; what is
 * in it is his only if nobody else can write it, which is why a file that everybody can write is nothing for who has
 * asked for somebody.
 */
#include "platform/error.h"
#include "regions/region.h"

#include <string.h>

static bool is_listed(const ipc_access *access, uint32_t user)
{
    for (uint32_t i = 0; i < access->user_count; i++) {
        if (access->users[i] == user)
            return true;
    }
    return false;
}

static bool is_ours(uint32_t user)
{
    return user == ipc_platform_user() || user == 0;
}

ipc_status ipc_region_check_user(const ipc_region *region, const ipc_file_facts *facts)
{
    const ipc_share *share = &region->share;
    if (!share->is_machine || share->access.kind == IPC_ACCESS_EVERYBODY)
        return IPC_OK;
    /* Only a member can give a file a group. */
    const bool is_welcome = is_ours(facts->user) ||
                            (share->access.kind == IPC_ACCESS_GROUP && facts->group == share->access.group) ||
                            (share->access.kind == IPC_ACCESS_USERS && is_listed(&share->access, facts->user));
    if (!is_welcome)
        return ipc_fail(IPC_E_ACCESS_DENIED,
                        "%s was made by user %u, whom this side (user %u) does not share it with: use the same access "
                        "on both sides, or another name",
                        region->path, facts->user, ipc_platform_user());
    if (facts->open_to_all && !share->takes_open)
        return ipc_fail(IPC_E_ACCESS_DENIED,
                        "%s is shared with everybody by user %u, and not so by this side: use the same access on both "
                        "sides",
                        region->path, facts->user);
    return IPC_OK;
}

bool ipc_share_admits(const ipc_share *share, uint32_t user)
{
    switch (share->access.kind) {
    case IPC_ACCESS_USER:
        return is_ours(user);
    case IPC_ACCESS_USERS:
        return is_ours(user) || is_listed(&share->access, user);
    default:
        return true;
    }
}

ipc_share ipc_share_with(const ipc_share *of, uint32_t user)
{
    ipc_share made = {.is_machine = of->is_machine};
    if (of->is_machine && user != ipc_platform_user()) {
        made.access.kind = IPC_ACCESS_USERS;
        made.access.user_count = 1;
        made.access.users[0] = user;
    }
    return made;
}

bool ipc_region_may_remove(const ipc_region *region)
{
    return !region->share.is_machine || region->user == ipc_platform_user() || ipc_platform_user() == 0;
}

ipc_status ipc_region_not_ours(const ipc_region *region, const char *what)
{
    return ipc_fail(IPC_E_ACCESS_DENIED, "%s %s and belongs to user %u: only that user or root can remove it",
                    region->path, what, region->user);
}
