/*
 * Every mapping of this process.
 *
 * A child made by fork inherits descriptions and mappings that speak for its parent: a byte of a ring written by the
 * child would be written by a second writer, a lock released by it would be the parent's. So in the child, before fork
 * returns, every mapping is replaced by private zeroes, every descriptor closed, and every object told that it is
 * closed. (Closing does not release the parent's locks: they end with the last descriptor of the description.)
 *
 * A region is here before it has a file, and no fork comes between the opening and the note of it: a child that had a
 * descriptor without knowing would keep the region lock of a parent that is killed with it, for as long as it lives.
 */
#include "platform/error.h"
#include "regions/region.h"

#include <stdio.h>
#include <stdlib.h>

static ipc_mutex lock = IPC_MUTEX_INIT;
static ipc_region *regions;
static ipc_once fork_once = IPC_ONCE_INIT;

static void fork_prepare(void)
{
    ipc_mutex_lock(&lock);
}

static void fork_parent(void)
{
    ipc_mutex_unlock(&lock);
}

static void fork_child(void)
{
    for (ipc_region *region = regions; region != NULL; region = region->next) {
        region->forked = true;
        ipc_platform_map_nothing(region->base, region->geometry.total_size);
        ipc_platform_file_close(region->file);
        region->file = IPC_NO_FILE;
        ipc_mutex_init(&region->mutex); /* another thread of the parent may have held it */
        if (region->abandon != NULL)
            region->abandon(region->owner);
    }
    ipc_mutex_unlock(&lock);
}

static void prepare_fork(void)
{
    ipc_at_fork(fork_prepare, fork_parent, fork_child);
}

void ipc_region_hold_forks(void)
{
    ipc_mutex_lock(&lock);
}

void ipc_region_let_fork(void)
{
    ipc_mutex_unlock(&lock);
}

void ipc_region_at_fork(ipc_region *region, void (*abandon)(void *owner), void *owner)
{
    ipc_mutex_lock(&lock);
    region->abandon = abandon;
    region->owner = owner;
    ipc_mutex_unlock(&lock);
}

static void enlist(ipc_region *region)
{
    ipc_once_run(&fork_once, prepare_fork);
    ipc_mutex_lock(&lock);
    region->next = regions;
    region->previous = &regions;
    if (regions != NULL)
        regions->previous = &region->next;
    regions = region;
    ipc_mutex_unlock(&lock);
}

/* Under the lock. */
static void strike_off(ipc_region *region)
{
    *region->previous = region->next;
    if (region->next != NULL)
        region->next->previous = region->previous;
}

ipc_status ipc_region_allocate(const ipc_region_kind *kind, void *owner, const char *path, ipc_region **region)
{
    ipc_region *made = calloc(1, sizeof *made);
    if (made == NULL)
        return ipc_fail(IPC_E_NO_MEMORY, "no memory for a region's handle");
    made->kind = kind;
    made->owner = owner;
    made->file = IPC_NO_FILE;
    made->index = IPC_NO_PARTICIPANT;
    ipc_mutex_init(&made->mutex);
    (void)snprintf(made->path, sizeof made->path, "%s", path);
    enlist(made);
    *region = made;
    return IPC_OK;
}

ipc_status ipc_region_map(ipc_region *region)
{
    void *base = NULL;
    ipc_region_hold_forks();
    ipc_status status = ipc_platform_map(region->file, region->geometry.total_size, region->path,
                                         region->geometry.region_id, &base);
    region->base = base;
    ipc_region_let_fork();
    return status;
}

void ipc_region_close_file(ipc_region *region)
{
    ipc_mutex_lock(&lock); /* a child that is being made closes it too */
    ipc_platform_file_close(region->file);
    region->file = IPC_NO_FILE;
    ipc_mutex_unlock(&lock);
}

static _Thread_local bool keeps_memory;

void ipc_keep_mapped(int keep)
{
    keeps_memory = keep != 0;
}

bool ipc_region_keeps_memory(void)
{
    return keeps_memory;
}

void ipc_region_discard(ipc_region *region)
{
    if (region == NULL)
        return;
    ipc_mutex_lock(&lock);
    strike_off(region);
    const bool keeps = keeps_memory && !region->forked;
    if (keeps) /* who still has a claim may write: into what is given to others by now */
        ipc_platform_make_private(region->file, region->base, region->geometry.total_size);
    ipc_platform_file_close(region->file); /* at once: a child that is made now knows of none */
    ipc_mutex_unlock(&lock);
    if (!keeps)
        ipc_platform_unmap(region->base, region->geometry.total_size);
    if (region->temporary[0] != '\0' && !region->forked)
        (void)ipc_platform_file_unlink(region->temporary);
    ipc_mutex_destroy(&region->mutex);
    free(region);
}
