/*
 * storm - real processes of both languages under load, killed at random instructions.
 *
 *   storm --kind queue|topic|ring [--kills N] [--stop] [--soak SECONDS] [--seed S] [--managed "PROGRAM ARGUMENT..."]
 * --native PROGRAM
 *
 * Keeps a mixture of senders and receivers at work, kills one at random (with --stop: stops one for a while instead),
 * starts another in its place, and after the last lets everything arrive. Then it counts: messages acknowledged and
 * never delivered (lost); delivered again without the flag (repeated); what a walk over the whole region complains of,
 * and files (left behind). Nobody waits with a deadline, so a wake-up that is lost stays lost and the storm is stuck,
 * which fails it.
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
#include "storm_side.h"
#include "storm_soak.h"

enum { PLACES = 12, WORDS = 16, STUCK_SECONDS = 30, MANAGED_MOST = 2 };
#define REGION "storm"

typedef struct place {
    char role; /* 's' sends, 'r' receives */
    pid_t pid; /* 0: nobody */
    uint32_t id;
    bool managed;
    bool stays; /* through a soak: it is not struck */
} place;

static const char *kind = "queue";
static char *native[WORDS], *managed[WORDS];
static unsigned long kills = 100, stops, soak_seconds;
static bool stopping;
static uint64_t seed;
static place places[PLACES];
static int place_count;
static char *side;
static int side_file;
static uint32_t workers, next_id;
static char directory[256], region_path[300];
static uint64_t wrong;
static uint32_t settled = PLACES;
static uint64_t settled_lost;

static uint64_t random_below(uint64_t limit)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (seed >> 11) % limit;
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
    DIR *open = opendir(directory);
    for (struct dirent *entry; open != NULL && (entry = readdir(open)) != NULL;)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(open), entry->d_name, 0);
    if (open != NULL)
        closedir(open);
    rmdir(directory);
}

static void give_up(const char *why)
{
    fprintf(stderr, "storm: %s\n", why);
    (void)check_region(region_path, CHECK_BUSY, stderr);
    kill_all();
    remove_directory();
    exit(1);
}

/* The steady sender of a soak spreads its numbers over all of it. */
static void set_pace(bool steady)
{
    char pace[24];
    (void)snprintf(pace, sizeof pace, "%lu", steady ? (soak_seconds + 30) * 1000000000ul / STORM_PER_SENDER : 0ul);
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
static pid_t start(const char *role, uint32_t id, bool in_managed)
{
    char side_path[64], number[16], chance[24], verb[32];
    char *words[WORDS + 8];
    int count = 0;
    for (char **w = in_managed ? managed : native; *w != NULL; w++)
        words[count++] = *w;
    (void)snprintf(verb, sizeof verb, "%s-%s", kind, role);
    (void)snprintf(side_path, sizeof side_path, "/proc/%d/fd/%d", (int)getpid(), side_file);
    (void)snprintf(number, sizeof number, "%u", id);
    (void)snprintf(chance, sizeof chance, "%" PRIu64, random_below(1u << 30));
    char storm[] = "storm", name[] = REGION;
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
    if (next_id >= workers)
        give_up("more workers than there are records for");
    if (!p->stays)
        p->managed = managed[0] != NULL && managed_alive() < MANAGED_MOST && random_below(5) == 0;
    set_pace(p->stays);
    p->id = next_id++;
    p->pid = start(p->role == 's' ? "send" : "receive", p->id, p->managed);
    if (p->pid < 0)
        give_up(strerror(errno));
}

static void judge(const place *p, int status)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return;
    wrong++;
    fprintf(stderr, "storm: worker %u (%s, %s) ended with %s %d\n", p->id, p->role == 's' ? "sender" : "receiver",
            p->managed ? "C#" : "C", WIFSIGNALED(status) ? "signal" : "code",
            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    give_up("a worker failed");
}

static uint64_t lost_of(uint32_t id)
{
    const uint64_t done = storm_record_of(side, id)->done;
    uint64_t lost = 0;
    for (uint64_t i = 0; i < done && strcmp(kind, "topic") != 0; i++)
        lost += *storm_seen(side, (uint64_t)id << 32 | i) == 0;
    return lost;
}

/* A soak counts those who are long gone now and then, and gives the memory of their notes back. Those who stay came
 * first. */
static void settle(void)
{
    for (; settled + 256 < next_id; settled++) {
        settled_lost += lost_of(settled);
        const uint64_t at = (uint64_t)((char *)storm_seen(side, (uint64_t)settled << 32) - side),
                       from = (at + 4095) & ~UINT64_C(4095);
        (void)fallocate(side_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
                        (off_t)(at + STORM_PER_SENDER - from) & ~4095);
    }
}

static uint64_t progress(void)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < next_id; i++)
        sum += storm_record_of(side, i)->done + storm_record_of(side, i)->received;
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

