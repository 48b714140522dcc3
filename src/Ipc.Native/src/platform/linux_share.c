/* With whom a file is shared: the machine directory, modes, groups and lists (docs/wire-format.md section 1). */
#define _GNU_SOURCE
#include "platform/error.h"
#include "platform/platform.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* ---- the directory ----------------------------------------------------------------------------------- */

#define MACHINE_DIRECTORY "/dev/shm/ipc-machine"
#define MACHINE_MODE      01777u /* who has no right to a file can neither remove nor rename it */
#define BY_OTHERS         022u

/* Under another name until its mode is right: nobody finds it half-made, whatever the umask, wherever we are killed. */
static ipc_status make_directory(const char *wanted)
{
    char made[IPC_PATH_MAX];
    uint64_t random;
    ipc_platform_random(&random, sizeof random);
    const int length = snprintf(made, sizeof made, "%s~%016" PRIx64, wanted, random);
    if (length < 0 || (size_t)length >= sizeof made)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "IPC_MACHINE_DIR is too long");
    if (mkdir(made, 0700) != 0)
        return ipc_fail_system(errno, "cannot create the machine directory %s", wanted);
    if (chmod(made, MACHINE_MODE) == 0 && rename(made, wanted) == 0)
        return IPC_OK;
    const int error = errno;
    (void)rmdir(made);
    if (error == EEXIST || error == ENOTEMPTY || error == EPERM || error == EACCES || error == ENOTDIR)
        return IPC_OK; /* somebody has been faster; what it is like is looked at next */
    return ipc_fail_system(error, "cannot create the machine directory %s", wanted);
}

/* Who owns the directory can rename and remove what others have in it. Root lets nobody but itself. */
static ipc_status take_over(const char *wanted)
{
    const int fd = open(wanted, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return ipc_fail_system(errno, "cannot open the machine directory %s", wanted);
    ipc_status status = IPC_OK;
    if (fchown(fd, 0, 0) != 0 || fchmod(fd, MACHINE_MODE) != 0)
        status =
            ipc_fail_system(errno, "the machine directory %s belongs to another user and cannot be taken over", wanted);
    (void)close(fd);
    return status;
}

static ipc_status check_directory(const char *wanted, const struct stat *status)
{
    const unsigned mode = (unsigned)status->st_mode;
    if (!S_ISDIR(status->st_mode))
        return ipc_fail(IPC_E_ACCESS_DENIED, "%s is not a directory: it must be one, with mode 1777", wanted);
    if ((mode & BY_OTHERS) != 0 && (mode & S_ISVTX) == 0)
        return ipc_fail(IPC_E_ACCESS_DENIED,
                        "%s has mode %04o: others than its owner can write there, so it must have the sticky bit "
                        "(1777)",
                        wanted, mode & 07777u);
    if ((mode & S_IWOTH) != 0 && (mode & S_ISGID) != 0)
        return ipc_fail(IPC_E_ACCESS_DENIED,
                        "%s has mode %04o: it would give its group to the files of everybody (set-gid)", wanted,
                        mode & 07777u);
    return IPC_OK;
}

ipc_status ipc_platform_machine_directory(char *path, size_t size)
{
    const char *chosen = secure_getenv("IPC_MACHINE_DIR");
    const bool is_default = chosen == NULL || chosen[0] == '\0';
    const char *wanted = is_default ? MACHINE_DIRECTORY : chosen;
    struct stat status;
    if (strlen(wanted) + 140 > size)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "IPC_MACHINE_DIR is too long (%zu characters)", strlen(wanted));
    if (lstat(wanted, &status) != 0) {
        ipc_status made = errno == ENOENT ? make_directory(wanted) : IPC_OK;
        if (made != IPC_OK)
            return made;
        if (lstat(wanted, &status) != 0)
            return ipc_fail_system(errno, "cannot look at the machine directory %s", wanted);
    }
    if (is_default && geteuid() == 0 && status.st_uid != 0 && S_ISDIR(status.st_mode)) {
        ipc_status taken = take_over(wanted);
        if (taken != IPC_OK)
            return taken;
        if (lstat(wanted, &status) != 0 || status.st_uid != 0)
            return ipc_fail(IPC_E_ACCESS_DENIED, "the machine directory %s was exchanged while it was taken over",
                            wanted);
    }
    ipc_status checked = check_directory(wanted, &status);
    if (checked != IPC_OK)
        return checked;
    char *absolute = realpath(wanted, NULL); /* the program may change its directory later */
    if (absolute == NULL)
        return ipc_fail_system(errno, "cannot resolve the machine directory %s", wanted);
    const int written = snprintf(path, size, "%s", absolute);
    free(absolute);
    if (written < 0 || (size_t)written + 140 > size)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "the machine directory's path is too long (%d characters)", written);
    return IPC_OK;
}

