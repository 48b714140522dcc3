/* Regions: creating, attaching, who is in them, refusing what is not one. */
#define _GNU_SOURCE
#include "ignore.h"
#include "regions/region.h"
#include "rings/ring.h"
#include "test.h"

#ifndef _WIN32
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

/* Without a pool: what is checked here is the region, to the byte. */
static const ipc_ring_options small = {.capacity = 4096, .loan_budget = IPC_NO_LOANS};
static const ipc_ring_options small_create = {
    .capacity = 4096, .loan_budget = IPC_NO_LOANS, .open_mode = IPC_CREATE_NEW};
static const ipc_ring_options small_persistent = {.capacity = 4096, .loan_budget = IPC_NO_LOANS, .lifetime = IPC_LIFETIME_PERSISTENT};
static const ipc_ring_options open_now = {.open_mode = IPC_OPEN_EXISTING};

/* Maps the region NAME behind the library's back. */
static void *map_raw(const char *name, size_t *size)
{
    char path[512];
    test_path(name, path, sizeof path);
    return test_map_file(path, size);
}

/* A persistent ring of that name, with nobody in it. */
static void leave_persistent(const char *name)
{
    ipc_ring_writer *writer = NULL;
    CHECK_OK(ipc_ring_writer_open(name, &small_persistent, &writer));
    ipc_ring_writer_close(writer);
    CHECK_EQUAL(1, test_files());
}

static void remove_file(const char *name)
{
    char path[512];
    test_path(name, path, sizeof path);
    test_remove_file(path);
}

TEST(names_are_refused_not_mangled)
{
    static const char *const wrong[] = {"", ".hidden", "a/b", "a b", "a~b", "../x", "\xC3\xA9", "a\n", NULL};
    ipc_ring_writer *writer = NULL;
    char longest[130];
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK_STATUS(IPC_E_INVALID_NAME, ipc_ring_writer_open(wrong[i], NULL, &writer));
    memset(longest, 'n', sizeof longest);
    longest[121] = '\0';
    CHECK_STATUS(IPC_E_INVALID_NAME, ipc_ring_writer_open(longest, NULL, &writer));
    longest[120] = '\0';
    CHECK_OK(ipc_ring_writer_open(longest, &small, &writer));
    ipc_ring_writer_close(writer);
    CHECK_OK(ipc_ring_writer_open("A-z_0.9", &small, &writer));
    ipc_ring_writer_close(writer);
}

TEST(capacities_are_powers_of_two_in_range)
{
    static const uint64_t wrong[] = {1, 4095, 2048, 6000, (1ull << 30) + 1, 1ull << 31, UINT64_MAX};
    ipc_ring_writer *writer = NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const ipc_ring_options options = {.capacity = wrong[i]};
        CHECK_STATUS(IPC_E_INVALID_ARGUMENT, ipc_ring_writer_open("c", &options, &writer));
    }
    CHECK_OK(ipc_ring_writer_open("c", NULL, &writer));
    CHECK_EQUAL(1048576, ipc_ring_writer_capacity(writer));
    ipc_ring_writer_close(writer);
}

TEST(the_last_to_leave_removes_the_name)
{
    ipc_ring_writer *writer = NULL;
    ipc_ring_reader *reader = NULL;
    CHECK_OK(ipc_ring_writer_open("r", &small, &writer));
    CHECK_OK(ipc_ring_reader_open("r", NULL, &reader)); /* the geometry is the creator's */
    CHECK_EQUAL(4096, ipc_ring_reader_capacity(reader));
    ipc_ring_writer_close(writer); /* the creator may leave first */
    CHECK_EQUAL(1, test_files());
    ipc_ring_reader_close(reader);
    CHECK_EQUAL(0, test_files());
}

#ifndef _WIN32
POSIX_TEST(a_file_is_for_its_user_alone)
{
    ipc_ring_writer *writer = NULL;
    struct stat status;
    char path[512];
    CHECK_OK(ipc_ring_writer_open("r", &small, &writer));
    test_path("r", path, sizeof path);
    CHECK(stat(path, &status) == 0);
    CHECK_EQUAL(0600, status.st_mode & 07777);
    CHECK_EQUAL(4096 + 4096, status.st_size);
    ipc_ring_writer_close(writer);
}
#endif

