/* A peer that rewrites the word of a waiter between any two instructions of who signals there. */
#define _GNU_SOURCE
#include "test.h"
#include "waiting/waiter.h"

#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static ipc_waiter *shared_waiter(void)
{
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    return memory;
}

_Noreturn static void disarm_in_steps(ipc_waiter *waiter)
{
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(77);
    (void)raise(SIGSTOP);
    _exit(ipc_waiter_disarm(waiter) ? 1 : 0);
}

/* No CAS of it succeeds. It ends all the same, and who sleeps is woken: the peer spoils its own wake-ups alone. */
TEST(who_cannot_disarm_a_word_that_is_rewritten_wakes_all_the_same)
{
    ipc_waiter *waiter = shared_waiter();
    int status = 0;
    unsigned long steps = 0;
    ipc_store_relaxed32(&waiter->word, IPC_WAITER_SLEEPING);
    const pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0)
        disarm_in_steps(waiter);
    CHECK(waitpid(pid, &status, 0) == pid);
    while (WIFSTOPPED(status)) {
        CHECK(++steps < 100000); /* it does not loop for ever */
        (void)ipc_add32(&waiter->word, IPC_WAITER_SIGNAL);
        CHECK(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) == 0);
        CHECK(waitpid(pid, &status, 0) == pid);
    }
    if (WEXITSTATUS(status) == 77)
        test_skip("ptrace is not permitted here");
    CHECK(WIFEXITED(status));
    CHECK((ipc_load_relaxed32(&waiter->word) & IPC_WAITER_SLEEPING) != 0); /* as it was meant: no CAS has succeeded */
    CHECK_EQUAL(1, WEXITSTATUS(status));
    CHECK(munmap(waiter, 4096) == 0);
}
