#define _GNU_SOURCE
#include "stepper.h"

#include "check_region.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    SHORT_KILLS = 24,          /* of each operation */
    SHORT_KILLS_OF_OTHERS = 6, /* of each operation, in a program in another language */
    LONG_KILLS_OF_OTHERS = 600,
    FEW_CALLS = 12, /* system calls, entered and left: an operation with no more is stepped as a whole, the calls that
                       say BEGINS and ENDED included */
    SHORT_STEPS =
        600, /* at most, of each victim in a short run; before these it runs, from one system call to another */
    LONG_STEPS = 12000000, /* in all, of each operation in a long run: a minute on a machine that does nothing else */
};

/* The victim tells its tracer where it stands by signals, which are not delivered. */
enum { BEGINS = SIGUSR1, ENDED = SIGUSR2 };

static const char *running;       /* the test */
static const char *other_program; /* the victim's; NULL: it is this one */

static int victim(void *argument)
{
    const step_subject *subject = argument;
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        return 77;
    if (other_program != NULL) {
        const char *host = getenv("IPC_STEP_HOST");
        (void)execlp(host, host, other_program, "step", running, (char *)NULL);
        return 127;
    }
    subject->begin();
    (void)raise(BEGINS);
    subject->operation();
    (void)raise(ENDED);
    return 0; /* without closing anything: the tracer has killed it before */
}

static int next_stop(pid_t pid)
{
    int status = 0;
    pid_t seen;
    do
        seen = waitpid(pid, &status, 0);
    while (seen < 0 && errno == EINTR);
    CHECK(seen == pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        test_skip("ptrace is not permitted here");
    if (!WIFSTOPPED(status))
        test_fail(__FILE__, __LINE__, "the victim ended by itself: status 0x%x", (unsigned)status);
    return WSTOPSIG(status);
}

/* A program that starts has stops of its own before: the one of exec, and the signals of its runtime. */
static void await_begin(pid_t pid)
{
    for (;;) {
        const int stop = next_stop(pid);
        if (stop == BEGINS)
            return;
        if (other_program == NULL)
            test_fail(__FILE__, __LINE__, "the victim got signal %d while it began", stop);
        CHECK(ptrace(PTRACE_CONT, pid, NULL, (void *)(intptr_t)(stop == SIGTRAP ? 0 : stop)) == 0);
    }
}

/* Lets the victim go on, by STEPs of one instruction or from one entry or exit of a SYSCALL to the next, until it has
   done so LIMIT times or its operation has returned. How many it did. */
static uint64_t go_on(pid_t pid, int how, uint64_t limit, bool *finished)
{
    uint64_t stops = 0;
    int deliver = 0;
    while (stops < limit && !*finished) {
        if (ptrace(how, pid, NULL, (void *)(intptr_t)deliver) != 0)
            test_fail(__FILE__, __LINE__, "the victim cannot go on: %s", strerror(errno));
        const int signal = next_stop(pid) & 0x7f; /* of a system call: with a bit of its own */
        *finished = signal == ENDED;
        deliver = signal == SIGTRAP || *finished ? 0 : signal;
        stops++;
    }
    return stops;
}

typedef struct death {
    uint64_t calls; /* so many entries and exits of system calls at full speed */
    uint64_t steps; /* and then so many instructions */
    bool finished;  /* the operation had returned before */
} death;

/* One victim, killed there, and everybody else. Returns how far it came. */
static death kill_at(const step_subject *subject, uint64_t calls, uint64_t steps)
{
    death at = {0};
    subject->prepare();
    const pid_t pid = test_fork(victim, subject, 0);
    await_begin(pid);
    CHECK(ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)(intptr_t)PTRACE_O_TRACESYSGOOD) == 0);
    if (subject->between != NULL)
        subject->between();
    at.calls = go_on(pid, PTRACE_SYSCALL, calls, &at.finished);
    at.steps = go_on(pid, PTRACE_SINGLESTEP, steps, &at.finished);
    test_kill(pid);
    subject->check(at.finished);
    const int left = test_files();
    if (left != 0)
        test_fail(__FILE__, __LINE__, "%d files were left behind", left);
    return at;
}

static uint64_t random_state;

static uint64_t random_below(uint64_t bound)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 33) % bound;
}

/* Says before it kills where it will: if what follows hangs or fails, it is the last line. */
static void kill_and_say(const step_subject *subject, uint64_t calls, uint64_t steps)
{
    printf("killed %llu instructions behind stop %llu\n", (unsigned long long)steps, (unsigned long long)calls);
    fflush(stdout);
    (void)kill_at(subject, calls, steps);
}

static void every_instruction(const step_subject *subject)
{
    const uint64_t total = kill_at(subject, 0, UINT64_MAX).steps;
    uint64_t stride = 1; /* each costs as many steps as it is far from the beginning, and another program a start */
    while (total / stride * total / 2 > LONG_STEPS || (other_program != NULL && total / stride > LONG_KILLS_OF_OTHERS))
        stride++;
    for (uint64_t steps = random_below(stride); steps <= total; steps += stride)
        kill_and_say(subject, 0, steps);
}

void step_through_as(const char *test, const step_subject *subject)
{
    running = test;
    other_program = getenv("IPC_STEP_VICTIM");
    const char *given = getenv("IPC_STEP_SEED");
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    random_state = given != NULL ? strtoull(given, NULL, 10)
                                 : (uint64_t)now.tv_nsec / 1000u + (uint64_t)now.tv_sec % 1000u * 1000000u;
    printf("IPC_STEP_SEED=%llu\n", (unsigned long long)random_state);
    fflush(stdout);
    if (test_is_long()) {
        every_instruction(subject);
        return;
    }

    const int kills = other_program == NULL ? SHORT_KILLS : SHORT_KILLS_OF_OTHERS;
    const uint64_t calls = kill_at(subject, UINT64_MAX, 0).calls;
    const uint64_t total = calls > FEW_CALLS ? 0 : kill_at(subject, 0, UINT64_MAX).steps;
    printf("an operation of %llu stops at system calls, %llu instructions (0: not counted)\n",
           (unsigned long long)calls, (unsigned long long)total);
    for (int i = 0; i < kills; i++) {
        if (total != 0)
            kill_and_say(subject, 0, random_below(total));
        else
            kill_and_say(subject, random_below(calls), random_below(SHORT_STEPS));
    }
}

void step_expect_as_new(const char *name, bool empty)
{
    char path[512];
    test_path(name, path, sizeof path);
    const int wrong = check_region(path, empty ? CHECK_EMPTY : CHECK_IDLE, stderr);
    if (wrong != 0)
        test_fail(__FILE__, __LINE__, "%d things are wrong with the region %s", wrong, name);
}
