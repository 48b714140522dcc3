/* storm_soak.c - the samples of a soak. The first fifth is warm-up; the second fifth and the last are compared. */
#define _GNU_SOURCE
#include "storm_soak.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FIGURES = 3 * SOAK_STEADY + 2, SAMPLES_MOST = 1 << 16 };

typedef struct figure {
    char name[64];
    double slack; /* may grow by a tenth and by this */
    double *values;
} figure;

static figure figures[FIGURES];
static int figure_count, sample_count;

static void note(const char *name, double slack, double value)
{
    int i = 0;
    while (i < figure_count && strcmp(figures[i].name, name) != 0)
        i++;
    if (i == figure_count) {
        if (figure_count == FIGURES)
            return;
        figures[figure_count].slack = slack;
        figures[figure_count].values = calloc(SAMPLES_MOST, sizeof(double));
        (void)snprintf(figures[figure_count].name, sizeof figures[i].name, "%s", name);
        figure_count++;
    }
    if (figures[i].values != NULL)
        figures[i].values[sample_count] = value;
}

static double entries_of(const char *path)
{
    double count = 0;
    DIR *open = opendir(path);
    for (struct dirent *entry; open != NULL && (entry = readdir(open)) != NULL;)
        count += entry->d_name[0] != '.';
    if (open != NULL)
        closedir(open);
    return count;
}

static void note_process(pid_t pid, const char *who)
{
    char path[64], line[256], name[64];
    (void)snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *status = fopen(path, "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        double value;
        if (sscanf(line, "RssAnon: %lf", &value) == 1) {
            (void)snprintf(name, sizeof name, "%s: own memory, KB", who);
            note(name, 6000, value);
        } else if (sscanf(line, "Threads: %lf", &value) == 1) {
            (void)snprintf(name, sizeof name, "%s: threads", who);
            note(name, 3, value); /* a runtime starts and ends some of its own */
        }
    }
    if (status != NULL)
        (void)fclose(status);
    (void)snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    (void)snprintf(name, sizeof name, "%s: descriptors", who);
    note(name, 3, entries_of(path));
}

void soak_sample(const pid_t *pids, const char *const *names, int count, const char *directory, const char *region)
{
    struct stat status;
    if (sample_count == SAMPLES_MOST)
        return;
    for (int i = 0; i < count; i++)
        note_process(pids[i], names[i]);
    note("region: memory, KB", 1024, stat(region, &status) == 0 ? (double)status.st_blocks / 2 : 0);
    note("files", 0.5, entries_of(directory));
    sample_count++;
}

static double mean(const double *values, int from, int to)
{
    double sum = 0;
    for (int i = from; i < to; i++)
        sum += values[i];
    return to > from ? sum / (to - from) : 0;
}

int soak_report(void)
{
    const int fifth = sample_count / 5;
    int grown = 0;
    printf("%d samples\n%-40s %12s %12s\n", sample_count, "", "second fifth", "last fifth");
    for (int i = 0; i < figure_count; i++) {
        const figure *f = &figures[i];
        const double early = mean(f->values, fifth, 2 * fifth),
                     late = mean(f->values, sample_count - fifth, sample_count);
        const bool grows = late > early * 1.1 + f->slack;
        printf("%-40s %12.1f %12.1f%s\n", f->name, early, late, grows ? "   GROWS" : "");
        grown += grows;
    }
    return grown + (fifth == 0);
}