TEST(a_second_live_end_is_refused_with_the_pid_of_the_first)
{
    ipc_ring_writer *writer = NULL;
    ipc_ring_writer *second = NULL;
    char pid[32];
    CHECK_OK(ipc_ring_writer_open("r", &small, &writer));
    CHECK_STATUS(IPC_E_IN_USE, ipc_ring_writer_open("r", &small, &second));
    (void)snprintf(pid, sizeof pid, "%d", (int)ipc_platform_pid());
    check_error_says(pid);
    ipc_ring_writer_close(writer);
    CHECK_OK(ipc_ring_writer_open("r", &small, &second));
    ipc_ring_writer_close(second);
}

TEST(create_refuses_what_lives_and_open_what_does_not)
{
    ipc_ring_writer *writer = NULL;
    ipc_ring_reader *reader = NULL;
    CHECK_STATUS(IPC_E_NOT_FOUND, ipc_ring_reader_open("r", &open_now, &reader));
    const ipc_ring_options wait_a_little = {.open_mode = IPC_OPEN_EXISTING, .deadline = ipc_deadline_after(20000000)};
    CHECK_STATUS(IPC_E_NOT_FOUND, ipc_ring_reader_open("r", &wait_a_little, &reader));
    CHECK_OK(ipc_ring_writer_open("r", &small_create, &writer));
    CHECK_STATUS(IPC_E_EXISTS, ipc_ring_reader_open("r", &small_create, &reader));
    CHECK_OK(ipc_ring_reader_open("r", &open_now, &reader));
    ipc_ring_reader_close(reader);
    ipc_ring_writer_close(writer);
}

static void *create_later(void *writer)
{
    for (int i = 0; i < 1000; i++) /* the other thread has long begun to wait, or finds it at once: both are right */
        test_yield();
    CHECK_OK(ipc_ring_writer_open("late", &small, writer));
    return NULL;
}

TEST(open_waits_for_a_creator)
{
    ipc_ring_writer *writer = NULL;
    ipc_ring_reader *reader = NULL;
    test_thread thread;
    const ipc_ring_options options = {.open_mode = IPC_OPEN_EXISTING, .deadline = SOON};
    test_thread_start(&thread, create_later, &writer);
    CHECK_OK(ipc_ring_reader_open("late", &options, &reader));
    test_thread_join(&thread);
    ipc_ring_reader_close(reader);
    ipc_ring_writer_close(writer);
}

TEST(a_persistent_region_stays_and_keeps_its_records)
{
    ipc_ring_writer *writer = NULL;
    ipc_ring_reader *reader = NULL;
    ipc_record record;
    CHECK_OK(ipc_ring_writer_open("p", &small_persistent, &writer));
    CHECK_OK(ipc_ring_write(writer, "kept", 4, 9, IPC_NOW, NULL));
    ipc_ring_writer_close(writer);
    CHECK_EQUAL(1, test_files());
    CHECK_STATUS(IPC_E_EXISTS, ipc_ring_writer_open("p", &small_create, &writer));
    CHECK_OK(ipc_ring_reader_open("p", &open_now, &reader));
    CHECK_OK(ipc_ring_try_read(reader, &record));
    CHECK(record.length == 4 && memcmp(record.payload, "kept", 4) == 0 && !record.redelivered);
    CHECK_EQUAL(IPC_PEER_LEFT, ipc_ring_reader_peer(reader));
    ipc_ring_release(reader);
    CHECK_STATUS(IPC_PEER_CLOSED, ipc_ring_read(reader, IPC_FOREVER, NULL, &record));
    ipc_ring_reader_close(reader);
    remove_file("p");
}

/* ---- what is not a region ---------------------------------------------------------------------------- */

typedef struct mutation {
    const char *field;
    size_t offset;
    size_t size;
    uint64_t value;
    ipc_status expected;
} mutation;

