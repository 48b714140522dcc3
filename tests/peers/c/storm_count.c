/* storm_count.c - after a storm: what is missing, what came twice, what is left. */
#define _GNU_SOURCE
#include "storm_run.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "check_region.h"
#include "storm_soak.h"

static uint32_t settled = STORM_PLACES; /* those who stay came first */
static uint64_t settled_lost;

static uint64_t lost_of(uint32_t id)
{
    const uint64_t done = storm_record_of(run.side, id)->done;
    const bool noted =
        strcmp(run.kind, "queue") == 0 || strcmp(run.kind, "ring") == 0; /* readers see to it themselves */
    uint64_t lost = 0;
    for (uint64_t i = 0; i < done && noted; i++)
        lost += *storm_seen(run.side, (uint64_t)id << 32 | i) == 0;
    return lost;
}

void storm_settle(void)
{
    for (; settled + 256 < run.next_id; settled++) {
        settled_lost += lost_of(settled);
        const uint64_t at = (uint64_t)((char *)storm_seen(run.side, (uint64_t)settled << 32) - run.side),
                       from = (at + 4095) & ~UINT64_C(4095);
        (void)fallocate(run.side_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
                        (off_t)(at + STORM_PER_SENDER - from) & ~4095);
    }
}

static int left_of(const char *path)
{
    int count = check_region(path, CHECK_EMPTY, stderr);
    if (count < 0) {
        fprintf(stderr, "storm: %s is gone\n", path);
        count = 1;
    }
    unlink(path); /* it is persistent */
    return count;
}

static int leftovers(void)
{
    char path[320];
    int count = left_of(run.region_path);
    for (int other = 0; other < 2 && storm_is_lock(); other++) {
        (void)snprintf(path, sizeof path, "%s/%s", run.directory,
                       other == 0 ? STORM_PERMIT_REGION : STORM_EVENT_REGION);
        count += left_of(path);
    }
    DIR *open = opendir(run.directory);
    for (struct dirent *entry; open != NULL && (entry = readdir(open)) != NULL;)
        if (entry->d_name[0] != '.') {
            fprintf(stderr, "storm: the file %s is left\n", entry->d_name);
            count++;
        }
    if (open != NULL)
        closedir(open);
    return count;
}

int storm_count(void)
{
    uint64_t acknowledged = 0, lost = settled_lost, repeated = 0, redelivered = 0, received = 0;
    for (uint32_t id = 0; id < run.next_id; id++) {
        const storm_record *r = storm_record_of(run.side, id);
        acknowledged += r->done;
        received += r->received;
        if (storm_is_lock())
            continue;
        redelivered += r->redelivered;
        lost += r->lost;
        repeated += r->repeated;
        if (id < STORM_PLACES || id >= settled)
            lost += lost_of(id);
    }
    if (run.stopping)
        repeated += redelivered;
    if (storm_is_lock()) {
        lost = storm_holders_lost();
        repeated = storm_holders_repeated();
        storm_holders_print();
    }
    const int grown = run.soak_seconds != 0 ? soak_report() : 0;
    const int behind = leftovers() + grown;
    printf("%u workers, %" PRIu64 " deliveries, %" PRIu64 " of them flagged\n", run.next_id, received, redelivered);
    printf("%s %lu, acknowledged %" PRIu64 ", lost %" PRIu64 ", repeated%s %" PRIu64 ", left behind %d\n",
           run.stopping ? "stops" : "kills", run.stopping ? run.stops : run.kills, acknowledged, lost,
           run.stopping ? "" : " unflagged", repeated, behind);
    return lost != 0 || repeated != 0 || behind != 0 || run.wrong != 0 || acknowledged == 0;
}
