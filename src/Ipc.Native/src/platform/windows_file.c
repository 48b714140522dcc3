/* Files and their locks on Windows (docs/wire-format/windows.md sections 2, 3 and 4). */
#include "platform/error.h"
#include "platform/windows_api.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <winioctl.h>

#define ACCESS (GENERIC_READ | GENERIC_WRITE | DELETE)

/* Who opens a file alone, such as a virus scanner, does not need it for long. */
#define SHARING_TURNS    100
#define SHARING_PAUSE_MS 10

/* Who asks for a lock holds it for a moment. */
#define ASKING_TURNS 100

static HANDLE handle_of(ipc_file file)
{
    return (HANDLE)file;
}

static OVERLAPPED at(uint64_t offset)
{
    OVERLAPPED place;
    memset(&place, 0, sizeof place);
    place.Offset = (DWORD)offset;
    place.OffsetHigh = (DWORD)(offset >> 32);
    return place;
}

ipc_status ipc_platform_file_create(const char *directory, ipc_file *file, char *temporary, size_t temporary_size)
{
    wchar_t wide[IPC_WIDE_PATH_MAX];
    SECURITY_ATTRIBUTES security;
    uint64_t random;
    ipc_platform_random(&random, sizeof random);
    int length = snprintf(temporary, temporary_size, "%s/~tmp.%u.%016" PRIx64, directory, ipc_platform_pid(), random);
    ipc_status status = length < 0 || (size_t)length >= temporary_size
                            ? ipc_fail(IPC_E_INVALID_ARGUMENT, "the region directory's path is too long")
                            : ipc_windows_security(IPC_WINDOWS_FILE, &security);
    if (status == IPC_OK)
        status = ipc_windows_wide(temporary, wide, IPC_WIDE_PATH_MAX);
    HANDLE made = INVALID_HANDLE_VALUE;
    if (status == IPC_OK) {
        made = CreateFileW(wide, ACCESS, IPC_SHARE_ALL, &security, CREATE_NEW, FILE_ATTRIBUTE_TEMPORARY, NULL);
        if (made == INVALID_HANDLE_VALUE)
            status = ipc_fail_system((int)GetLastError(), "cannot create a file in %s", directory);
    }
    if (status != IPC_OK) {
        temporary[0] = '\0';
        return status;
    }
    *file = (ipc_file)made;
    return IPC_OK;
}

/* What is written has clusters behind it, also in a sparse file. */
static ipc_status write_zeroes(ipc_file file, uint64_t offset, uint64_t length)
{
    static const uint8_t zeroes[65536];
    for (uint64_t done = 0; done < length;) {
        const DWORD part = length - done < sizeof zeroes ? (DWORD)(length - done) : (DWORD)sizeof zeroes;
        OVERLAPPED place = at(offset + done);
        DWORD written = 0;
        if (!WriteFile(handle_of(file), zeroes, part, &written, &place) || written == 0)
            return ipc_fail_system((int)GetLastError(), "cannot reserve %" PRIu64 " bytes of shared memory", length);
        done += written;
    }
    return IPC_OK;
}

ipc_status ipc_platform_file_reserve(ipc_file file, uint64_t size, const ipc_file_range *reserved, size_t ranges)
{
    FILE_END_OF_FILE_INFO end;
    DWORD unused = 0;
    uint64_t present = 0;
    for (size_t i = 0; i < ranges; i++)
        present += reserved[i].length;
    const bool has_holes = present < size;
    /* Without it the file system reserves everything when the end is set. */
    const bool is_sparse =
        has_holes && DeviceIoControl(handle_of(file), FSCTL_SET_SPARSE, NULL, 0, NULL, 0, &unused, NULL) != 0;
    end.EndOfFile.QuadPart = (LONGLONG)size;
    if (!SetFileInformationByHandle(handle_of(file), FileEndOfFileInfo, &end, sizeof end))
        return ipc_fail_system((int)GetLastError(), "cannot make a file of %" PRIu64 " bytes", size);
    ipc_status status = IPC_OK;
    for (size_t i = 0; is_sparse && i < ranges && status == IPC_OK; i++)
        status = write_zeroes(file, reserved[i].offset, reserved[i].length);
    return status;
}