TEST(every_header_field_is_checked_and_the_file_left_alone)
{
    static const mutation mutations[] = {
        {"magic", 0, 8, 0x0B314E4752435049, IPC_E_CORRUPT},
        {"major", 8, 2, 2, IPC_E_WRONG_VERSION},
        {"major", 8, 2, 0, IPC_E_WRONG_VERSION},
        {"kind unknown", 12, 4, 77, IPC_E_WRONG_KIND},
        {"kind zero", 12, 4, 0, IPC_E_WRONG_KIND},
        {"kind listener", 12, 4, 2, IPC_E_WRONG_KIND},
        {"total_size", 16, 8, 4096, IPC_E_CORRUPT},
        {"total_size", 16, 8, UINT64_MAX, IPC_E_CORRUPT},
        {"total_size", 16, 8, 8192 + 64, IPC_E_CORRUPT},
        {"participant_offset", 24, 4, 512, IPC_E_CORRUPT},
        {"participant_capacity", 28, 4, 4097, IPC_E_CORRUPT},
        {"participant_capacity", 28, 4, 17, IPC_E_CORRUPT},
        {"participant_capacity", 28, 4, UINT32_MAX, IPC_E_CORRUPT},
        {"body_offset", 32, 8, 3072 + 64, IPC_E_CORRUPT},
        {"body_offset", 32, 8, 2048, IPC_E_CORRUPT},
        {"body_offset", 32, 8, 8192 + 128, IPC_E_CORRUPT},
        {"body_offset", 32, 8, UINT64_MAX - 127, IPC_E_CORRUPT},
        {"body_size", 40, 8, 8192 - 3072 + 1, IPC_E_CORRUPT},
        {"body_size", 40, 8, UINT64_MAX, IPC_E_CORRUPT},
        {"region_id", 48, 16, 0, IPC_E_CORRUPT},
        {"state", 128, 4, 0, IPC_E_CORRUPT},
        {"state", 128, 4, 3, IPC_E_CORRUPT},
        {"ring magic", 3072, 4, 1, IPC_E_CORRUPT},
        {"ring capacity", 3072 + 8, 8, 8192, IPC_E_CORRUPT},
        {"ring capacity", 3072 + 8, 8, 4095, IPC_E_CORRUPT},
        {"ring capacity", 3072 + 8, 8, 0, IPC_E_CORRUPT},
        {"ring capacity", 3072 + 8, 8, 1ull << 63, IPC_E_CORRUPT},
        {"ring data_offset", 3072 + 16, 8, 8192, IPC_E_CORRUPT},
        {"ring data_offset", 3072 + 16, 8, 0, IPC_E_CORRUPT},
        {"ring data_offset", 3072 + 16, 8, 4100, IPC_E_CORRUPT},
        {"ring data_offset", 3072 + 16, 8, UINT64_MAX - 4095, IPC_E_CORRUPT},
        {"read_position", 3072 + 256, 8, 100, IPC_E_CORRUPT},
        {"free_position", 3072 + 384, 8, 64, IPC_E_CORRUPT},
    };
    size_t size = 0;
    leave_persistent("m");
    uint8_t *base = map_raw("m", &size);
    uint8_t *good = malloc(size);
    uint8_t *bad = malloc(size);
    CHECK(good != NULL && bad != NULL);
    memcpy(good, base, size);
    for (size_t i = 0; i < sizeof mutations / sizeof mutations[0]; i++) {
        const mutation *one = &mutations[i];
        ipc_ring_reader *reader = NULL;
        memcpy(base, good, size);
        if (one->size > 8)
            memset(base + one->offset, 0, one->size);
        else
            memcpy(base + one->offset, &one->value, one->size);
        memcpy(bad, base, size);
        ipc_status status = ipc_ring_reader_open("m", &small, &reader);
        if (status != one->expected)
            test_fail(__FILE__, __LINE__, "%s (mutation %zu): %s %s", one->field, i, ipc_status_name(status),
                      ipc_last_error());
        if (one->offset < 3072 + 256 && memcmp(bad, base, size) != 0) /* those two are found after entering */
            test_fail(__FILE__, __LINE__, "%s: the file was written to", one->field);
    }
    memcpy(base, good, size);
    ipc_ring_reader *reader = NULL;
    CHECK_OK(ipc_ring_reader_open("m", &small, &reader));
    ipc_ring_reader_close(reader);
    test_unmap_file(base, size);
    free(good);
    free(bad);
    remove_file("m");
}

TEST(a_higher_minor_version_is_accepted)
{
    size_t size = 0;
    ipc_ring_reader *reader = NULL;
    leave_persistent("v");
    uint8_t *base = map_raw("v", &size);
    base[10] = 7;
    CHECK_OK(ipc_ring_reader_open("v", &small, &reader));
    ipc_ring_reader_close(reader);
    test_unmap_file(base, size);
    remove_file("v");
}

