/*
 * storm - real processes of both languages under load, killed at random instructions.
 *
 *   storm --kind queue|topic|ring|lock [--kills N] [--stop [--longest MS]] [--exact] [--soak SECONDS] [--seed S]
 *         [--everybody] [--managed "PROGRAM ARGUMENT..."] --native PROGRAM
 *
 * Keeps a mixture of senders and receivers at work, kills one at random (with --stop: stops one for a while instead),
 * starts another in its place, and after the last lets everything arrive. Then it counts: messages acknowledged and
 * never delivered (lost); delivered again without the flag (repeated); what a walk over the whole region complains of,
 * and files (left behind). Nobody waits with a deadline, so a wake-up that is lost stays lost and the storm is stuck,
 * which fails it.
 *
 * A storm of locks (a mutex, a semaphore and an event together, storm_lock.c) counts turns in the mutex instead of
 * messages: lost are turns that are missing from what the mutex guards, and deaths inside that nobody was told of;
 * repeated are turns too many, and those who were told of a death that was none (storm_holders.c).
 *
 * An exact storm (a topic's, --exact) stops, and its senders abandon nothing: every place of the topic holds a message,
 * so lossy and evict readers of both languages, which stay throughout, must be told of exactly as many lost messages as
 * there are places between those that they got, message by message (storm_topic.c).
 *
 * A storm of everybody (a queue's or a ring's) kills all workers at once, waits a while in which nobody is alive, and
 * starts as many anew: what was acknowledged before has to come all the same.
 *
 * A soak is a storm for so many seconds, not so many kills, in which a sender and receivers of both languages stay
 * throughout: what they and the regions use has to be flat (storm_soak.c), which is counted as left behind otherwise.
 *
 * The last line is: kills N, acknowledged A, lost L, repeated unflagged R, left behind F. With --stop nobody dies, so
 * nothing may be delivered twice at all: stops N, acknowledged A, lost L, repeated R, left behind F. The exit code is 0
 * when the last three are 0.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check_region.h"
#include "storm_run.h"
#include "storm_soak.h"

enum { STUCK_SECONDS = 30, MANAGED_MOST = 2, ANY = 8 };

typedef struct place {
    char role; /* 's' sends, 'r' receives */
    pid_t pid; /* 0: nobody */
    uint32_t id;
    bool managed;
    bool stays;      /* through a soak: it is not struck */
    uint32_t nature; /* its seed modulo 8, which says what it is like; ANY */
} place;

storm_run run = {.kind = "queue", .kills = 100, .longest_stop_ms = 100};
static char **const native = run.native, **const managed = run.managed;
static place places[STORM_PLACES];
static int place_count;

static uint64_t random_below(uint64_t limit)
{
    run.seed ^= run.seed << 13;
    run.seed ^= run.seed >> 7;
    run.seed ^= run.seed << 17;
    return (run.seed >> 11) % limit;
}

static void pause_ms(uint64_t ms)
{
    const struct timespec t = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    nanosleep(&t, NULL);
}

static void kill_all(void)
{
    for (int i = 0; i < place_count; i++)
        if (places[i].pid > 0) {
            kill(places[i].pid, SIGKILL);
            waitpid(places[i].pid, NULL, 0);
            places[i].pid = 0;
        }
}

static void remove_directory(void)
{
    DIR *open = opendir(run.directory);
    for (struct dirent *entry; open != NULL && (entry = readdir(open)) != NULL;)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(open), entry->d_name, 0);
    if (open != NULL)
        closedir(open);
    rmdir(run.directory);
}

static void give_up(const char *why)
{
    fprintf(stderr, "storm: %s\n", why);
    (void)check_region(run.region_path, CHECK_BUSY, stderr);
    kill_all();
    remove_directory();
    exit(1);
}

/* The steady sender of a soak spreads its numbers over all of it. */
static void set_pace(bool steady)
{
    char pace[24];
    (void)snprintf(pace, sizeof pace, "%lu", steady ? (run.soak_seconds + 30) * 1000000000ul / STORM_PER_SENDER : 0ul);
    setenv("IPC_STORM_PACE", pace, 1);
}

static int managed_alive(void)
{
    int count = 0;
    for (int i = 0; i < place_count; i++)
        count += places[i].pid > 0 && places[i].managed;
    return count;
}

