/* Mappings on Windows. */
#include "platform/error.h"
#include "platform/windows_api.h"

#include <inttypes.h>

static void *map_view(ipc_file file, uint64_t size, DWORD access, void *where)
{
    HANDLE section = CreateFileMappingW((HANDLE)file, NULL, PAGE_READWRITE, (DWORD)(size >> 32), (DWORD)size, NULL);
    if (section == NULL)
        return NULL;
    void *base = MapViewOfFileEx(section, access, 0, 0, (SIZE_T)size, where);
    const DWORD error = GetLastError();
    (void)CloseHandle(section); /* the view keeps it */
    SetLastError(error);
    return base;
}

ipc_status ipc_platform_map(ipc_file file, uint64_t size, const char *path, const uint8_t region_id[16], void **base)
{
    if (size > SIZE_MAX)
        return ipc_fail(IPC_E_NO_MEMORY,
                        "this process of 32 bits has no %" PRIu64
                        " bytes of addresses in a row: whoever creates the region needs a smaller loan budget",
                        size);
    ipc_windows_mapping *mapping = ipc_windows_mapping_create(path, region_id, (HANDLE)file);
    if (mapping == NULL)
        return ipc_fail(IPC_E_NO_MEMORY, "no memory for a mapping");
    void *address = map_view(file, size, FILE_MAP_READ | FILE_MAP_WRITE, NULL);
    ipc_status status = address != NULL
                            ? ipc_windows_mapping_enlist(mapping, address, size)
                            : ipc_fail_system((int)GetLastError(), "cannot map %" PRIu64 " bytes of shared memory", size);
    if (status != IPC_OK) {
        if (address != NULL)
            (void)UnmapViewOfFile(address);
        ipc_windows_mapping_destroy(mapping);
        return status;
    }
    *base = address;
    return IPC_OK;
}

void ipc_platform_unmap(void *base, uint64_t size)
{
    (void)size;
    if (base == NULL)
        return;
    ipc_windows_mapping *mapping = ipc_windows_mapping_strike_off(base);
    (void)UnmapViewOfFile(base);
    ipc_windows_mapping_destroy(mapping);
}

void ipc_platform_make_private(ipc_file file, void *base, uint64_t size)
{
    if (base == NULL || file == IPC_NO_FILE)
        return;
    ipc_windows_mapping *mapping = ipc_windows_mapping_strike_off(base);
    /* Windows has no way to do this in one step: who writes there in between is killed by it, as it would have been by
       what it must not do in the first place, once the memory were gone. */
    (void)UnmapViewOfFile(base);
    if (map_view(file, size, FILE_MAP_COPY, base) == NULL) /* no room to promise for the copy */
        (void)map_view(file, size, FILE_MAP_READ, base);
    ipc_windows_mapping_destroy(mapping);
}

void ipc_platform_map_nothing(void *base, uint64_t size)
{
    if (base == NULL)
        return;
    (void)ipc_windows_mapping_strike_off(base); /* there is no fork here: nobody comes */
    (void)UnmapViewOfFile(base);
    (void)VirtualAlloc(base, (SIZE_T)size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

/* A fault enters several pages at a time here; there is no call that does it for a range. */
void ipc_platform_touch(void *start, uint64_t length)
{
    (void)start;
    (void)length;
}