ipc_status ipc_platform_file_publish(ipc_file file, const char *temporary, const char *path)
{
    (void)temporary; /* the file knows */
    wchar_t wide[IPC_WIDE_PATH_MAX];
    ipc_status status = ipc_windows_wide(path, wide, IPC_WIDE_PATH_MAX);
    if (status == IPC_OK && !ipc_windows_rename(handle_of(file), wide))
        status = ipc_fail_system((int)GetLastError(), "cannot give a region its name %s", path);
    return status;
}

/* The file of a name that somebody has mapped cannot be replaced, only moved away first. */
ipc_status ipc_platform_file_replace(ipc_file file, const char *temporary, const char *between, const char *path)
{
    (void)file;
    (void)temporary;
    (void)between;
    return ipc_fail(IPC_E_INVALID_ARGUMENT, "%s is another server's, and Windows replaces no name in use", path);
}

bool ipc_platform_can_replace(void)
{
    return false;
}

static HANDLE open_shared(const wchar_t *wide)
{
    for (int turn = 0;; turn++) {
        HANDLE file = CreateFileW(wide, ACCESS, IPC_SHARE_ALL, NULL, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, NULL);
        if (file != INVALID_HANDLE_VALUE || GetLastError() != ERROR_SHARING_VIOLATION || turn >= SHARING_TURNS)
            return file;
        Sleep(SHARING_PAUSE_MS);
    }
}

static ipc_status check_file(HANDLE file, const char *path, uint64_t *size)
{
    FILE_ATTRIBUTE_TAG_INFO about;
    LARGE_INTEGER length;
    if (!GetFileInformationByHandleEx(file, FileAttributeTagInfo, &about, sizeof about) ||
        !GetFileSizeEx(file, &length))
        return ipc_fail_system((int)GetLastError(), "cannot look at %s", path);
    if (GetFileType(file) != FILE_TYPE_DISK ||
        (about.FileAttributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT)) != 0)
        return ipc_fail(IPC_E_CORRUPT, "%s is not a regular file", path);
    *size = (uint64_t)length.QuadPart;
    return ipc_windows_check_owner(file, path);
}

ipc_status ipc_platform_file_open(const char *path, bool is_own, ipc_file *file, ipc_file_facts *facts)
{
    (void)is_own; /* there are no others' here: ipc_platform_machine_directory */
    wchar_t wide[IPC_WIDE_PATH_MAX];
    ipc_status status = ipc_windows_wide(path, wide, IPC_WIDE_PATH_MAX);
    if (status != IPC_OK)
        return status;
    HANDLE opened = open_shared(wide);
    if (opened == INVALID_HANDLE_VALUE) {
        const DWORD error = GetLastError();
        const DWORD attributes = GetFileAttributesW(wide);
        if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0)
            return ipc_fail(IPC_E_CORRUPT, "%s is not a regular file", path);
        return ipc_fail_system((int)error, "cannot open %s", path);
    }
    facts->user = IPC_NO_USER;
    facts->group = IPC_NO_USER;
    facts->open_to_all = false;
    status = check_file(opened, path, &facts->size);
    if (status != IPC_OK) {
        (void)CloseHandle(opened);
        return status;
    }
    *file = (ipc_file)opened;
    return IPC_OK;
}

ipc_status ipc_platform_file_read(ipc_file file, uint64_t offset, void *buffer, size_t length)
{
    size_t done = 0;
    while (done < length) {
        OVERLAPPED place = at(offset + done);
        DWORD count = 0;
        const bool read = ReadFile(handle_of(file), (uint8_t *)buffer + done, (DWORD)(length - done), &count, &place);
        if (!read && GetLastError() != ERROR_HANDLE_EOF)
            return ipc_fail_system((int)GetLastError(), "cannot read a region's file");
        if (count == 0)
            return ipc_fail(IPC_E_CORRUPT, "a region ends %zu bytes behind %" PRIu64 ", where %zu were to be read",
                            done, offset, length);
        done += count;
    }
    return IPC_OK;
}