/* Starts a worker: peer storm KIND-ROLE NAME SIDE ID SEED. */
static pid_t start(const char *role, uint32_t id, bool in_managed, uint32_t nature)
{
    char side_path[64], number[16], chance[24], verb[32];
    char *words[STORM_WORDS + 8];
    int count = 0;
    for (char **w = in_managed ? managed : native; *w != NULL; w++)
        words[count++] = *w;
    (void)snprintf(verb, sizeof verb, "%s-%s", run.kind, role);
    (void)snprintf(side_path, sizeof side_path, "/proc/%d/fd/%d", (int)getpid(), run.side_file);
    (void)snprintf(number, sizeof number, "%u", id);
    const uint64_t any = random_below(1u << 30);
    (void)snprintf(chance, sizeof chance, "%" PRIu64, nature == ANY ? any : any / 8 * 8 + nature);
    char storm[] = "storm", name[] = STORM_REGION;
    char *const last[] = {storm, verb, name, side_path, number, chance, NULL};
    memcpy(words + count, last, sizeof last);
    const pid_t parent = getpid(), child = fork();
    if (child != 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent)
        execvp(words[0], words);
    _exit(127);
}

static void occupy(place *p)
{
    if (run.next_id >= run.workers)
        give_up("more workers than there are records for");
    if (!p->stays && p->nature == ANY)
        p->managed = managed[0] != NULL && managed_alive() < MANAGED_MOST && random_below(5) == 0;
    set_pace(p->stays);
    p->id = run.next_id++;
    p->pid = start(p->role == 's' ? "send" : "receive", p->id, p->managed, p->nature);
    if (p->pid < 0)
        give_up(strerror(errno));
}

static void judge(const place *p, int status)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return;
    run.wrong++;
    fprintf(stderr, "storm: worker %u (%s, %s) ended with %s %d\n", p->id, p->role == 's' ? "sender" : "receiver",
            p->managed ? "C#" : "C", WIFSIGNALED(status) ? "signal" : "code",
            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    give_up("a worker failed");
}

static uint64_t progress(void)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < run.next_id; i++)
        sum += storm_record_of(run.side, i)->done + storm_record_of(run.side, i)->received;
    return sum;
}

/* Ends of their own accord: a sender that has no numbers left is replaced. Also notices that nothing moves any more. */
static void look_around(bool replace)
{
    static uint64_t last;
    static time_t when;
    for (int i = 0; i < place_count; i++) {
        int status;
        if (places[i].pid > 0 && waitpid(places[i].pid, &status, WNOHANG) > 0) {
            places[i].pid = 0;
            judge(&places[i], status);
        }
        if (places[i].pid == 0 && replace)
            occupy(&places[i]);
    }
    const uint64_t now = progress();
    if (now != last || when == 0) {
        last = now;
        when = time(NULL);
    } else if (time(NULL) - when > STUCK_SECONDS) {
        give_up("nothing moves any more: a wake-up or a recovery was lost");
    }
}

/* What the dead have committed is nobody's for a while; whoever opens next inherits it. */
static void strike_all(void)
{
    int status[STORM_PLACES];
    for (int i = 0; i < place_count; i++)
        if (places[i].pid > 0)
            kill(places[i].pid, SIGKILL);
    for (int i = 0; i < place_count; i++) {
        place *p = &places[i];
        if (p->pid <= 0 || waitpid(p->pid, &status[i], 0) < 0)
            continue;
        p->pid = 0;
        if (!WIFSIGNALED(status[i])) {
            judge(p, status[i]);
            continue;
        }
        storm_record_of(run.side, p->id)->dead = 1;
        run.kills++;
    }
    pause_ms(random_below(5));
    for (int i = 0; i < place_count; i++)
        occupy(&places[i]);
}

static void strike(void)
{
    for (uint64_t rest = random_below(70); rest > 0; rest--) { /* and some die right after the one before */
        pause_ms(1);
        look_around(true);
    }
    if (run.everybody) {
        strike_all();
        return;
    }
    place *p = &places[random_below((uint64_t)place_count)];
    if (p->pid <= 0 || p->stays)
        return;
    if (run.stopping) {
        kill(p->pid, SIGSTOP);
        pause_ms(random_below(run.longest_stop_ms));
        kill(p->pid, SIGCONT);
        run.stops++;
        return;
    }
    if (storm_is_lock())
        storm_look_at(p->pid, p->id);
    int status;
    kill(p->pid, SIGKILL);
    waitpid(p->pid, &status, 0);
    storm_record_of(run.side, p->id)->dead = 1;
    p->pid = 0;
    if (WIFSIGNALED(status))
        run.kills++;
    else
        judge(p, status);
    occupy(p);
}

