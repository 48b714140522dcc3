/* The locks and threads of platform.h, where there are POSIX threads. */
#ifndef IPC_POSIX_TYPES_H
#define IPC_POSIX_TYPES_H

#include <pthread.h>

typedef pthread_mutex_t ipc_mutex;
typedef pthread_cond_t ipc_condition;
typedef pthread_t ipc_thread;
typedef pthread_once_t ipc_once;
#define IPC_MUTEX_INIT     PTHREAD_MUTEX_INITIALIZER
#define IPC_CONDITION_INIT PTHREAD_COND_INITIALIZER
#define IPC_ONCE_INIT      PTHREAD_ONCE_INIT

#endif
