/* Files, mappings and open-file-description locks on Linux. */
#define _GNU_SOURCE
#include "platform/error.h"
#include "platform/fault.h"
#include "platform/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int descriptor(ipc_file file)
{
    return (int)file;
}

bool ipc_platform_name_is_reserved(const char *name)
{
    (void)name;
    return false;
}

ipc_status ipc_platform_directory(char *path, size_t size)
{
    const char *chosen = secure_getenv("IPC_DIR"); /* not in a program with more rights than who started it */
    const bool is_default = chosen == NULL || chosen[0] == '\0';
    char wanted[IPC_PATH_MAX];
    int length = is_default ? snprintf(wanted, sizeof wanted, "/dev/shm/ipc-%u", (unsigned)geteuid())
                            : snprintf(wanted, sizeof wanted, "%s", chosen);
    /* room for '/', a name of 120 characters and a connection's suffix of 17 */
    if (length < 0 || (size_t)length + 140 > sizeof wanted)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "IPC_DIR is too long (%d characters, at most %d)", length,
                        IPC_PATH_MAX - 140);
    if (mkdir(wanted, 0700) != 0 && errno != EEXIST)
        return ipc_fail_system(
            errno, "cannot create the region directory %s: set IPC_DIR to one that this user may write", wanted);

    struct stat status;
    if (lstat(wanted, &status) != 0)
        return ipc_fail_system(errno, "cannot look at the region directory %s", wanted);
    if (is_default && status.st_uid != geteuid())
        return ipc_fail(
            IPC_E_ACCESS_DENIED,
            "%s belongs to user %u, this is user %u: somebody else has made it, and only that user or root can "
            "remove it. Tell them, or set IPC_DIR to a directory of your own for all programs that are to meet",
            wanted, (unsigned)status.st_uid, (unsigned)geteuid());
    if (is_default && (!S_ISDIR(status.st_mode) || (status.st_mode & 077) != 0))
        return ipc_fail(IPC_E_ACCESS_DENIED,
                        "%s must be a directory of user %u with mode 0700; it has owner %u and mode %04o: remove it",
                        wanted, (unsigned)geteuid(), (unsigned)status.st_uid, (unsigned)status.st_mode & 07777u);

    char *absolute = realpath(wanted, NULL); /* the program may change its directory later */
    if (absolute == NULL)
        return ipc_fail_system(errno, "cannot resolve the region directory %s", wanted);
    int written = snprintf(path, size, "%s", absolute);
    free(absolute);
    if (written < 0 || (size_t)written + 140 > size)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "the region directory's path is too long (%d characters)", written);
    return IPC_OK;
}

static ipc_status reserve_range(ipc_file file, uint64_t offset, uint64_t length)
{
    int error;
    do {
        error = length == 0 ? 0 : posix_fallocate(descriptor(file), (off_t)offset, (off_t)length);
    } while (error == EINTR);
    if (error != 0)
        return ipc_fail_system(
            error, "cannot reserve %" PRIu64 " bytes of shared memory: free some, or ask for a smaller capacity",
            length);
    return IPC_OK;
}

ipc_status ipc_platform_file_reserve(ipc_file file, uint64_t size, const ipc_file_range *reserved, size_t ranges)
{
    if (ftruncate(descriptor(file), (off_t)size) != 0)
        return ipc_fail_system(errno, "cannot make a file of %" PRIu64 " bytes", size);
    for (size_t i = 0; i < ranges; i++) {
        ipc_status status = reserve_range(file, reserved[i].offset, reserved[i].length);
        if (status != IPC_OK)
            return status;
    }
    return IPC_OK;
}

