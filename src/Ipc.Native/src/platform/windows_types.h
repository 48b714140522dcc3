/*
 * The locks and threads of platform.h on Windows: a slim reader-writer lock, a condition variable, an init-once, a
 * handle. Each is one pointer, which begins as NULL (windows_thread.c asserts it); windows.h, with all of its names,
 * stays out of the library's headers.
 */
#ifndef IPC_WINDOWS_TYPES_H
#define IPC_WINDOWS_TYPES_H

typedef struct ipc_mutex {
    void *lock;
} ipc_mutex;

typedef struct ipc_condition {
    void *variable;
} ipc_condition;

typedef struct ipc_once {
    void *state;
} ipc_once;

typedef void *ipc_thread;

/* clang-format off: with blanks that it would take away */
#define IPC_MUTEX_INIT     {0}
#define IPC_CONDITION_INIT {0}
#define IPC_ONCE_INIT      {0}
/* clang-format on */

#endif
