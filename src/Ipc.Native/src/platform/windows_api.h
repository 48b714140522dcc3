/* What the Windows half of the platform shares: windows.h, paths as the system wants them, descriptors, mappings. */
#ifndef IPC_WINDOWS_API_H
#define IPC_WINDOWS_API_H

#include "platform/platform.h"

#define WIN32_LEAN_AND_MEAN
#define NOMINMAX

#include <windows.h>

#define IPC_WIDE_PATH_MAX (IPC_PATH_MAX + 64)
#define IPC_SHARE_ALL     (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

/* windows_path.c */
/* "C:/a/b" in UTF-8 becomes L"\\?\C:\a\b", a form in which no length and no name is special. */
ipc_status ipc_windows_wide(const char *path, wchar_t *wide, size_t size);
/* The folder of a path, up to its last '/'. */
void ipc_windows_folder(const char *path, char *folder, size_t size);

/* windows_security.c */
typedef enum ipc_windows_object { IPC_WINDOWS_FILE, IPC_WINDOWS_DIRECTORY, IPC_WINDOWS_EVENT } ipc_windows_object;
/* The descriptor of what is made here: this user owns it, and is the only one who is admitted. */
ipc_status ipc_windows_security(ipc_windows_object object, SECURITY_ATTRIBUTES *attributes);
/* IPC_E_ACCESS_DENIED: it belongs to somebody else. */
ipc_status ipc_windows_check_owner(HANDLE file, const char *path);

/* windows_remove.c */
/* Replaces nothing. False: GetLastError says why. */
bool ipc_windows_rename(HANDLE file, const wchar_t *to);
/* Deletes what has the dead name of that file, if it can be deleted by now. */
void ipc_windows_bury(const char *folder, const FILE_ID_INFO *id);
/* Deletes what processes that were killed have left in the folder. */
void ipc_windows_sweep(const char *folder);

/* windows_places.c */
typedef struct ipc_windows_mapping ipc_windows_mapping;
ipc_windows_mapping *ipc_windows_mapping_create(const char *path, const uint8_t region_id[16], HANDLE file);
/* Deletes the file, if that is dead: after it was unmapped. */
void ipc_windows_mapping_destroy(ipc_windows_mapping *mapping);
ipc_status ipc_windows_mapping_enlist(ipc_windows_mapping *mapping, void *base, uint64_t size);
ipc_windows_mapping *ipc_windows_mapping_strike_off(const void *base); /* NULL: it is none */

#endif