ipc_status ipc_platform_file_create(const char *directory, ipc_file *file, char *temporary, size_t temporary_size)
{
    temporary[0] = '\0';
    int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
        uint64_t random;
        ipc_platform_random(&random, sizeof random);
        int length =
            snprintf(temporary, temporary_size, "%s/~tmp.%u.%016" PRIx64, directory, ipc_platform_pid(), random);
        if (length < 0 || (size_t)length >= temporary_size) {
            temporary[0] = '\0';
            return ipc_fail(IPC_E_INVALID_ARGUMENT, "the region directory's path is too long");
        }
        fd = open(temporary, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
    }
    if (fd < 0) {
        const int error = errno;
        temporary[0] = '\0';
        return ipc_fail_system(error, "cannot create a file in %s", directory);
    }
    *file = fd;
    return IPC_OK;
}

ipc_status ipc_platform_file_publish(ipc_file file, const char *temporary, const char *path)
{
    char self[64];
    const char *source = temporary;
    if (temporary[0] == '\0') {
        (void)snprintf(self, sizeof self, "/proc/self/fd/%d", descriptor(file));
        source = self;
    }
    if (linkat(AT_FDCWD, source, AT_FDCWD, path, AT_SYMLINK_FOLLOW) != 0)
        return ipc_fail_system(errno, "cannot give a region its name %s", path);
    if (temporary[0] != '\0')
        (void)unlink(temporary);
    return IPC_OK;
}

ipc_status ipc_platform_file_replace(ipc_file file, const char *temporary, const char *between, const char *path)
{
    const char *named = temporary;
    if (temporary[0] == '\0') {
        char self[64];
        (void)snprintf(self, sizeof self, "/proc/self/fd/%d", descriptor(file));
        (void)unlink(between);
        if (linkat(AT_FDCWD, self, AT_FDCWD, between, AT_SYMLINK_FOLLOW) != 0)
            return ipc_fail_system(errno, "cannot give a region its name %s", between);
        named = between;
    }
    IPC_FAULT_POINT("listener.follow.linked");
    if (rename(named, path) != 0) {
        const int error = errno;
        (void)unlink(between);
        return ipc_fail_system(error, "cannot give a region the name %s, which another one has", path);
    }
    return IPC_OK;
}

bool ipc_platform_can_replace(void)
{
    return true;
}

/* Whose it is, both numbers: who is refused by the mode of a file learns as much as who is refused by us. */
#define BELONGS_TO "%s belongs to user %u, this is user %u: set IPC_DIR to a directory of your own, or use another name"

static ipc_status cannot_open(const char *path, bool is_own, int error)
{
    struct stat status;
    if ((error == EACCES || error == EPERM) && lstat(path, &status) == 0 && status.st_uid != geteuid())
        return is_own ? ipc_fail_system(error, BELONGS_TO, path, (unsigned)status.st_uid, (unsigned)geteuid())
                      : ipc_fail_system(error, "%s belongs to user %u, who does not share it with this user, %u", path,
                                        (unsigned)status.st_uid, (unsigned)geteuid());
    return ipc_fail_system(error, "cannot open %s", path);
}

ipc_status ipc_platform_file_open(const char *path, bool is_own, ipc_file *file, ipc_file_facts *facts)
{
    /* O_NONBLOCK: a pipe of that name must not hold us up */
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        if (errno == ELOOP || errno == ENXIO || errno == EISDIR)
            return ipc_fail(IPC_E_CORRUPT,
                            "%s is not a regular file, so it is not a region: remove it, or use another name", path);
        return cannot_open(path, is_own, errno);
    }
    struct stat status;
    ipc_status result = IPC_OK;
    if (fstat(fd, &status) != 0)
        result = ipc_fail_system(errno, "cannot look at %s", path);
    else if (!S_ISREG(status.st_mode))
        result = ipc_fail(IPC_E_CORRUPT,
                          "%s is not a regular file, so it is not a region: remove it, or use another name", path);
    else if (is_own && status.st_uid != geteuid())
        result = ipc_fail(IPC_E_ACCESS_DENIED, BELONGS_TO, path, (unsigned)status.st_uid, (unsigned)geteuid());
    if (result != IPC_OK) {
        (void)close(fd);
        return result;
    }
    facts->size = (uint64_t)status.st_size;
    facts->user = (uint32_t)status.st_uid;
    facts->group = (uint32_t)status.st_gid;
    facts->open_to_all = (status.st_mode & S_IWOTH) != 0;
    *file = fd;
    return IPC_OK;
}

