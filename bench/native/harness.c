#define _GNU_SOURCE
#include "harness.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char pair_name[32];

uint64_t *bench_times;
static uint64_t times_room, times_noted;

uint64_t bench_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void bench_fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

const char *bench_name(void)
{
    return pair_name;
}

void bench_note(void)
{
    if (times_noted < times_room)
        bench_times[times_noted++] = bench_now();
}

static int by_value(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Of too few it would be the maximum: "-". */
static void print_quantile(uint64_t at, uint64_t intervals)
{
    if (at + 1 >= intervals)
        printf("- ");
    else
        printf("%llu ", (unsigned long long)bench_times[at]);
}

/* One round whose operations are timed one by one. The first, which finds the other side asleep, is not counted. */
static void print_quantiles(const bench_figure *figure, void *state, uint64_t count)
{
    times_room = count + 1;
    times_noted = 0;
    bench_times = calloc(times_room, sizeof *bench_times);
    if (bench_times == NULL)
        bench_fail("quantiles", "no memory");
    (void)figure->measure(state, count);
    if (times_noted < 2)
        bench_fail(figure->name, "it does not say when an operation is done");
    const uint64_t intervals = times_noted - 1;
    for (uint64_t i = 0; i < intervals; i++)
        bench_times[i] = bench_times[i + 1] - bench_times[i];
    qsort(bench_times, intervals, sizeof *bench_times, by_value);
    print_quantile(intervals / 2, intervals);
    print_quantile(intervals * 99 / 100, intervals);
    print_quantile(intervals * 999 / 1000, intervals);
    printf("%llu\n", (unsigned long long)bench_times[intervals - 1]);
    free(bench_times);
    bench_times = NULL;
}

/* The whole process: the library's threads too. Threads that start later inherit it. */
static void pin(int core, int caller_only)
{
    if (core < 0)
        return;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((unsigned)core, &set);
    if (caller_only) {
        if (sched_setaffinity(0, sizeof set, &set) != 0)
            bench_fail("sched_setaffinity", strerror(errno));
        return;
    }
    DIR *tasks = opendir("/proc/self/task");
    if (tasks == NULL)
        bench_fail("/proc/self/task", strerror(errno));
    for (struct dirent *task; (task = readdir(tasks)) != NULL;) {
        pid_t thread = (pid_t)strtol(task->d_name, NULL, 10);
        if (thread > 0 && sched_setaffinity(thread, sizeof set, &set) != 0 && errno != ESRCH)
            bench_fail("sched_setaffinity", strerror(errno));
    }
    closedir(tasks);
}

/* Without its other half a spinning measurement would never end. */
static void on_child_ended(int signal_number)
{
    (void)signal_number;
    static const char text[] = "the answering process ended\n";
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    _exit(written > 0 ? 1 : 2);
}

static void answer_rounds(const bench_figure *figure, void *shared, int go, int core, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    void *state = figure->open ? figure->open(shared, 1) : shared;
    pin(core, figure->pins_caller_only);
    uint64_t count;
    while (read(go, &count, sizeof count) == (ssize_t)sizeof count)
        figure->answer(state, count);
    if (figure->close)
        figure->close(state, 1);
}

static void measure_rounds(const bench_figure *figure, void *shared, int go, int core, uint64_t count)
{
    void *state = figure->open ? figure->open(shared, 0) : shared;
    pin(core, figure->pins_caller_only);
    char line[64];
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (go >= 0 && write(go, &count, sizeof count) != (ssize_t)sizeof count)
            bench_fail("write", strerror(errno));
        if (strncmp(line, "quantiles", 9) == 0)
            print_quantiles(figure, state, count);
        else
            printf("%.4f\n", figure->measure(state, count));
        fflush(stdout);
    }
    signal(SIGCHLD, SIG_DFL); /* from here on its end is what we want */
    if (figure->close)
        figure->close(state, 0);
}

static int run(const bench_figure *figure, int measuring_core, int answering_core, uint64_t count)
{
    void *shared = NULL;
    if (figure->shared_bytes != 0) {
        shared =
            mmap(NULL, figure->shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        if (shared == MAP_FAILED)
            bench_fail("mmap", strerror(errno));
    }
    snprintf(pair_name, sizeof pair_name, "bench-%d", (int)getpid());
    if (figure->answer == NULL) {
        measure_rounds(figure, shared, -1, measuring_core, count);
        return 0;
    }

    int go[2];
    if (pipe(go) != 0)
        bench_fail("pipe", strerror(errno));
    signal(SIGCHLD, on_child_ended);
    pid_t parent = getpid();
    pid_t child = fork();
    if (child < 0)
        bench_fail("fork", strerror(errno));
    if (child == 0) {
        close(go[1]);
        signal(SIGCHLD, SIG_DFL);
        answer_rounds(figure, shared, go[0], answering_core, parent);
        exit(0);
    }
    close(go[0]);
    measure_rounds(figure, shared, go[1], measuring_core, count);
    close(go[1]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status == 0 ? 0 : 1;
}

/* The other half is another program's: it has nothing of this one but the name. */
static int run_half(const bench_figure *figure, const char *half, const char *name, uint64_t count)
{
    const int answers = strcmp(half, "answer") == 0;
    if ((!answers && strcmp(half, "measure") != 0) || figure->shared_bytes != 0 || figure->answer == NULL)
        bench_fail(figure->name, "has no such half");
    if (name == NULL || strlen(name) >= sizeof pair_name)
        bench_fail("--name", "a half has a name, of at most 31 bytes");
    snprintf(pair_name, sizeof pair_name, "%s", name);
    if (!answers) {
        measure_rounds(figure, NULL, -1, -1, count);
        return 0;
    }
    void *state = figure->open ? figure->open(NULL, 1) : NULL;
    char line[64];
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL) {
        figure->answer(state, count);
        puts("done");
        fflush(stdout);
    }
    if (figure->close)
        figure->close(state, 1);
    return 0;
}

int bench_main(int argc, char **argv, const bench_figure *figures, size_t figure_count)
{
    int measuring_core = -1, answering_core = -1;
    double scale = 1.0;
    const char *figure = argc > 1 ? argv[1] : "", *half = NULL, *name = NULL;
    for (int i = 2; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--cores") == 0 && sscanf(argv[i + 1], "%d,%d", &measuring_core, &answering_core) == 2)
            continue;
        if (strcmp(argv[i], "--scale") == 0 && (scale = strtod(argv[i + 1], NULL)) > 0)
            continue;
        if (strcmp(argv[i], "--half") == 0 && (half = argv[i + 1]) != NULL)
            continue;
        if (strcmp(argv[i], "--name") == 0 && (name = argv[i + 1]) != NULL)
            continue;
        bench_fail(argv[i], "not understood");
    }
    for (size_t i = 0; i < figure_count; i++) {
        if (strcmp(figures[i].name, figure) != 0)
            continue;
        const uint64_t scaled = (uint64_t)((double)figures[i].count * scale), count = scaled == 0 ? 1 : scaled;
        return half ? run_half(&figures[i], half, name, count)
                    : run(&figures[i], measuring_core, answering_core, count);
    }

    fprintf(stderr,
            "usage: %s FIGURE [--cores A,B] [--scale F] | FIGURE --half measure|answer --name NAME\nfigures:", argv[0]);
    for (size_t i = 0; i < figure_count; i++)
        fprintf(stderr, " %s", figures[i].name);
    fputc('\n', stderr);
    return 2;
}