bool ipc_platform_file_is_named(ipc_file file, const char *path)
{
    wchar_t wide[IPC_WIDE_PATH_MAX];
    FILE_ID_INFO ours;
    FILE_ID_INFO named;
    if (ipc_windows_wide(path, wide, IPC_WIDE_PATH_MAX) != IPC_OK)
        return false;
    HANDLE other =
        CreateFileW(wide, FILE_READ_ATTRIBUTES, IPC_SHARE_ALL, NULL, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, NULL);
    if (other == INVALID_HANDLE_VALUE)
        return false;
    const bool same = GetFileInformationByHandleEx(handle_of(file), FileIdInfo, &ours, sizeof ours) &&
                      GetFileInformationByHandleEx(other, FileIdInfo, &named, sizeof named) &&
                      ours.VolumeSerialNumber == named.VolumeSerialNumber &&
                      memcmp(&ours.FileId, &named.FileId, sizeof ours.FileId) == 0;
    (void)CloseHandle(other);
    return same;
}

void ipc_platform_file_close(ipc_file file)
{
    if (file != IPC_NO_FILE)
        (void)CloseHandle(handle_of(file));
}

bool ipc_platform_populate_needs_file(void)
{
    return true;
}

ipc_status ipc_platform_populate(ipc_file file, void *base, uint64_t offset, uint64_t length)
{
    (void)base; /* what is written to the file is seen in its mappings */
    if (file == IPC_NO_FILE)
        return ipc_fail(IPC_E_INVALID_STATE, "a region whose file is closed cannot grow");
    return write_zeroes(file, offset, length);
}

bool ipc_platform_give_back_pages(void *base, uint64_t offset, uint64_t length)
{
    /* The system takes nothing away from a file that is mapped. For the accounts of a pool it is given back all the
       same: a budget full of blocks of one size would else refuse all others for as long as the file is there. */
    (void)base;
    (void)offset;
    (void)length;
    return true;
}

static ipc_status lock_byte(ipc_file file, uint64_t byte, DWORD how)
{
    OVERLAPPED place = at(byte);
    if (LockFileEx(handle_of(file), how | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &place))
        return IPC_OK;
    const DWORD error = GetLastError();
    if (error == ERROR_LOCK_VIOLATION || error == ERROR_IO_PENDING)
        return IPC_E_IN_USE;
    return ipc_fail_system((int)error, "cannot lock a byte of a region");
}

bool ipc_platform_lock_is_held(ipc_file file, uint64_t byte)
{
    /* Shared: others who ask do not stand in the way, and who holds it has it for itself. */
    if (lock_byte(file, byte, 0) != IPC_OK)
        return true; /* not knowing must never declare a living process dead */
    ipc_platform_unlock(file, byte);
    return false;
}

ipc_status ipc_platform_lock_try(ipc_file file, uint64_t byte)
{
    for (int turn = 0;; turn++) {
        ipc_status status = lock_byte(file, byte, LOCKFILE_EXCLUSIVE_LOCK);
        if (status != IPC_E_IN_USE || turn >= ASKING_TURNS || ipc_platform_lock_is_held(file, byte))
            return status;
        ipc_platform_yield();
    }
}

void ipc_platform_unlock(ipc_file file, uint64_t byte)
{
    OVERLAPPED place = at(byte);
    (void)UnlockFileEx(handle_of(file), 0, 1, 0, &place); /* closing the file does it as well */
}

/* Which process has a byte cannot be said by another lock: nobody could find it. The creation time of a process does
   not fit into a range, so nobody asks for one (docs/wire-format/windows.md section 4). */
ipc_status ipc_platform_range_lock_try(ipc_file file, uint64_t start, uint64_t length)
{
    (void)file;
    return ipc_fail(IPC_E_INVALID_ARGUMENT, "no range is locked here: %" PRIu64 " bytes at %" PRIu64, length, start);
}

void ipc_platform_range_unlock(ipc_file file, uint64_t start, uint64_t length)
{
    (void)file;
    (void)start;
    (void)length;
}

bool ipc_platform_range_find(ipc_file file, uint64_t start, uint64_t length, uint64_t *found, uint64_t *found_length)
{
    (void)file;
    (void)start;
    (void)length;
    *found = 0;
    *found_length = 0;
    return false;
}
