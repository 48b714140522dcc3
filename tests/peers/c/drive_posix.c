/* drive: what only a system with fork and system calls to filter can do, and the walk over a region. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check_region.h"
#include "drive_parts.h"

/* A child by fork without exec: it inherits every descriptor, does nothing, and outlives us until it is killed. With raw=1 not even the
   library hears of it (fork handlers do not run), so it keeps the descriptors, and with them the locks. */
static void fork_idle(void)
{
    fflush(stdout);
    const pid_t child = drive_option_number("raw", 0) != 0 ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
    if (child == 0) {
        close(STDIN_FILENO);
        close(STDOUT_FILENO);
        close(STDERR_FILENO);
        for (;;)
            pause();
    }
    printf("%d pid=%d\n", child > 0 ? 0 : IPC_E_SYSTEM_ERROR, (int)child);
}

/* This process becomes another program, under its number; that ends with its input. */
static void become_cat(void)
{
    printf("0\n");
    fflush(stdout);
    execl("/bin/cat", "cat", (char *)NULL);
    _exit(127);
}

/* From now on this process gets no descriptor more. */
static ipc_status refuse_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return IPC_E_SYSTEM_ERROR;
    limit.rlim_cur = 0;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? IPC_OK : IPC_E_SYSTEM_ERROR;
}

/* From now on that system call fails with `error` on this thread, and on those that it starts, where the argument is that. */
static ipc_status refuse_call(uint32_t number, uint32_t argument, uint32_t value, uint32_t error)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, args[0]) + 8 * argument),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = sizeof filter / sizeof filter[0], .filter = filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0
               ? IPC_OK
               : IPC_E_SYSTEM_ERROR;
}

/* To fence for others (MEMBARRIER_CMD_GLOBAL_EXPEDITED). */
static ipc_status refuse_membarrier(void)
{
    return refuse_call(SYS_membarrier, 0, 2, EPERM);
}

/* To make pages by the mapping (MADV_POPULATE_WRITE), as before Linux 5.14. */
static ipc_status refuse_populate(void)
{
    return refuse_call(SYS_madvise, 2, 23, EINVAL);
}

/* check NAME busy|idle|empty: the walk over the whole region (check_region.h). Only the C peer has this. */
static void check(void)
{
    const char *depth = drive_word(2), *directory = getenv("IPC_DIR");
    char path[512], *text = NULL;
    size_t length = 0;
    FILE *to      = open_memstream(&text, &length);
    (void)snprintf(path, sizeof path, "%s/%s", directory != NULL ? directory : "", drive_word(1));
    const int complaints =
        check_region(path, strcmp(depth, "busy") == 0 ? CHECK_BUSY : strcmp(depth, "idle") == 0 ? CHECK_IDLE : CHECK_EMPTY, to);
    (void)fclose(to);
    for (size_t i = 0; i < length; i++)
        text[i] = text[i] == '\n' ? ';' : text[i];
    printf("%d complaints=%d | %s\n", complaints < 0 ? IPC_E_NOT_FOUND : complaints > 0 ? DRIVE_WRONG_CONTENT : 0, complaints, text);
    free(text);
}

bool drive_system(const char *command)
{
    if (strcmp(command, "fork-idle") == 0)
        fork_idle();
    else if (strcmp(command, "exec-cat") == 0)
        become_cat();
    else if (strcmp(command, "refuse-populate") == 0)
        drive_answer(refuse_populate());
    else if (strcmp(command, "refuse-descriptors") == 0 || strcmp(command, "refuse-membarrier") == 0)
        drive_answer(command[7] == 'd' ? refuse_descriptors() : refuse_membarrier());
    else if (strcmp(command, "check") == 0)
        check();
    else
        return false;
    return true;
}

volatile uint64_t *drive_open_side(const char *path)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, 4096) != 0)
        return NULL;
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return memory == MAP_FAILED ? NULL : memory;
}

void drive_await(const ipc_ready_handle *handle)
{
    (void)poll(&(struct pollfd){.fd = ipc_ready_handle_descriptor(handle), .events = POLLIN}, 1, -1);
}
