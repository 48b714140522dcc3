/*
 * connect.c - connections that are made, and that are many; default options, a server of one thread. And Unix sockets.
 *
 *   connect.first     us    a connection is made, 64 B go there and back, and it is closed
 *   uds.connect       us    the same over a Unix socket, whose server accepts, answers and closes in one thread
 *   connect.1000      ms    a thousand connections are made, one after the other, and stay; closing them is not counted
 *   many.1.echo       ns    64 B there and back over one connection
 *   many.1000.echo    ns    the same over a thousand connections, in turn
 *   idle.10000.cpu    %     of a core, what ten thousand connections cost that nobody uses, both processes together
 *   idle.10000.bytes  KiB   what one of them takes: shared memory, and what the server has of its own for it
 */
#define _GNU_SOURCE
#include "harness.h"

#include <ipc.h>

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { SMALL = 64, MANY = 1000, MOST = 10000, BACKLOG = 64, SPARE_DESCRIPTORS = 50 };

typedef struct side {
    ipc_listener *listener; /* the server's */
    uint64_t echoed;
    uint64_t closed;
    uint64_t accepted;
    ipc_connection *connections[MOST]; /* the client's */
    unsigned count;
    unsigned next;
} side;

static ipc_deadline soon(void)
{
    return ipc_deadline_after(20000000000u);
}

static void check(ipc_status status, const char *what)
{
    if (status != IPC_OK) {
        fprintf(stderr, "%s: %s: %s\n", what, ipc_status_name(status), ipc_last_error());
        exit(1);
    }
}

/* ---- the server --------------------------------------------------------------------------------------- */

static void answer(side *it, ipc_connection *connection)
{
    ipc_ring_reader *reader = ipc_connection_reader(connection);
    ipc_record record;
    while (ipc_ring_try_read(reader, &record) == IPC_OK) {
        check(ipc_ring_write(ipc_connection_writer(connection), record.payload, record.length, 1, IPC_FOREVER, NULL),
              "ipc_ring_write");
        ipc_ring_release(reader);
        it->echoed++;
    }
    ipc_listener_return(it->listener, connection);
}

static void serve_one(side *it)
{
    ipc_event event;
    check(ipc_listener_next(it->listener, soon(), NULL, &event), "ipc_listener_next");
    if (event.kind == IPC_EVENT_READABLE) {
        answer(it, event.connection);
    } else if (event.kind == IPC_EVENT_CLOSED) {
        ipc_connection_close(event.connection);
        it->closed++;
    } else {
        check(ipc_connection_accept(event.connection), "ipc_connection_accept");
        ipc_listener_return(it->listener, event.connection);
        it->accepted++;
    }
}

static void serve_until(side *it, uint64_t *what, uint64_t count)
{
    for (*what = 0; *what < count;)
        serve_one(it);
}

static void answer_until_closed(void *opened, uint64_t count)
{
    side *it = opened;
    serve_until(it, &it->closed, count);
}

static void answer_echoes(void *opened, uint64_t count)
{
    side *it = opened;
    serve_until(it, &it->echoed, count + 1);
}

/* ---- the client --------------------------------------------------------------------------------------- */

static ipc_connection *connect_one(void)
{
    ipc_connection *made = NULL;
    const ipc_connect_options options = {.deadline = soon()}; /* the server may be starting */
    check(ipc_connect(bench_name(), &options, &made), "ipc_connect");
    return made;
}

static void echo(ipc_connection *connection)
{
    unsigned char bytes[SMALL] = {7};
    ipc_ring_reader *reader = ipc_connection_reader(connection);
    ipc_record record;
    check(ipc_ring_write(ipc_connection_writer(connection), bytes, sizeof bytes, 1, IPC_FOREVER, NULL),
          "ipc_ring_write");
    check(ipc_ring_read(reader, IPC_FOREVER, NULL, &record), "ipc_ring_read");
    ipc_ring_release(reader);
}

static void *open_side(int which, unsigned many)
{
    static side opened;
    if (which == 1) {
        check(ipc_listener_open(bench_name(), NULL, &opened.listener), "ipc_listener_open");
        serve_until(&opened, &opened.accepted, many);
    }
    while (which == 0 && opened.count < many)
        opened.connections[opened.count++] = connect_one();
    return &opened;
}

