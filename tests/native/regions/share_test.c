/* Regions of the machine: modes, who is let in, who ends them. With two users in earnest: tests/users.sh. */
#define _GNU_SOURCE
#include "platform/platform.h"
#include "regions/region.h"
#include "test.h"

#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOBODY 65534u

static char place[100];
static char machine[300];

/* Not in the test's own directory: what that is in may be for its user alone. */
static void begin(void)
{
    (void)snprintf(place, sizeof place, "/dev/shm/ipc-share-test-%ld", (long)getpid());
    CHECK(mkdir(place, 0700) == 0 && chmod(place, 0711) == 0);
    (void)snprintf(machine, sizeof machine, "%s/machine", place);
    CHECK(setenv("IPC_MACHINE_DIR", machine, 1) == 0);
}

static void end(void)
{
    CHECK(rmdir(machine) == 0); /* and so is empty */
    CHECK(rmdir(place) == 0);
}

static void path_of(const char *name, char *path, size_t size)
{
    (void)snprintf(path, size, "%s/%s", machine, name);
}

static unsigned mode_of(const char *name)
{
    char path[400];
    struct stat status;
    path_of(name, path, sizeof path);
    CHECK(lstat(path, &status) == 0);
    return (unsigned)status.st_mode & 07777u;
}

static ipc_ring_writer *writer_with(const ipc_access *access)
{
    const ipc_ring_options options = {.capacity = 4096, .access = access};
    ipc_ring_writer *writer = NULL;
    CHECK_OK(ipc_ring_writer_open(IPC_MACHINE "it", &options, &writer));
    return writer;
}

POSIX_TEST(modes_are_what_the_access_says_whatever_the_umask)
{
    begin();
    const ipc_access accesses[] = {
        {.kind = IPC_ACCESS_USER},
        {.kind = IPC_ACCESS_GROUP, .group = (uint32_t)getegid()},
        {.kind = IPC_ACCESS_EVERYBODY},
        {.kind = IPC_ACCESS_USERS, .user_count = 1, .users = {NOBODY}},
    };
    const unsigned modes[] = {0600, 0660, 0666, 0660}; /* of a list the group's bits are the mask */
    const mode_t before = umask(077);
    for (int i = 0; i < 4; i++) {
        ipc_ring_writer *writer = writer_with(&accesses[i]);
        CHECK_EQUAL(modes[i], mode_of("it"));
        CHECK_EQUAL(01777u, mode_of("."));
        ipc_ring_writer_close(writer);
    }
    (void)umask(before);
    end();
}

POSIX_TEST(an_access_that_is_none_or_for_another_name_is_refused)
{
    begin();
    const ipc_access everybody = {.kind = IPC_ACCESS_EVERYBODY};
    const ipc_access nobody = {.kind = IPC_ACCESS_USERS};
    const ipc_access many = {.kind = IPC_ACCESS_USERS, .user_count = IPC_ACCESS_USERS_MAX + 1};
    const ipc_access other = {.kind = (ipc_access_kind)4};
    ipc_ring_options options = {.access = &everybody};
    ipc_ring_writer *writer = NULL;
    CHECK_EQUAL(IPC_E_INVALID_ARGUMENT, ipc_ring_writer_open("it", &options, &writer));
    options.access = &nobody;
    CHECK_EQUAL(IPC_E_INVALID_ARGUMENT, ipc_ring_writer_open(IPC_MACHINE "it", &options, &writer));
    options.access = &many;
    CHECK_EQUAL(IPC_E_INVALID_ARGUMENT, ipc_ring_writer_open(IPC_MACHINE "it", &options, &writer));
    options.access = &other;
    CHECK_EQUAL(IPC_E_INVALID_ARGUMENT, ipc_ring_writer_open(IPC_MACHINE "it", &options, &writer));
    CHECK_EQUAL(IPC_E_INVALID_NAME, ipc_ring_writer_open(IPC_MACHINE, NULL, &writer));
    CHECK_EQUAL(IPC_E_INVALID_NAME, ipc_ring_writer_open(IPC_MACHINE "a/b", NULL, &writer));
    CHECK(access(machine, F_OK) != 0);
    CHECK(rmdir(place) == 0);
}

POSIX_TEST(every_kind_can_be_shared)
{
    begin();
    const ipc_access everybody = {.kind = IPC_ACCESS_EVERYBODY};
    const ipc_queue_options queues = {.access = &everybody};
    const ipc_topic_options topics = {.access = &everybody};
    const ipc_sync_options syncs = {.access = &everybody};
    const ipc_listener_options listeners = {.access = &everybody};
    ipc_queue *queue = NULL;
    ipc_topic_writer *topic = NULL;
    ipc_shared_mutex *mutex = NULL;
    ipc_listener *listener = NULL;
    CHECK_OK(ipc_queue_open(IPC_MACHINE "queue", &queues, &queue));
    CHECK_OK(ipc_topic_writer_open(IPC_MACHINE "topic", &topics, &topic));
    CHECK_OK(ipc_shared_mutex_open(IPC_MACHINE "mutex", &syncs, &mutex));
    CHECK_OK(ipc_listener_open(IPC_MACHINE "listener", &listeners, &listener));
    const char *const names[] = {"queue", "topic", "mutex", "listener"};
    for (int i = 0; i < 4; i++)
        CHECK_EQUAL(0666u, mode_of(names[i]));
    ipc_queue_close(queue);
    ipc_topic_writer_close(topic);
    ipc_shared_mutex_close(mutex);
    ipc_listener_close(listener);
    end();
}