static void strike(void)
{
    for (uint64_t rest = random_below(70); rest > 0; rest--) { /* and some die right after the one before */
        pause_ms(1);
        look_around(true);
    }
    place *p = &places[random_below((uint64_t)place_count)];
    if (p->pid <= 0 || p->stays)
        return;
    if (stopping) {
        kill(p->pid, SIGSTOP);
        for (uint64_t rest = random_below(100); rest > 0; rest--)
            pause_ms(1);
        kill(p->pid, SIGCONT);
        stops++;
        return;
    }
    kill(p->pid, SIGKILL);
    int status;
    waitpid(p->pid, &status, 0);
    p->pid = 0;
    if (WIFSIGNALED(status))
        kills++;
    else
        judge(p, status);
    occupy(p);
}

/* Like a storm, by the clock, at a slower pace: some die, some end orderly. */
static void soak(void)
{
    static const char *const names[] = {"sender, C", "receiver, C", "sender, C#", "receiver, C#"};
    const time_t began = time(NULL), apart = 1 + (time_t)soak_seconds / 10000;
    time_t sampled = began;
    pid_t pids[SOAK_STEADY];
    while (time(NULL) - began < (time_t)soak_seconds) {
        int steady = 0;
        strike();
        for (int i = 0; i < place_count; i++)
            if (places[i].stays)
                pids[steady++] = places[i].pid;
        if (time(NULL) - sampled >= apart) {
            sampled = time(NULL);
            settle();
            soak_sample(pids, names, steady, directory, region_path);
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
    if (next_id >= workers)
        give_up("more workers than there are records for");
    place p = {.role = 's', .id = next_id++, .managed = in_managed};
    p.pid = start(role, p.id, in_managed);
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
    ((storm_head *)(void *)side)->finish = 1;
    while (anybody('s')) {
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

static int leftovers(void)
{
    int count = check_region(region_path, CHECK_EMPTY, stderr);
    if (count < 0) {
        fprintf(stderr, "storm: %s is gone\n", region_path);
        count = 1;
    }
    unlink(region_path); /* it is persistent */
    DIR *open = opendir(directory);
    for (struct dirent *entry; open != NULL && (entry = readdir(open)) != NULL;)
        if (entry->d_name[0] != '.') {
            fprintf(stderr, "storm: the file %s is left\n", entry->d_name);
            count++;
        }
    if (open != NULL)
        closedir(open);
    return count;
}

static int count_all(void)
{
    uint64_t acknowledged = 0, lost = settled_lost, repeated = 0, redelivered = 0, received = 0;
    for (uint32_t id = 0; id < next_id; id++) {
        const storm_record *r = storm_record_of(side, id);
        acknowledged += r->done;
        received += r->received;
        redelivered += r->redelivered;
        lost += r->lost;
        repeated += r->repeated;
        if (id < PLACES || id >= settled)
            lost += lost_of(id);
    }
    if (stopping)
        repeated += redelivered;
    const int grown = soak_seconds != 0 ? soak_report() : 0;
    const int behind = leftovers() + grown;
    printf("%u workers, %" PRIu64 " deliveries, %" PRIu64 " of them flagged\n", next_id, received, redelivered);
    printf("%s %lu, acknowledged %" PRIu64 ", lost %" PRIu64 ", repeated%s %" PRIu64 ", left behind %d\n",
           stopping ? "stops" : "kills", stopping ? stops : kills, acknowledged, lost, stopping ? "" : " unflagged",
           repeated, behind);
    return lost != 0 || repeated != 0 || behind != 0 || wrong != 0 || acknowledged == 0;
}

static void prepare(unsigned long events)
{
    const char *under = getenv("IPC_DIR");
    (void)snprintf(directory, sizeof directory, "%s/ipc-test-storm-XXXXXX",
                   under != NULL && *under != '\0' ? under : "/dev/shm");
    if (mkdtemp(directory) == NULL) {
        perror(directory);
        exit(1);
    }
    (void)snprintf(region_path, sizeof region_path, "%s/" REGION, directory);
    setenv("IPC_DIR", directory, 1);
    setenv("DOTNET_TieredPGO", "0", 1);
    workers = (uint32_t)(3 * events + 256 + 40 * soak_seconds);
    side_file = memfd_create("storm", 0);
    if (side_file < 0 || ftruncate(side_file, (off_t)storm_size(workers)) != 0)
        give_up(strerror(errno));
    void *memory = mmap(NULL, storm_size(workers), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, side_file, 0);
    if (memory == MAP_FAILED)
        give_up(strerror(errno));
    side = memory;
    ((storm_head *)memory)->workers = workers;
    place_count = strcmp(kind, "ring") == 0 ? 2 : 6;
    for (int i = 0; i < place_count; i++)
        places[i].role = i % 2 == 0 ? 's' : 'r';
    for (int i = 0; soak_seconds != 0 && i < (managed[0] != NULL ? 4 : 2); i++, place_count++) {
        memmove(places + i + 1, places + i, sizeof *places * (size_t)(place_count - i));
        places[i] = (place){.role = i % 2 == 0 ? 's' : 'r', .managed = i >= 2, .stays = true};
    }
}

static void split(char *text, char **words)
{
    int count = 0;
    for (char *w; count < WORDS - 1 && (w = strsep(&text, " ")) != NULL;)
        if (*w != '\0')
            words[count++] = w;
    words[count] = NULL;
}

static int usage(void)
{
    fprintf(stderr, "usage: storm --kind queue|topic|ring [--kills N] [--stop] [--soak SECONDS] [--seed S] "
                    "[--managed \"PROGRAM ARGUMENT...\"] --native PROGRAM\n");
    return 2;
}

int main(int count, char **arguments)
{
    for (int i = 1; i < count; i++) {
        char *value = i + 1 < count ? arguments[i + 1] : NULL;
        if (strcmp(arguments[i], "--stop") == 0) {
            stopping = true;
            continue;
        }
        if (value == NULL)
            return usage();
        if (strcmp(arguments[i], "--kind") == 0)
            kind = value;
        else if (strcmp(arguments[i], "--kills") == 0)
            kills = strtoul(value, NULL, 10);
        else if (strcmp(arguments[i], "--soak") == 0)
            soak_seconds = strtoul(value, NULL, 10);
        else if (strcmp(arguments[i], "--seed") == 0)
            seed = strtoull(value, NULL, 10);
        else if (strcmp(arguments[i], "--managed") == 0)
            split(value, managed);
        else if (strcmp(arguments[i], "--native") == 0)
            split(value, native);
        else
            return usage();
        i++;
    }
    if (native[0] == NULL || (strcmp(kind, "queue") != 0 && strcmp(kind, "topic") != 0 && strcmp(kind, "ring") != 0))
        return usage();
    if (soak_seconds != 0 && strcmp(kind, "ring") == 0) {
        fprintf(stderr, "a ring has one writer and one reader: nobody could stay\n");
        return 2;
    }
    const unsigned long events = kills;
    if (seed == 0)
        seed = (uint64_t)time(NULL) * 2654435761u + (uint64_t)getpid();
    printf("seed %" PRIu64 "\n", seed);
    (void)fflush(stdout);
    kills = 0;
    prepare(events);
    for (int i = 0; i < place_count; i++)
        occupy(&places[i]);
    if (soak_seconds != 0)
        soak();
    else
        while ((stopping ? stops : kills) < events)
            strike();
    drain();
    const int result = count_all();
    remove_directory();
    return result;
}