TEST(random_headers_are_refused_or_harmless)
{
    size_t size = 0;
    uint64_t seed = 99;
    leave_persistent("f");
    uint8_t *base = map_raw("f", &size);
    uint8_t *good = malloc(size);
    CHECK(good != NULL);
    memcpy(good, base, size);
    for (int round = 0; round < 3000; round++) {
        memcpy(base, good, size);
        for (int i = 0; i < 1 + round % 4; i++) {
            seed = seed * 6364136223846793005ull + 1442695040888963407ull;
            const size_t area = (seed >> 60) % 2 == 0 ? 512 : 4096;
            base[(seed >> 33) % area] = (uint8_t)(seed >> 20);
        }
        if (base[16] != good[16] ||
            base[76] != good[76]) /* not persistent any more: it would be removed, and made anew */
            continue;
        ipc_ring_reader *reader = NULL;
        if (ipc_ring_reader_open("f", &open_now, &reader) == IPC_OK) {
            ipc_record record;
            ignore(ipc_ring_try_read(reader, &record));
            ipc_ring_reader_close(reader);
        }
        CHECK_EQUAL(1, test_files());
        if (base[128] == IPC_REGION_RETIRED)
            base[128] = IPC_REGION_LIVE;
    }
    test_unmap_file(base, size);
    free(good);
    remove_file("f");
}

static void write_file(const char *name, const void *bytes, size_t size)
{
    char path[512];
    test_path(name, path, sizeof path);
    test_write_file(path, bytes, size);
}

TEST(empty_short_and_foreign_files_are_refused_and_left_alone)
{
    static const uint8_t foreign[8192] = "something else entirely";
    ipc_ring_writer *writer = NULL;
    write_file("empty", "", 0);
    write_file("short", foreign, 100);
    write_file("foreign", foreign, sizeof foreign);
    CHECK_STATUS(IPC_E_CORRUPT, ipc_ring_writer_open("empty", &small, &writer));
    CHECK_STATUS(IPC_E_CORRUPT, ipc_ring_writer_open("short", &small, &writer));
    CHECK_STATUS(IPC_E_CORRUPT, ipc_ring_writer_open("foreign", &small, &writer));
    CHECK_STATUS(IPC_E_CORRUPT, ipc_ring_writer_open("foreign", &small_create, &writer));
    CHECK_EQUAL(3, test_files());
    remove_file("empty");
    remove_file("short");
    remove_file("foreign");
}

TEST(a_truncated_region_is_refused_with_both_sizes)
{
    char path[512];
    uint8_t half[4096];
    ipc_ring_writer *writer = NULL;
    leave_persistent("t");
    test_path("t", path, sizeof path);
    CHECK_EQUAL(sizeof half, test_read_file(path, 0, half, sizeof half));
    test_write_file(path, half, sizeof half);
    CHECK_STATUS(IPC_E_CORRUPT, ipc_ring_writer_open("t", &small, &writer));
    check_error_says("8192");
    check_error_says("4096");
    remove_file("t");
}

#ifndef _WIN32
POSIX_TEST(links_directories_and_pipes_are_refused)
{
    char path[512];
    char target[512];
    ipc_ring_writer *writer = NULL;
    leave_persistent("real");
    test_path("real", target, sizeof target);
    test_path("link", path, sizeof path);
    CHECK(symlink(target, path) == 0);
    CHECK_STATUS(IPC_E_CORRUPT, ipc_ring_writer_open("link", &small, &writer));
    test_path("pipe", path, sizeof path);
    CHECK(mkfifo(path, 0600) == 0);
    CHECK_STATUS(IPC_E_CORRUPT, ipc_ring_writer_open("pipe", &small, &writer));
    test_path("directory", path, sizeof path);
    CHECK(mkdir(path, 0700) == 0);
    CHECK_STATUS(IPC_E_CORRUPT, ipc_ring_writer_open("directory", &small, &writer));
    CHECK(rmdir(path) == 0);
    remove_file("link");
    remove_file("pipe");
    remove_file("real");
}

static int open_as_nobody(void *unused)
{
    (void)unused;
    ipc_ring_reader *reader = NULL;
    if (setgid(65534) != 0 || setuid(65534) != 0)
        return 9;
    return -(int)ipc_ring_reader_open("mine", &open_now, &reader);
}

