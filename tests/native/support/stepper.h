/*
 * stepper.h - kills a process between any two of its instructions.
 *
 * Fault points are where somebody thought of a death. Here a victim does one operation in single steps (ptrace), is
 * killed after the n-th instruction, and everybody else goes on: nothing that was acknowledged is lost, nothing stays
 * stuck, the region is as new. Then the same with another n. By default some two dozen for each operation, at random
 * (the seed is printed before the first, IPC_STEP_SEED repeats it): the victim runs up to a system call and is stepped
 * from there. With IPC_TEST_LONG=1 every instruction, or every so many of a long operation.
 *
 * The victim can be a program in another language: `$IPC_STEP_HOST $IPC_STEP_VICTIM step CASE`, CASE being the test's
 * name (tests/peers/cs/Ipc.Peer/StepVerbs.cs). Its main thread does what `begin` and `operation` do here, and alone is
 * traced: the threads of a runtime go on beside it until the process is killed. Each victim is a process of its own
 * from the start on, a tenth of a second for .NET, so there are fewer of them.
 */
#ifndef IPC_TESTS_STEPPER_H
#define IPC_TESTS_STEPPER_H

#include "test.h"

typedef struct step_subject {
    void (*prepare)(void);        /* in the test's process, before there is a victim */
    void (*begin)(void);          /* in the victim, not stepped: opens its end, does what counts as acknowledged */
    void (*between)(void);        /* in the test's process, while the victim stands before its operation; or NULL */
    void (*operation)(void);      /* in the victim, step by step */
    void (*check)(bool finished); /* in the test's process: the victim is dead; had its operation returned? */
} step_subject;

/* Kills a victim at each of the chosen instructions. Skips the case where ptrace is not permitted. */
#define step_through(...) step_through_as(__func__, __VA_ARGS__)
void step_through_as(const char *test, const step_subject *subject);

/* What a region's file looks like to check_region: nothing may be wrong with it. EMPTY: no message is left in it,
 * either. */
void step_expect_as_new(const char *name, bool empty);

#endif