static void *open_none(void *shared, int which)
{
    (void)shared;
    return open_side(which, 0);
}

static void *open_one(void *shared, int which)
{
    (void)shared;
    return open_side(which, 1);
}

static void *open_many(void *shared, int which)
{
    (void)shared;
    return open_side(which, MANY);
}

static void close_all(side *it)
{
    while (it->count > 0)
        ipc_connection_close(it->connections[--it->count]);
}

static void close_side(void *opened, int which)
{
    side *it = opened;
    (void)which;
    close_all(it);
    ipc_listener_close(it->listener);
}

static double first_measure(void *opened, uint64_t count)
{
    (void)opened;
    const uint64_t began = bench_now();
    for (uint64_t i = 0; i < count; i++) {
        ipc_connection *made = connect_one();
        echo(made);
        ipc_connection_close(made);
        bench_done();
    }
    return (double)(bench_now() - began) / (double)count / 1e3;
}

static double thousand_measure(void *opened, uint64_t count)
{
    side *it = opened;
    double took = 0;
    for (uint64_t left = count; left > 0;) {
        const uint64_t began = bench_now();
        for (; left > 0 && it->count < MANY; left--)
            it->connections[it->count++] = connect_one();
        took += (double)(bench_now() - began);
        close_all(it);
    }
    return took / (double)count * MANY / 1e6;
}

static double echo_measure(void *opened, uint64_t count)
{
    side *it = opened;
    uint64_t began = 0;
    for (uint64_t i = 0; i <= count; i++) { /* the first finds the answerer asleep: not counted */
        if (i == 1)
            began = bench_now();
        echo(it->connections[it->next]);
        it->next = (it->next + 1) % it->count;
        bench_done();
    }
    return (double)(bench_now() - began) / (double)count;
}

/* ---- idle ones ----------------------------------------------------------------------------------------- */

/* What both processes know of the server. */
typedef struct idle_server {
    int pid;
    double began_with; /* KiB, before there was a connection */
} idle_server;

static idle_server *idle;

/* The number behind that word in a file of /proc; the sum of all, where there are several. */
static double number_in(const char *path, const char *word)
{
    FILE *file = fopen(path, "r");
    char line[256];
    double number = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, word, strlen(word)) == 0)
            number += strtod(line + strlen(word), NULL);
    }
    if (file != NULL)
        (void)fclose(file);
    return number;
}

/* Shared memory of the machine, and the server's own memory and page tables. */
static double kibibytes_with(int pid)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/status", pid);
    return number_in("/proc/meminfo", "Shmem:") + number_in(path, "RssAnon:") + number_in(path, "VmPTE:");
}

/* How long the threads of a process have had a core, ns. */
static double time_on_core(int pid)
{
    char path[320];
    (void)snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *threads = opendir(path);
    double sum = 0;
    for (struct dirent *thread; threads != NULL && (thread = readdir(threads)) != NULL;) {
        if (thread->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", pid, thread->d_name);
        sum += number_in(path, "");
    }
    if (threads != NULL)
        (void)closedir(threads);
    return sum;
}

static void *open_idle(void *shared, int which)
{
    static side opened;
    idle = shared;
    if (which == 1) {
        const ipc_listener_options options = {.max_connections = MOST};
        check(ipc_listener_open(bench_name(), &options, &opened.listener), "ipc_listener_open");
        idle->began_with = kibibytes_with(getpid());
        idle->pid = getpid();
        serve_until(&opened, &opened.accepted, MOST);
        return &opened;
    }
    struct rlimit descriptors;
    if (getrlimit(RLIMIT_NOFILE, &descriptors) != 0 || descriptors.rlim_max < MOST + SPARE_DESCRIPTORS)
        bench_fail("idle", "a process may not have a descriptor for each of 10,000 connections here");
    descriptors.rlim_cur = descriptors.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &descriptors);
    while (opened.count < MOST)
        opened.connections[opened.count++] = connect_one();
    return &opened;
}