/* ---- lists ------------------------------------------------------------------------------------------- */

/* A POSIX ACL as the kernel keeps it (linux/posix_acl_xattr.h); both processors that we have are little-endian. */
#define ACL_NAME    "system.posix_acl_access"
#define ACL_VERSION 2u
#define ACL_NOBODY  UINT32_MAX
#define ACL_RW      6u
enum { ACL_OWNER = 1, ACL_USER = 2, ACL_OWNING_GROUP = 4, ACL_GROUP = 8, ACL_MASK = 16, ACL_OTHERS = 32 };

typedef struct acl_entry {
    uint16_t tag;
    uint16_t rights;
    uint32_t id;
} acl_entry;

typedef struct acl {
    uint32_t version;
    acl_entry entries[IPC_ACCESS_USERS_MAX + 4];
} acl;

static ipc_status share_with_users(int fd, const ipc_access *access)
{
    acl list = {.version = ACL_VERSION};
    uint32_t count = 0;
    list.entries[count++] = (acl_entry){ACL_OWNER, ACL_RW, ACL_NOBODY};
    for (uint32_t i = 0; i < access->user_count; i++)
        list.entries[count++] = (acl_entry){ACL_USER, ACL_RW, access->users[i]};
    list.entries[count++] = (acl_entry){ACL_OWNING_GROUP, 0, ACL_NOBODY};
    list.entries[count++] = (acl_entry){ACL_MASK, ACL_RW, ACL_NOBODY};
    list.entries[count++] = (acl_entry){ACL_OTHERS, 0, ACL_NOBODY};
    if (fsetxattr(fd, ACL_NAME, &list, sizeof list.version + count * sizeof(acl_entry), 0) == 0)
        return IPC_OK;
    return ipc_fail_system(errno, "cannot share a file with a list of users: that needs a file system with POSIX ACLs");
}

bool ipc_platform_file_is_private(ipc_file file, uint32_t user)
{
    struct stat status;
    acl list;
    if (fstat((int)file, &status) != 0 || (status.st_mode & S_IRWXO) != 0)
        return false;
    if ((status.st_mode & S_IRWXG) == 0)
        return true;
    const ssize_t length = fgetxattr((int)file, ACL_NAME, &list, sizeof list); /* too long a list is none for one user */
    if (length < (ssize_t)sizeof list.version || list.version != ACL_VERSION)
        return false; /* the bits are those of the group */
    const size_t count = ((size_t)length - sizeof list.version) / sizeof(acl_entry);
    for (size_t i = 0; i < count; i++) {
        const acl_entry *entry = &list.entries[i];
        const bool is_of_two = entry->tag == ACL_OWNER || entry->tag == ACL_MASK ||
                               (entry->tag == ACL_USER && entry->id == user);
        if (!is_of_two && entry->rights != 0)
            return false;
    }
    return true;
}

/* ---- files ------------------------------------------------------------------------------------------- */

ipc_status ipc_platform_file_share(ipc_file file, const ipc_access *access)
{
    const int fd = (int)file;
    switch (access->kind) {
    case IPC_ACCESS_USER:
        return IPC_OK;
    case IPC_ACCESS_GROUP:
        if (fchown(fd, (uid_t)-1, (gid_t)access->group) != 0)
            return ipc_fail_system(errno, "cannot share a file with group %u: this user is not in it",
                                   access->group);
        break;
    case IPC_ACCESS_USERS:
        return share_with_users(fd, access);
    case IPC_ACCESS_EVERYBODY:
        break;
    }
    if (fchmod(fd, access->kind == IPC_ACCESS_GROUP ? 0660 : 0666) != 0)
        return ipc_fail_system(errno, "cannot set the mode of a file");
    return IPC_OK;
}

uint32_t ipc_platform_file_user(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISREG(status.st_mode) ? (uint32_t)status.st_uid : IPC_NO_USER;
}

void ipc_platform_files_in(const char *directory, bool (*found)(void *context, const char *name), void *context)
{
    DIR *opened = opendir(directory);
    if (opened == NULL)
        return;
    const struct dirent *entry;
    while ((entry = readdir(opened)) != NULL && found(context, entry->d_name))
        continue;
    (void)closedir(opened);
}