ipc_status ipc_platform_file_read(ipc_file file, uint64_t offset, void *buffer, size_t length)
{
    size_t done = 0;
    while (done < length) {
        ssize_t count = pread(descriptor(file), (char *)buffer + done, length - done, (off_t)(offset + done));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return ipc_fail_system(errno, "cannot read a region's file");
        if (count == 0)
            return ipc_fail(IPC_E_CORRUPT, "a region ends %zu bytes behind %llu, where %zu were to be read", done,
                            (unsigned long long)offset, length);
        done += (size_t)count;
    }
    return IPC_OK;
}

bool ipc_platform_file_is_named(ipc_file file, const char *path)
{
    struct stat ours;
    struct stat named;
    return fstat(descriptor(file), &ours) == 0 && lstat(path, &named) == 0 && ours.st_dev == named.st_dev &&
           ours.st_ino == named.st_ino;
}

bool ipc_platform_file_unlink(const char *path)
{
    return unlink(path) == 0 || errno == ENOENT; /* gone already is as good */
}

void ipc_platform_file_close(ipc_file file)
{
    if (file != IPC_NO_FILE)
        (void)close(descriptor(file));
}

ipc_status ipc_platform_map(ipc_file file, uint64_t size, const char *path, const uint8_t region_id[16], void **base)
{
    (void)path; /* a futex knows its page */
    (void)region_id;
    void *address = MAP_FAILED;
    if (size > SIZE_MAX)
        errno = ENOMEM; /* more than a process of 32 bits has altogether */
    else
        address = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor(file), 0);
    if (address == MAP_FAILED && errno == ENOMEM && sizeof(void *) == 4)
        return ipc_fail(IPC_E_NO_MEMORY,
                        "this process of 32 bits has no %" PRIu64
                        " bytes of addresses in a row: whoever creates the region needs a smaller loan budget",
                        size);
    if (address == MAP_FAILED)
        return ipc_fail_system(errno, "cannot map %" PRIu64 " bytes of shared memory", size);
    *base = address;
    return IPC_OK;
}

void ipc_platform_unmap(void *base, uint64_t size)
{
    if (base != NULL)
        (void)munmap(base, (size_t)size);
}

void ipc_platform_make_private(ipc_file file, void *base, uint64_t size)
{
    if (base != NULL && file != IPC_NO_FILE)
        (void)mmap(base, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE,
                   descriptor(file), 0);
}

void ipc_platform_map_nothing(void *base, uint64_t size)
{
    if (base != NULL)
        (void)mmap(base, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE,
                   -1, 0);
}

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

static uintptr_t page_size(void)
{
    return (uintptr_t)sysconf(_SC_PAGESIZE);
}

/* Asked of a page of our own, once: of no bytes some systems say yes to whatever they do not know. */
bool ipc_platform_populate_needs_file(void)
{
    static ipc_atomic32 known; /* 0: not yet; 1: no; 2: yes. Two that ask at once find the same */
    if (ipc_load_relaxed32(&known) == 0) {
        const uintptr_t page = page_size();
        void *place = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (place == MAP_FAILED)
            return false; /* short of memory: no answer */
        ipc_store_relaxed32(&known, madvise(place, page, MADV_POPULATE_WRITE) == 0 || errno == ENOMEM ? 1 : 2);
        (void)munmap(place, page);
    }
    return ipc_load_relaxed32(&known) == 2;
}