/* An echo at the end wakes the server, which is through with the round then. */
static double idle_cpu_measure(void *opened, uint64_t count)
{
    side *it = opened;
    const struct timespec pause = {.tv_nsec = 200000000};
    (void)count;
    const double before = time_on_core(getpid()) + time_on_core(idle->pid);
    const uint64_t began = bench_now();
    (void)nanosleep(&pause, NULL);
    const double cpu = time_on_core(getpid()) + time_on_core(idle->pid) - before;
    const double took = (double)(bench_now() - began);
    echo(it->connections[0]);
    return cpu / took * 100;
}

static double idle_bytes_measure(void *opened, uint64_t count)
{
    side *it = opened;
    (void)count;
    echo(it->connections[0]);
    return (kibibytes_with(idle->pid) - idle->began_with) / MOST;
}

static void answer_one_echo(void *opened, uint64_t count)
{
    side *it = opened;
    (void)count;
    serve_until(it, &it->echoed, 1);
}

/* ---- sockets ------------------------------------------------------------------------------------------ */

static int listening;
static struct sockaddr_un name = {.sun_family = AF_UNIX}; /* its first byte is 0: no file */
static socklen_t name_length;

static void *open_socket(void *shared, int which)
{
    (void)which;
    return shared;
}

static int new_socket(void)
{
    const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made < 0)
        bench_fail("socket", strerror(errno));
    return made;
}

static void listen_for_sockets(void)
{
    const int written = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "bench-connect-%d", (int)getpid());
    name_length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)written);
    listening = new_socket();
    if (bind(listening, (const struct sockaddr *)&name, name_length) != 0 || listen(listening, BACKLOG) != 0)
        bench_fail("bind", strerror(errno));
}

static void pass(ssize_t moved, const char *what)
{
    if (moved != SMALL)
        bench_fail(what, moved < 0 ? strerror(errno) : "a part of it");
}

static double socket_measure(void *unused, uint64_t count)
{
    (void)unused;
    unsigned char bytes[SMALL] = {7};
    const uint64_t began = bench_now();
    for (uint64_t i = 0; i < count; i++) {
        const int made = new_socket();
        if (connect(made, (const struct sockaddr *)&name, name_length) != 0)
            bench_fail("connect", strerror(errno));
        pass(send(made, bytes, sizeof bytes, MSG_NOSIGNAL), "send");
        pass(recv(made, bytes, sizeof bytes, MSG_WAITALL), "recv");
        (void)close(made);
        bench_done();
    }
    return (double)(bench_now() - began) / (double)count / 1e3;
}

static void socket_answer(void *unused, uint64_t count)
{
    (void)unused;
    unsigned char bytes[SMALL];
    for (uint64_t i = 0; i < count; i++) {
        const int made = accept(listening, NULL, NULL);
        if (made < 0)
            bench_fail("accept", strerror(errno));
        pass(recv(made, bytes, sizeof bytes, MSG_WAITALL), "recv");
        pass(send(made, bytes, sizeof bytes, MSG_NOSIGNAL), "send");
        (void)close(made);
    }
}

static const bench_figure figures[] = {
    {.name = "connect.first",
     .count = 300,
     .open = open_none,
     .measure = first_measure,
     .answer = answer_until_closed,
     .close = close_side},
    {.name = "uds.connect", .count = 1000, .open = open_socket, .measure = socket_measure, .answer = socket_answer},
    {.name = "connect.1000",
     .count = MANY,
     .open = open_none,
     .measure = thousand_measure,
     .answer = answer_until_closed,
     .close = close_side},
    {.name = "many.1.echo",
     .count = 30000,
     .open = open_one,
     .measure = echo_measure,
     .answer = answer_echoes,
     .close = close_side},
    {.name = "many.1000.echo",
     .count = 30000,
     .open = open_many,
     .measure = echo_measure,
     .answer = answer_echoes,
     .close = close_side},
    {.name = "idle.10000.cpu",
     .count = 1,
     .shared_bytes = sizeof(idle_server),
     .open = open_idle,
     .measure = idle_cpu_measure,
     .answer = answer_one_echo,
     .close = close_side},
    {.name = "idle.10000.bytes",
     .count = 1,
     .shared_bytes = sizeof(idle_server),
     .open = open_idle,
     .measure = idle_bytes_measure,
     .answer = answer_one_echo,
     .close = close_side},
};

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "uds.connect") == 0)
        listen_for_sockets(); /* before the fork: nobody comes too early */
    return bench_main(argc, argv, figures, sizeof figures / sizeof figures[0]);
}