POSIX_TEST(another_user_is_kept_out)
{
    if (geteuid() != 0)
        test_skip("needs root to become another user");
    leave_persistent("mine");
    CHECK_EQUAL(-IPC_E_ACCESS_DENIED, test_wait_exit(test_fork(open_as_nobody, NULL, 0)));
    CHECK(chmod(test_directory(), 0777) == 0); /* even where the directory lets it in */
    CHECK_EQUAL(-IPC_E_ACCESS_DENIED, test_wait_exit(test_fork(open_as_nobody, NULL, 0)));
    char path[512];
    test_path("mine", path, sizeof path);
    CHECK(chmod(path, 0666) == 0); /* and even where the file does */
    CHECK_EQUAL(-IPC_E_ACCESS_DENIED, test_wait_exit(test_fork(open_as_nobody, NULL, 0)));
    remove_file("mine");
}

POSIX_TEST(a_full_disk_is_an_error_at_creation)
{
    char path[512];
    ipc_ring_writer *writer = NULL;
    test_path("disk", path, sizeof path);
    CHECK(mkdir(path, 0700) == 0);
    if (geteuid() != 0 || mount("none", path, "tmpfs", 0, "size=64k") != 0) {
        CHECK(rmdir(path) == 0);
        test_skip("needs the right to mount a small file system");
    }
    CHECK(setenv("IPC_DIR", path, 1) == 0);
    ipc_status status = ipc_ring_writer_open("big", NULL, &writer);
    ipc_status smaller = ipc_ring_writer_open("small", &small, &writer);
    if (smaller == IPC_OK)
        ipc_ring_writer_close(writer);
    CHECK(setenv("IPC_DIR", test_directory(), 1) == 0);
    CHECK(umount(path) == 0);
    CHECK(rmdir(path) == 0);
    CHECK_STATUS(IPC_E_NO_SPACE, status);
    CHECK_STATUS(IPC_OK, smaller);
}

POSIX_TEST(a_missing_directory_is_made_and_a_wrong_one_told)
{
    char path[512];
    ipc_ring_writer *writer = NULL;
    struct stat status;
    test_path("made", path, sizeof path);
    CHECK(setenv("IPC_DIR", path, 1) == 0);
    CHECK_OK(ipc_ring_writer_open("r", &small, &writer));
    ipc_ring_writer_close(writer);
    CHECK(stat(path, &status) == 0);
    CHECK_EQUAL(0700, status.st_mode & 07777);
    CHECK(rmdir(path) == 0);
    CHECK(setenv("IPC_DIR", "/nowhere/at/all", 1) == 0);
    CHECK_STATUS(IPC_E_NOT_FOUND, ipc_ring_writer_open("r", &small, &writer));
    check_error_says("/nowhere/at/all");
    CHECK(setenv("IPC_DIR", test_directory(), 1) == 0);
}

#endif

/* ---- races ------------------------------------------------------------------------------------------- */

enum { openings = 300 };

static void *open_and_close(void *role)
{
    /* Room for all that is written: with one of the two always there, nobody releases what is read. */
    static const ipc_ring_options roomy = {.capacity = 65536, .loan_budget = IPC_NO_LOANS};
    _Static_assert(openings * 64 < 65536, "a line for each record");
    for (int i = 0; i < openings; i++) {
        ipc_ring_writer *writer = NULL;
        ipc_ring_reader *reader = NULL;
        if (*(const bool *)role) {
            CHECK_OK(ipc_ring_writer_open("race", &roomy, &writer));
            CHECK_OK(ipc_ring_write(writer, "x", 1, 1, IPC_NOW, NULL));
            ipc_ring_writer_close(writer);
        } else {
            ipc_record record;
            CHECK_OK(ipc_ring_reader_open("race", &roomy, &reader));
            ignore(ipc_ring_try_read(reader, &record));
            ipc_ring_reader_close(reader);
        }
    }
    return NULL;
}

TEST(creating_attaching_and_leaving_at_the_same_time_never_fails)
{
    static const bool roles[2] = {true, false};
    test_thread threads[2];
    for (int i = 0; i < 2; i++)
        test_thread_start(&threads[i], open_and_close, (void *)(uintptr_t)&roles[i]);
    for (int i = 0; i < 2; i++)
        test_thread_join(&threads[i]);
}
