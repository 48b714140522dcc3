/*
 * platform.h - what the library asks of an operating system. Nothing outside this folder calls the system or has an
 * #if.
 *
 * Linux is linux_*.c and posix_*.c, Windows is windows_*.c (docs/wire-format/windows.md). Another system supplies the
 * same functions: on macOS it would be files, os_sync_wait_on_address and kqueue.
 */
#ifndef IPC_PLATFORM_H
#define IPC_PLATFORM_H

#include "atomic.h"
#include "ipc.h"

#if defined(_WIN32)
#include "platform/windows_types.h"
#else
#include "platform/posix_types.h"
#endif

/* ---- files and mappings (linux_file.c, windows_file.c) ----------------------------------------------- */

typedef intptr_t ipc_file;
#define IPC_NO_FILE  ((ipc_file)-1)
#define IPC_PATH_MAX 1024

/* May no file have this name, of letters, digits and . _ - , which the format allows? */
bool ipc_platform_name_is_reserved(const char *name);
/* The directory of the regions, absolute, with '/' between its parts, created if absent (docs/wire-format.md section 1). */
ipc_status ipc_platform_directory(char *path, size_t size);
/* The same for names of the machine. It is made if absent, and refused if somebody other than its owner, root and the
   owner of a file could remove that file from it. */
ipc_status ipc_platform_machine_directory(char *path, size_t size);

typedef struct ipc_file_range {
    uint64_t offset;
    uint64_t length;
} ipc_file_range;

/* A new file without a name, empty. `temporary` gets a path only where the file system cannot make nameless files. */
ipc_status ipc_platform_file_create(const char *directory, ipc_file *file, char *temporary, size_t temporary_size);
/* Gives it its size, with every page of the ranges reserved: a full disk is an error here, never a fault later. The rest
   is holes. */
ipc_status ipc_platform_file_reserve(ipc_file file, uint64_t size, const ipc_file_range *reserved, size_t ranges);
/* Gives the file its name, replacing nothing: IPC_E_EXISTS. */
ipc_status ipc_platform_file_publish(ipc_file file, const char *temporary, const char *path);
/* What the kernel says of an open file. */
typedef struct ipc_file_facts {
    uint64_t size;
    uint32_t user; /* its owner; IPC_NO_USER where users have no numbers */
    uint32_t group;
    bool open_to_all; /* everybody can write it */
} ipc_file_facts;
/* Opens without following links. Refuses what is not a regular file, and one of another user where `is_own`. */
ipc_status ipc_platform_file_open(const char *path, bool is_own, ipc_file *file, ipc_file_facts *facts);
/* Lets others open a file that has no name yet. */
ipc_status ipc_platform_file_share(ipc_file file, const ipc_access *access);
/* Can nobody open it but its owner, that user and root? */
bool ipc_platform_file_is_private(ipc_file file, uint32_t user);
/* Calls `found` with the name of each file of the directory, until it returns false. */
void ipc_platform_files_in(const char *directory, bool (*found)(void *context, const char *name), void *context);
/* Whose file a name leads to; IPC_NO_USER: nobody's, or it is no file. */
uint32_t ipc_platform_file_user(const char *path);
/* Without the mapping: a hole reads as zeroes and stays one. */
ipc_status ipc_platform_file_read(ipc_file file, uint64_t offset, void *buffer, size_t length);
/* Gives it a name that another file has, which loses it; nobody finds neither. BETWEEN: a name for a moment, that of a
   file which somebody was killed with is removed. IPC_E_INVALID_ARGUMENT: this system cannot. */
ipc_status ipc_platform_file_replace(ipc_file file, const char *temporary, const char *between, const char *path);
bool ipc_platform_can_replace(void);
bool ipc_platform_file_is_named(ipc_file file, const char *path); /* does the path still lead to this file? */
/* Removes the name. False: it is there, and not for this process to remove. */
bool ipc_platform_file_unlink(const char *path);
void ipc_platform_file_close(ipc_file file);

/* All of the file. `path` is its name, or the one that it will be given; `region_id` is what other processes know the
   mapping's words by. */
ipc_status ipc_platform_map(ipc_file file, uint64_t size, const char *path, const uint8_t region_id[16], void **base);
void ipc_platform_unmap(void *base, uint64_t size);
/* The same bytes at the same place, but what is written there is this process's only. Without a file it does nothing. */
void ipc_platform_make_private(ipc_file file, void *base, uint64_t size);
void ipc_platform_map_nothing(void *base,
                              uint64_t size); /* private zeroes in the place of a mapping; async-signal-safe */
/* Puts memory behind a part of a mapping, whose file is `file` (IPC_NO_FILE: not open any more). IPC_E_NO_SPACE when
   there is none. */
ipc_status ipc_platform_populate(ipc_file file, void *base, uint64_t offset, uint64_t length);
/* Does the system need the open file for that? */
bool ipc_platform_populate_needs_file(void);
/* Enters pages that have memory behind them into this process's tables, 4 MiB of them at most: met one by one they cost a
   fault each, and a message that meets one takes several times its time. A hint: where it cannot be done nothing is. */
void ipc_platform_touch(void *start, uint64_t length);
/* Makes that part of the mapped file a hole again. False: it is as it was. */
bool ipc_platform_give_back_pages(void *base, uint64_t offset, uint64_t length);

/* Locks that belong to the open file and end with the process. */
ipc_status ipc_platform_lock_try(ipc_file file, uint64_t byte); /* IPC_E_IN_USE: another open file has it */
void ipc_platform_unlock(ipc_file file, uint64_t byte);
bool ipc_platform_lock_is_held(ipc_file file, uint64_t byte); /* by another open file */
/* The same of a range, of which others see where it begins and how long it is. */
ipc_status ipc_platform_range_lock_try(ipc_file file, uint64_t start, uint64_t length);
void ipc_platform_range_unlock(ipc_file file, uint64_t start, uint64_t length);
/* A lock that another open file has within the range, cut to it. False: there is none. */
bool ipc_platform_range_find(ipc_file file, uint64_t start, uint64_t length, uint64_t *found, uint64_t *found_length);

