/* Threads and locks within the process. A failure here is a defect of this library, not a condition to handle. */
#define _GNU_SOURCE
#include "platform/error.h"
#include "platform/platform.h"

#include <signal.h>
#include <stdlib.h>

static void must(int error)
{
    if (error != 0)
        abort();
}

void ipc_mutex_init(ipc_mutex *mutex)
{
    must(pthread_mutex_init(mutex, NULL));
}

void ipc_mutex_destroy(ipc_mutex *mutex)
{
    (void)pthread_mutex_destroy(mutex);
}

void ipc_mutex_lock(ipc_mutex *mutex)
{
    must(pthread_mutex_lock(mutex));
}

bool ipc_mutex_try_lock(ipc_mutex *mutex)
{
    return pthread_mutex_trylock(mutex) == 0;
}

void ipc_mutex_unlock(ipc_mutex *mutex)
{
    must(pthread_mutex_unlock(mutex));
}

void ipc_condition_wait(ipc_condition *condition, ipc_mutex *mutex)
{
    must(pthread_cond_wait(condition, mutex));
}

void ipc_condition_broadcast(ipc_condition *condition)
{
    must(pthread_cond_broadcast(condition));
}

void ipc_once_run(ipc_once *once, void (*function)(void))
{
    must(pthread_once(once, function));
}

ipc_status ipc_thread_start(ipc_thread *thread, void *(*function)(void *), void *argument)
{
    sigset_t all;
    sigset_t before;
    (void)sigfillset(&all);
    must(pthread_sigmask(SIG_SETMASK, &all, &before)); /* the program's signals are for the program's threads */
    int error = pthread_create(thread, NULL, function, argument);
    must(pthread_sigmask(SIG_SETMASK, &before, NULL));
    return error == 0 ? IPC_OK : ipc_fail_system(error, "cannot start the process watch's thread");
}

void ipc_thread_join(ipc_thread thread)
{
    must(pthread_join(thread, NULL));
}

void ipc_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
    must(pthread_atfork(prepare, parent, child));
}
