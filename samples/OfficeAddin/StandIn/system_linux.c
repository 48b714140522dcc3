#include "system.h"

#include "checks.h"

#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { START_MS = 60000 };

void system_arguments(int *count, char ***arguments)
{
    (void)count;
    (void)arguments;
}

double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

void pause_ms(unsigned milliseconds)
{
    usleep(milliseconds * 1000);
}

void thread_start(struct thread *thread, void *(*function)(void *), void *argument)
{
    pthread_t id;
    if (pthread_create(&id, NULL, function, argument) != 0)
        give_up("no thread");
    thread->id = (uintptr_t)id;
}

void thread_join(const struct thread *thread)
{
    pthread_join((pthread_t)thread->id, NULL);
}

uintptr_t thread_self(void)
{
    return (uintptr_t)pthread_self();
}

int process_threads(void)
{
    char line[256];
    int count = -1;
    FILE *status = fopen("/proc/self/status", "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL && sscanf(line, "Threads: %d", &count) != 1)
        ;
    if (status != NULL)
        fclose(status);
    return count;
}

size_t process_heap(void)
{
    return mallinfo2().uordblks;
}

static size_t whole_pages(size_t size, size_t *page)
{
    *page = (size_t)sysconf(_SC_PAGESIZE);
    return (size + *page - 1) / *page * *page;
}

void *memory_with_an_edge(size_t size)
{
    size_t page, mapped = whole_pages(size, &page);
    char *memory = mmap(NULL, mapped + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + mapped, page, PROT_NONE) != 0)
        give_up("no memory of %zu bytes", size);
    return memory + mapped - size;
}

void memory_with_an_edge_free(void *memory, size_t size)
{
    size_t page, mapped = whole_pages(size, &page);
    munmap((char *)memory + size - mapped, mapped + page);
}

void *library_load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    if (library == NULL)
        give_up("%s", dlerror());
    return library;
}

void library_unload(void *library)
{
    dlclose(library);
}

library_entry library_export(void *library, const char *name)
{
    library_entry entry = NULL;
    void *found = dlsym(library, name);
    memcpy(&entry, &found, sizeof entry);
    return entry;
}

void library_path(void *library, char *path, size_t size)
{
    struct link_map *map = NULL;
    char *real = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 ? realpath(map->l_name, NULL) : NULL;
    if (real == NULL || strlen(real) >= size)
        give_up("nobody knows where the add-in is");
    strcpy(path, real);
    free(real);
}

static _Noreturn void become(const char *command, int output)
{
    char *line = malloc(strlen(command) + sizeof "exec ");
    if (line == NULL)
        _exit(127);
    sprintf(line, "exec %s", command);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(output, STDOUT_FILENO);
    execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(127);
}

struct daemon daemon_start(const char *command)
{
    int ends[2];
    if (pipe(ends) != 0)
        give_up("no pipe for %s", command);
    pid_t process = fork();
    if (process < 0)
        give_up("no process for %s", command);
    if (process == 0)
        become(command, ends[1]);
    close(ends[1]);

    /* Our end of its output stays open: a daemon that says more must not die of it. */
    struct daemon daemon = {process, ends[0]};
    double until = now_ms() + START_MS;
    char byte = 0;
    while (byte != '\n') {
        struct pollfd wait = {.fd = ends[0], .events = POLLIN};
        int left = (int)(until - now_ms());
        if (left <= 0 || poll(&wait, 1, left) <= 0 || read(ends[0], &byte, 1) != 1) {
            daemon_kill(daemon);
            give_up("it did not start: %s", command);
        }
    }
    return daemon;
}

void daemon_kill(struct daemon daemon)
{
    kill((pid_t)daemon.process, SIGKILL);
    waitpid((pid_t)daemon.process, NULL, 0);
    close((int)daemon.output);
}

void daemon_stop(struct daemon daemon)
{
    pid_t process = (pid_t)daemon.process;
    if (kill(process, SIGSTOP) != 0 || waitpid(process, NULL, WUNTRACED) != process)
        give_up("the daemon cannot be stopped");
}

void daemon_continue(struct daemon daemon)
{
    kill((pid_t)daemon.process, SIGCONT);
}