/* The client's file is its own to remove, and closed to all but the two. */
POSIX_TEST(a_connection_is_asked_for_and_its_name_removed)
{
    begin();
    const ipc_access everybody = {.kind = IPC_ACCESS_EVERYBODY};
    const ipc_listener_options options = {.access = &everybody};
    const ipc_connect_options how = {.access = &everybody, .to_server_capacity = 4096, .to_client_capacity = 4096,
                                     .loan_budget = IPC_NO_LOANS};
    ipc_listener *listener = NULL;
    ipc_connecting *connecting = NULL;
    ipc_connection *connection = NULL;
    ipc_event event;
    char left[400];
    CHECK_OK(ipc_listener_open(IPC_MACHINE "l", &options, &listener));
    path_of("l~0123456789abcdef", left, sizeof left); /* of one that was killed */
    const int fd = open(left, O_CREAT | O_WRONLY, 0600);
    CHECK(fd >= 0 && close(fd) == 0);
    CHECK_OK(ipc_connect_begin(IPC_MACHINE "l", &how, &connecting));
    CHECK_EQUAL(IPC_EMPTY, ipc_connect_try(connecting, &connection));
    CHECK(access(left, F_OK) != 0);
    CHECK_OK(ipc_listener_next(listener, ipc_deadline_after(10000000000u), NULL, &event));
    CHECK_EQUAL(ipc_platform_user(), ipc_connection_peer_user(event.connection));
    CHECK_OK(ipc_connection_accept(event.connection));
    CHECK_OK(ipc_connect_try(connecting, &connection));
    CHECK_EQUAL(ipc_platform_user(), ipc_connection_peer_user(connection));
    ipc_connect_end(connecting);
    ipc_connection_close(connection);
    ipc_connection_close(event.connection);
    ipc_listener_close(listener);
    end();
}

static int leave_last(void *unused)
{
    (void)unused;
    const ipc_access everybody = {.kind = IPC_ACCESS_EVERYBODY};
    const ipc_ring_options options = {.open_mode = IPC_OPEN_EXISTING, .access = &everybody};
    ipc_ring_reader *reader = NULL;
    if (setgroups(0, NULL) != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
        return 90;
    if (ipc_ring_reader_open(IPC_MACHINE "it", &options, &reader) != IPC_OK)
        return 91;
    ipc_ring_reader_close(reader);
    const ipc_status cleared = ipc_clear(IPC_MACHINE "it");
    const ipc_ring_options create = {.open_mode = IPC_CREATE_NEW, .access = &everybody};
    const ipc_status made = ipc_ring_reader_open(IPC_MACHINE "it", &create, &reader);
    return cleared == IPC_E_ACCESS_DENIED && made == IPC_E_EXISTS ? 0 : 92;
}

/* In a child that is killed while it has it: nobody attached, and another user's. */
static int die_with_it(void *unused)
{
    (void)unused;
    const ipc_access everybody = {.kind = IPC_ACCESS_EVERYBODY};
    (void)writer_with(&everybody);
    ipc_platform_end_self(false);
    return 0;
}

POSIX_TEST(who_cannot_remove_a_region_leaves_it_and_its_owner_begins_anew)
{
    if (geteuid() != 0)
        test_skip("needs root to become another user");
    begin();
    (void)test_wait_exit(test_fork(die_with_it, NULL, 0));
    CHECK_EQUAL(0, test_wait_exit(test_fork(leave_last, NULL, 0)));
    CHECK_EQUAL(0666u, mode_of("it"));
    ipc_ring_writer *writer = NULL; /* a left-over of ours: for us alone from now on */
    CHECK_EQUAL(IPC_E_ACCESS_DENIED, ipc_ring_writer_open(IPC_MACHINE "it", NULL, &writer));
    const ipc_ring_options create = {.capacity = 4096, .open_mode = IPC_CREATE_NEW};
    CHECK_OK(ipc_ring_writer_open(IPC_MACHINE "it", &create, &writer));
    CHECK_EQUAL(0600u, mode_of("it"));
    ipc_ring_writer_close(writer);
    end();
}

POSIX_TEST(a_file_is_private_when_nobody_else_has_a_right_to_it)
{
    const struct {
        ipc_access access;
        bool is_private; /* between its owner and NOBODY */
    } files[] = {
        {{.kind = IPC_ACCESS_USER}, true},
        {{.kind = IPC_ACCESS_EVERYBODY}, false},
        {{.kind = IPC_ACCESS_GROUP, .group = (uint32_t)getegid()}, false},
        {{.kind = IPC_ACCESS_USERS, .user_count = 1, .users = {NOBODY}}, true},
        {{.kind = IPC_ACCESS_USERS, .user_count = 2, .users = {NOBODY, 4711}}, false},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        ipc_file file = IPC_NO_FILE;
        char temporary[IPC_PATH_MAX];
        CHECK_OK(ipc_platform_file_create(test_directory(), &file, temporary, sizeof temporary));
        CHECK_OK(ipc_platform_file_share(file, &files[i].access));
        CHECK_EQUAL(files[i].is_private, ipc_platform_file_is_private(file, NOBODY));
        ipc_platform_file_close(file);
        if (temporary[0] != '\0')
            (void)ipc_platform_file_unlink(temporary);
    }
}
