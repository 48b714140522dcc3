/*
 * bench_death - how long a sleeping survivor waits for a process that will never come back.
 *
 *   bench_death [--deaths N] --c "PROGRAM ARGUMENT..." [--cs "PROGRAM ARGUMENT..."]
 *
 * The programs are the peers of the tests with their verb `drive` (tests/peers/c/drive.c): one command per line, one
 * answer per line. A survivor and a victim of the same language bring an object to where the victim stands in the way:
 * it holds what the survivor sleeps for. The victim gets kill -9; what is measured is the time from the call of kill()
 * to the survivor's answer, so it contains the kernel's work at the end of a process, the notice, the recovery, the
 * wake-up, and a line through a pipe. Each death has a new victim and a new region.
 *
 * The last line is "deaths N, over 50 ms M". The exit code is not 0 when a survivor answered anything unexpected or
 * nothing for a minute. No time makes it fail: that is for whoever reads the table, on a machine that is quiet.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORDS = 16, STEPS = 8, LINE = 512, LOOKS = 20, PATIENCE_MS = 60000, DEATHS_MOST = 100000 };

/* Statuses of ipc.h; answers begin with them. */
enum { OK = 0, PEER_DIED = 8, ABANDONED = 9 };

/* A step: who does it (survivor, victim; capitals: without waiting for the answer), a colon, and a command; %s is the
   region. The last step of the survivor is what it sleeps in. */
static const struct {
    const char *name;
    int expected;
    const char *steps[STEPS];
} scenes[] = {
    {"queue.sender",
     OK, /* a block is being filled for ever, and the queue is full at it */
     {"s:open-queue 1 %s block=64 count=2 wait=block", "v:open-queue 1 %s open=existing", "v:claim 1 20",
      "s:write 1 1 20 1", "S:write 1 2 20 2 timeout=60000"}},
    {"queue.receiver",
     OK, /* the only message is in its hands */
     {"s:open-queue 1 %s block=64 count=2 wait=block", "v:open-queue 1 %s open=existing", "s:write 1 1 20 1",
      "v:read 1 timeout=60000", "S:read 1 timeout=60000"}},
    {"topic.reader",
     OK, /* the slowest reliable reader */
     {"s:open-publisher 1 %s block=64 count=2 wait=block", "v:open-subscriber 1 %s open=existing", "s:write 1 1 20 1",
      "s:write 1 2 20 2", "S:write 1 3 20 3 timeout=60000"}},
    {"mutex.holder",
     ABANDONED,
     {"s:open-mutex 1 %s wait=block", "v:open-mutex 1 %s open=existing", "v:acquire 1", "S:acquire 1 timeout=60000"}},
    {"semaphore.holder",
     ABANDONED,
     {"s:open-semaphore 1 %s wait=block", "v:open-semaphore 1 %s open=existing", "v:acquire 1",
      "S:acquire 1 timeout=60000"}},
    {"ring.writer",
     PEER_DIED,
     {"s:open-reader 1 %s wait=block", "v:open-writer 1 %s open=existing", "S:read 1 timeout=60000"}},
    {"connection.server",
     PEER_DIED,
     {"v:listen 1 %s max=63", "V:serve 1 timeout=60000", "s:connect 1 %s timeout=60000 wait=block",
      "S:read 1 timeout=60000"}},
};

typedef struct peer {
    pid_t pid;
    FILE *to, *from;
} peer;

static peer survivor, victim;

static void fail(const char *what, const char *detail)
{
    fprintf(stderr, "bench_death: %s: %s\n", what, detail);
    for (int i = 0; i < 2; i++)
        if ((i == 0 ? survivor : victim).pid > 0)
            kill((i == 0 ? survivor : victim).pid, SIGKILL);
    exit(1);
}

static int answer(const peer *p, const char *command)
{
    char line[LINE];
    struct pollfd ready = {.fd = fileno(p->from), .events = POLLIN};
    if (poll(&ready, 1, PATIENCE_MS) != 1)
        fail(command, "no answer");
    if (fgets(line, sizeof line, p->from) == NULL)
        fail(command, "the peer has ended");
    return atoi(line);
}

static peer start(char *const *words)
{
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
        fail("pipe", "none");
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent && dup2(in[0], 0) == 0 && dup2(out[1], 1) == 1)
            execvp(words[0], words);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    const peer started = {.pid = child, .to = fdopen(in[1], "w"), .from = fdopen(out[0], "r")};
    if (child < 0 || started.to == NULL || started.from == NULL)
        fail(words[0], "cannot be started");
    (void)answer(&started, "ready"); /* its first line */
    return started;
}

static void end(peer *p)
{
    kill(p->pid, SIGKILL);
    waitpid(p->pid, NULL, 0);
    (void)fclose(p->to);
    (void)fclose(p->from);
    p->pid = 0;
}

static void send(const peer *p, const char *command)
{
    if (fprintf(p->to, "%s\n", command) < 0 || fflush(p->to) != 0)
        fail(command, "the peer has gone");
}

