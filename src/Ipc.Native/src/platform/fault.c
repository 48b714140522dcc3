#include "platform/fault.h"

#ifdef IPC_FAULT_POINTS

#include "atomic.h"
#include "platform/platform.h"

#include <stdlib.h>
#include <string.h>

static char chosen[64];
static bool stops;
static ipc_atomic32 passes_left;
static ipc_once read_once = IPC_ONCE_INIT;

static void read_environment(void)
{
    const char *fault = getenv("IPC_FAULT");
    const char *action = getenv("IPC_FAULT_ACTION");
    if (fault == NULL)
        return;

    size_t length = strcspn(fault, ":");
    if (length >= sizeof chosen)
        return;
    memcpy(chosen, fault, length);
    unsigned long passes = fault[length] == ':' ? strtoul(fault + length + 1, NULL, 10) : 1;
    ipc_store_relaxed32(&passes_left, passes == 0 ? 1 : (uint32_t)passes);
    stops = action != NULL && strcmp(action, "stop") == 0;
}

void ipc_fault_point(const char *name)
{
    ipc_once_run(&read_once, read_environment);
    if (chosen[0] == '\0' || strcmp(name, chosen) != 0)
        return;
    if (ipc_add32(&passes_left, UINT32_MAX) == 1)
        ipc_platform_end_self(stops);
}

#else
typedef int ipc_fault_points_are_off; /* ISO C wants a declaration in every file */
#endif
