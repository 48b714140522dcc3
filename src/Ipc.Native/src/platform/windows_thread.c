/* Threads and locks within the process. A failure here is a defect of this library, not a condition to handle. */
#include "platform/error.h"
#include "platform/windows_api.h"

#include <stdlib.h>

_Static_assert(sizeof(ipc_mutex) == sizeof(SRWLOCK) && sizeof(ipc_condition) == sizeof(CONDITION_VARIABLE) &&
                   sizeof(ipc_once) == sizeof(INIT_ONCE),
               "windows_types.h");

static SRWLOCK *lock_of(ipc_mutex *mutex)
{
    return (SRWLOCK *)(void *)mutex;
}

void ipc_mutex_init(ipc_mutex *mutex)
{
    InitializeSRWLock(lock_of(mutex));
}

void ipc_mutex_destroy(ipc_mutex *mutex)
{
    (void)mutex; /* it holds nothing */
}

void ipc_mutex_lock(ipc_mutex *mutex)
{
    AcquireSRWLockExclusive(lock_of(mutex));
}

bool ipc_mutex_try_lock(ipc_mutex *mutex)
{
    return TryAcquireSRWLockExclusive(lock_of(mutex)) != 0;
}

void ipc_mutex_unlock(ipc_mutex *mutex)
{
    ReleaseSRWLockExclusive(lock_of(mutex));
}

void ipc_condition_wait(ipc_condition *condition, ipc_mutex *mutex)
{
    if (!SleepConditionVariableSRW((CONDITION_VARIABLE *)(void *)condition, lock_of(mutex), INFINITE, 0))
        abort();
}

void ipc_condition_broadcast(ipc_condition *condition)
{
    WakeAllConditionVariable((CONDITION_VARIABLE *)(void *)condition);
}

typedef struct once_call {
    void (*function)(void);
} once_call;

static BOOL CALLBACK call_once(INIT_ONCE *once, void *argument, void **context)
{
    (void)once;
    (void)context;
    ((const once_call *)argument)->function();
    return TRUE;
}

void ipc_once_run(ipc_once *once, void (*function)(void))
{
    once_call call = {function};
    if (!InitOnceExecuteOnce((INIT_ONCE *)(void *)once, call_once, &call, NULL))
        abort();
}

typedef struct thread_start {
    void *(*function)(void *);
    void *argument;
} thread_start;

static DWORD WINAPI run(void *argument)
{
    const thread_start start = *(thread_start *)argument;
    free(argument);
    (void)start.function(start.argument);
    return 0;
}

ipc_status ipc_thread_start(ipc_thread *thread, void *(*function)(void *), void *argument)
{
    thread_start *start = malloc(sizeof *start);
    if (start == NULL)
        return ipc_fail(IPC_E_NO_MEMORY, "no memory for the process watch's thread");
    *start = (thread_start){function, argument};
    *thread = CreateThread(NULL, 0, run, start, 0, NULL);
    if (*thread == NULL) {
        const DWORD error = GetLastError();
        free(start);
        return ipc_fail_system((int)error, "cannot start the process watch's thread");
    }
    return IPC_OK;
}

void ipc_thread_join(ipc_thread thread)
{
    if (WaitForSingleObject(thread, INFINITE) != WAIT_OBJECT_0)
        abort();
    (void)CloseHandle(thread);
}

void ipc_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
    (void)prepare; /* there is none */
    (void)parent;
    (void)child;
}