/* No thread of it runs. */
static bool is_asleep(pid_t pid)
{
    char path[320], stat[LINE];
    bool asleep = true;
    (void)snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *open = opendir(path);
    for (struct dirent *task; open != NULL && asleep && (task = readdir(open)) != NULL;) {
        if (task->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof path, "/proc/%d/task/%s/stat", (int)pid, task->d_name);
        FILE *file = fopen(path, "r");
        const char *after = file != NULL && fgets(stat, sizeof stat, file) != NULL ? strrchr(stat, ')') : NULL;
        asleep = after == NULL || after[2] != 'R';
        if (file != NULL)
            (void)fclose(file);
    }
    if (open != NULL)
        closedir(open);
    return asleep;
}

static void wait_until_asleep(void)
{
    const struct timespec pause = {.tv_nsec = 200000};
    for (int looks = 0, turns = 0; looks < LOOKS; turns++) {
        looks = is_asleep(survivor.pid) ? looks + 1 : 0;
        if (turns > 100000)
            fail("the survivor", "does not fall asleep");
        (void)nanosleep(&pause, NULL);
    }
    struct pollfd ready = {.fd = fileno(survivor.from), .events = POLLIN};
    if (poll(&ready, 1, 0) != 0)
        fail("the survivor", "did not sleep: nothing stood in its way");
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double die_once(char *const *words, int scene, int round)
{
    char region[64], command[LINE];
    (void)snprintf(region, sizeof region, "death-%d-%d", scene, round);
    victim = start(words);
    for (const char *const *step = scenes[scene].steps; *step != NULL; step++) {
        const bool survives = **step == 's' || **step == 'S';
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        (void)snprintf(command, sizeof command, *step + 2, region);
#pragma GCC diagnostic pop
        send(survives ? &survivor : &victim, command);
        if ((**step == 's' || **step == 'v') && answer(survives ? &survivor : &victim, command) != OK)
            fail(scenes[scene].name, command);
    }
    wait_until_asleep();
    const double began = now_ms();
    kill(victim.pid, SIGKILL);
    const int status = answer(&survivor, command);
    const double took = now_ms() - began;
    if (status != scenes[scene].expected)
        fail(scenes[scene].name, "another status than expected");
    end(&victim);
    send(&survivor, "close 1");
    (void)answer(&survivor, "close 1");
    return took;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The table's rows of one language. How many deaths took longer than 50 ms. */
static int measure(const char *language, char *const *words, int deaths)
{
    static double took[DEATHS_MOST];
    int over = 0;
    survivor = start(words);
    for (int scene = 0; scene < (int)(sizeof scenes / sizeof scenes[0]); scene++) {
        char name[64];
        (void)die_once(words, scene, deaths); /* the first one also compiles */
        for (int i = 0; i < deaths; i++) {
            took[i] = die_once(words, scene, i);
            over += took[i] > 50;
        }
        qsort(took, (size_t)deaths, sizeof took[0], by_size);
        (void)snprintf(name, sizeof name, "death.%s.%s", scenes[scene].name, language);
        printf("%-30s %8d %9.2f %9.2f %9.2f\n", name, deaths, took[deaths / 2], took[(deaths * 99 - 1) / 100],
               took[deaths - 1]);
        (void)fflush(stdout);
    }
    end(&survivor);
    return over;
}

static void split(char *text, char **words)
{
    int count = 0;
    for (char *w; count < WORDS - 1 && (w = strsep(&text, " ")) != NULL;)
        if (*w != '\0')
            words[count++] = w;
    words[count] = NULL;
}

int main(int count, char **arguments)
{
    char *c[WORDS] = {0}, *cs[WORDS] = {0};
    int deaths = 100, over = 0;
    for (int i = 1; i + 1 < count; i += 2) {
        if (strcmp(arguments[i], "--deaths") == 0)
            deaths = atoi(arguments[i + 1]);
        else if (strcmp(arguments[i], "--c") == 0)
            split(arguments[i + 1], c);
        else if (strcmp(arguments[i], "--cs") == 0)
            split(arguments[i + 1], cs);
    }
    if (count % 2 == 0 || (c[0] == NULL && cs[0] == NULL) || deaths < 1 || deaths > DEATHS_MOST) {
        fprintf(stderr, "usage: bench_death [--deaths N] --c \"PROGRAM ARGUMENT...\" [--cs \"PROGRAM ARGUMENT...\"]\n");
        return 2;
    }
    (void)signal(SIGPIPE, SIG_IGN);
    printf("%-30s %8s %9s %9s %9s\n", "from kill -9 to going on", "deaths", "p50, ms", "p99, ms", "max, ms");
    if (c[0] != NULL)
        over += measure("c", c, deaths);
    if (cs[0] != NULL)
        over += measure("cs", cs, deaths);
    printf("deaths %d, over 50 ms %d\n",
           deaths * (int)(sizeof scenes / sizeof scenes[0]) * ((c[0] != NULL) + (cs[0] != NULL)), over);
    return 0;
}