ipc_status ipc_platform_populate(ipc_file file, void *base, uint64_t offset, uint64_t length)
{
    /* Outward to the system's pages: what lies beside is present twice then, which is the same as once. */
    const uintptr_t page = page_size();
    const uintptr_t from = ((uintptr_t)base + (uintptr_t)offset) & ~(page - 1);
    const uintptr_t to = ((uintptr_t)base + (uintptr_t)(offset + length) + page - 1) & ~(page - 1);
    int result;
    do {
        result = madvise((void *)from, to - from, MADV_POPULATE_WRITE);
    } while (result != 0 && (errno == EINTR || errno == EAGAIN));
    if (result == 0)
        return IPC_OK;
    const int error = errno;
    /* EFAULT: the fault of a page, for which the file system found no room */
    const bool is_short = error == EFAULT || error == ENOMEM || error == ENOSPC;
    if (!is_short && file != IPC_NO_FILE)
        return reserve_range(file, offset, length);
    return ipc_fail_system(is_short ? ENOSPC : error, "cannot make %" PRIu64 " bytes of shared memory present", length);
}

#define MOST_TOUCHED (4u << 20)

void ipc_platform_touch(void *start, uint64_t length)
{
    const uintptr_t from = (uintptr_t)start & ~(page_size() - 1);
    const uintptr_t to = (uintptr_t)start + (uintptr_t)(length < MOST_TOUCHED ? length : MOST_TOUCHED);
    (void)madvise((void *)from, to - from, MADV_POPULATE_WRITE);
}

bool ipc_platform_give_back_pages(void *base, uint64_t offset, uint64_t length)
{
    /* Inward: a page that is also somebody else's stays. */
    const uintptr_t page = page_size();
    const uintptr_t from = ((uintptr_t)base + (uintptr_t)offset + page - 1) & ~(page - 1);
    const uintptr_t to = ((uintptr_t)base + (uintptr_t)(offset + length)) & ~(page - 1);
    return from >= to || madvise((void *)from, to - from, MADV_REMOVE) == 0;
}

static struct flock bytes_of(short type, uint64_t start, uint64_t length)
{
    struct flock lock;
    memset(&lock, 0, sizeof lock); /* l_pid must be 0 for these locks */
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = (off_t)start;
    lock.l_len = (off_t)length;
    return lock;
}

ipc_status ipc_platform_range_lock_try(ipc_file file, uint64_t start, uint64_t length)
{
    struct flock lock = bytes_of(F_WRLCK, start, length);
    if (fcntl(descriptor(file), F_OFD_SETLK, &lock) == 0)
        return IPC_OK;
    if (errno == EAGAIN || errno == EACCES)
        return IPC_E_IN_USE;
    return ipc_fail_system(errno, "cannot lock a byte of a region");
}

void ipc_platform_range_unlock(ipc_file file, uint64_t start, uint64_t length)
{
    struct flock lock = bytes_of(F_UNLCK, start, length);
    (void)fcntl(descriptor(file), F_OFD_SETLK, &lock); /* closing the file does it as well */
}

bool ipc_platform_range_find(ipc_file file, uint64_t start, uint64_t length, uint64_t *found, uint64_t *found_length)
{
    struct flock lock = bytes_of(F_WRLCK, start, length);
    if (fcntl(descriptor(file), F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK)
        return false;
    const uint64_t first = (uint64_t)lock.l_start;
    const uint64_t end = lock.l_len == 0 ? UINT64_MAX : first + (uint64_t)lock.l_len; /* 0: to the end of all files */
    *found = first < start ? start : first;
    *found_length = (end < start + length ? end : start + length) - *found;
    return true;
}

ipc_status ipc_platform_lock_try(ipc_file file, uint64_t byte)
{
    return ipc_platform_range_lock_try(file, byte, 1);
}

void ipc_platform_unlock(ipc_file file, uint64_t byte)
{
    ipc_platform_range_unlock(file, byte, 1);
}

bool ipc_platform_lock_is_held(ipc_file file, uint64_t byte)
{
    struct flock lock = bytes_of(F_WRLCK, byte, 1);
    if (fcntl(descriptor(file), F_OFD_GETLK, &lock) != 0)
        return true; /* not knowing must never declare a living process dead */
    return lock.l_type != F_UNLCK;
}