/* ---- sleeping and barriers (linux_wait.c, windows_wait.c) -------------------------------------------- */

uint64_t ipc_platform_now(void); /* CLOCK_MONOTONIC, ns */
/* The processor that this thread runs on, by number; it may be another one by the time of the return. */
uint32_t ipc_platform_processor(void);
uint64_t ipc_platform_unix_time(void); /* ns */
/* Sleeps while *word is `expected`, until woken, until `deadline`, or for no reason. `asleep` belongs to the word: where
   the kernel does not keep a list of who sleeps, it is there. */
#define IPC_ASLEEP_WORDS 6
void ipc_platform_futex_wait(ipc_atomic32 *word, ipc_atomic64 *asleep, uint32_t expected, ipc_deadline deadline);
/* Wakes all who sleep, after the word was changed. */
void ipc_platform_futex_wake(ipc_atomic32 *word, ipc_atomic64 *asleep);

#define IPC_SLEEP_WORDS_MAX 128u
typedef struct ipc_sleep_word {
    ipc_atomic32 *word;
    ipc_atomic64 *asleep;
    uint32_t expected;
} ipc_sleep_word;

/* On how many words a thread can sleep at a time: IPC_SLEEP_WORDS_MAX, or 1. */
uint32_t ipc_platform_sleep_words(void);
/* Sleeps while each word is as expected, until one of them is woken, until `deadline`, or for no reason: also when a
   word is not there any more. */
void ipc_platform_futex_wait_any(const ipc_sleep_word *words, uint32_t count, ipc_deadline deadline);
/* Registers this process with the barrier; false where the system does not have it. Idempotent. */
bool ipc_platform_barrier_register(void);
bool ipc_platform_barrier(void); /* every running thread of every registered process executes a full fence; false: not */
/* The same for the threads of this process, registered or not. */
bool ipc_platform_barrier_here(void);
void ipc_platform_yield(void);
void ipc_platform_random(void *buffer, size_t length);
/* Of the machine: then nothing can happen while this thread spins. Where this thread may run, or its container, says
   nothing about that: the peer may be pinned to, or be in a container of, other processors. */
bool ipc_platform_has_one_processor(void);

static inline void ipc_platform_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("isb" ::
                             : "memory"); /* yield is a no-op on the cores that matter; isb gives the pipeline a rest */
#else
    ipc_compiler_fence();
#endif
}

/* ---- processes (linux_process.c, windows_process.c) -------------------------------------------------- */

uint32_t ipc_platform_pid(void);
uint32_t ipc_platform_user(void); /* as whom this process makes files; IPC_NO_USER where users have no numbers */
uint64_t ipc_platform_start_time(void);                              /* of this process */
uint64_t ipc_platform_pid_namespace(void);                           /* of this process; 0 unknown */
bool ipc_platform_process_exists(uint32_t pid, uint64_t start_time); /* in our pid namespace; a zombie does not */
void ipc_platform_end_self(bool stop);                               /* fault points: SIGSTOP or SIGKILL */

/* ---- watching processes (linux_watch.c, windows_watch.c) --------------------------------------------- */

typedef struct ipc_watcher {
    intptr_t events; /* what tells of ends */
    intptr_t wake;   /* what interrupts waiting for them */
} ipc_watcher;
#define IPC_NO_WATCHER {-1, -1}

typedef enum ipc_watcher_result { IPC_WATCHED, IPC_WATCH_GONE, IPC_WATCH_IMPOSSIBLE } ipc_watcher_result;

ipc_status ipc_watcher_open(ipc_watcher *watcher);
void ipc_watcher_close(ipc_watcher *watcher);
ipc_watcher_result ipc_watcher_add(ipc_watcher *watcher, uint32_t pid, uint64_t start_time, uint64_t token,
                                   intptr_t *handle);
void ipc_watcher_remove(ipc_watcher *watcher, intptr_t handle);
/* Waits at most `timeout_ms` (-1: for ever) for the end of watched processes or a wake; fills their tokens in. */
int ipc_watcher_wait(ipc_watcher *watcher, int timeout_ms, uint64_t *tokens, int count);
void ipc_watcher_wake(ipc_watcher *watcher);

/* ---- descriptors that are readable when they are set (linux_watch.c, windows_watch.c) --------------------------------- */

ipc_status ipc_platform_event_open(int *event);
void ipc_platform_event_set(int event);
void ipc_platform_event_clear(int event);
void ipc_platform_event_renew(int event); /* in a forked child: one of its own, under the same number */
void ipc_platform_event_close(int event);

/* ---- threads (posix_thread.c, windows_thread.c; their types are in *_types.h) ------------------------ */

void ipc_mutex_init(ipc_mutex *mutex);
void ipc_mutex_destroy(ipc_mutex *mutex);
void ipc_mutex_lock(ipc_mutex *mutex);
bool ipc_mutex_try_lock(ipc_mutex *mutex);
void ipc_mutex_unlock(ipc_mutex *mutex);
void ipc_condition_wait(ipc_condition *condition, ipc_mutex *mutex);
void ipc_condition_broadcast(ipc_condition *condition);
void ipc_once_run(ipc_once *once, void (*function)(void));
ipc_status ipc_thread_start(ipc_thread *thread, void *(*function)(void *),
                            void *argument); /* with every signal blocked */
void ipc_thread_join(ipc_thread thread);
/* Where there is no fork, nothing. */
void ipc_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void));

#endif