/* Like a storm, by the clock, at a slower pace: some die, some end orderly. */
static void soak(void)
{
    static const char *const names[] = {"sender, C", "receiver, C", "sender, C#", "receiver, C#"};
    const time_t began = time(NULL), apart = 1 + (time_t)run.soak_seconds / 10000;
    time_t sampled = began;
    pid_t pids[SOAK_STEADY];
    while (time(NULL) - began < (time_t)run.soak_seconds) {
        int steady = 0;
        strike();
        for (int i = 0; i < place_count; i++)
            if (places[i].stays)
                pids[steady++] = places[i].pid;
        if (time(NULL) - sampled >= apart) {
            sampled = time(NULL);
            storm_settle();
            soak_sample(pids, names, steady, run.directory, run.region_path);
        }
    }
}

static bool anybody(char role)
{
    for (int i = 0; i < place_count; i++)
        if (places[i].role == role && places[i].pid > 0)
            return true;
    return false;
}

static void run_to_its_end(const char *role, bool in_managed)
{
    if (run.next_id >= run.workers)
        give_up("more workers than there are records for");
    place p = {.role = 's', .id = run.next_id++, .managed = in_managed};
    p.pid = start(role, p.id, in_managed, ANY);
    for (int status;;) {
        if (waitpid(p.pid, &status, WNOHANG) > 0) {
            judge(&p, status);
            return;
        }
        pause_ms(1);
        look_around(false);
    }
}

/* Senders end, then receivers find end marks behind everything; last a newcomer of each language cleans up after the
 * dead. */
static void drain(void)
{
    ((storm_head *)(void *)run.side)->finish = STORM_FINISH;
    while (anybody('s') || (storm_is_lock() && !storm_all_noticed())) { /* a set that woke nobody stays unnoticed */
        pause_ms(1);
        look_around(false);
    }
    while (anybody('r')) { /* one mark ends one receiver of a queue, and every reader of a topic */
        run_to_its_end("end", false);
        for (int i = 0; i < 50 && anybody('r'); i++) {
            pause_ms(1);
            look_around(false);
        }
    }
    run_to_its_end("sweep", false);
    if (managed[0] != NULL)
        run_to_its_end("sweep", true);
}

static void prepare(unsigned long events)
{
    const char *under = getenv("IPC_DIR");
    (void)snprintf(run.directory, sizeof run.directory, "%s/ipc-test-storm-XXXXXX",
                   under != NULL && *under != '\0' ? under : "/dev/shm");
    if (mkdtemp(run.directory) == NULL) {
        perror(run.directory);
        exit(1);
    }
    (void)snprintf(run.region_path, sizeof run.region_path, "%s/" STORM_REGION, run.directory);
    setenv("IPC_DIR", run.directory, 1);
    setenv("DOTNET_TieredPGO", "0", 1);
    setenv("IPC_STORM_EXACT", run.exact ? "1" : "0", 1);
    run.workers = (uint32_t)(3 * events + 256 + 40 * run.soak_seconds);
    run.side_file = memfd_create("storm", 0);
    if (run.side_file < 0 || ftruncate(run.side_file, (off_t)storm_size(run.workers)) != 0)
        give_up(strerror(errno));
    void *memory =
        mmap(NULL, storm_size(run.workers), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, run.side_file, 0);
    if (memory == MAP_FAILED)
        give_up(strerror(errno));
    run.side = memory;
    ((storm_head *)memory)->workers = run.workers;
    place_count = run.exact ? 8 : strcmp(run.kind, "ring") == 0 ? 2 : 6;
    for (int i = 0; i < place_count; i++)
        places[i] = (place){.role = i % 2 == 0 ? 's' : 'r', .nature = ANY};
    for (int i = 0; run.exact && i < place_count; i++) { /* lossy, evict, lossy, evict; writers with deadlines */
        places[i].nature = i % 2 == 0 ? 1 : i % 4 == 1 ? 3 : 5;
        places[i].managed = managed[0] != NULL && (i == 1 || i == 3 || i == 6);
    }
    for (int i = 0; run.soak_seconds != 0 && i < (managed[0] != NULL ? 4 : 2); i++, place_count++) {
        memmove(places + i + 1, places + i, sizeof *places * (size_t)(place_count - i));
        places[i] = (place){.role = i % 2 == 0 ? 's' : 'r', .managed = i >= 2, .stays = true, .nature = ANY};
    }
}

int main(int count, char **arguments)
{
    if (!storm_options(count, arguments))
        return 2;
    const unsigned long events = run.kills;
    if (run.seed == 0)
        run.seed = (uint64_t)time(NULL) * 2654435761u + (uint64_t)getpid();
    printf("seed %" PRIu64 "\n", run.seed);
    (void)fflush(stdout);
    run.kills = 0;
    prepare(events);
    for (int i = 0; i < place_count; i++)
        occupy(&places[i]);
    if (run.soak_seconds != 0)
        soak();
    else
        while ((run.stopping ? run.stops : run.kills) < events)
            strike();
    drain();
    const int result = storm_count();
    remove_directory();
    return result;
}
