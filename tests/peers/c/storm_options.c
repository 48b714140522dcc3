/* storm_options.c - the command line of a storm. */
#include <stdlib.h>
#include <string.h>

#include "storm_run.h"

static void split(char *text, char **words)
{
    int count = 0;
    for (char *w = strtok(text, " "); w != NULL && count < STORM_WORDS - 1; w = strtok(NULL, " "))
        words[count++] = w;
    words[count] = NULL;
}

static bool usage(void)
{
    fprintf(stderr, "usage: storm --kind queue|topic|ring|lock [--kills N] [--stop [--longest MS]] [--exact] "
                    "[--everybody] "
                    "[--soak SECONDS] [--seed S] [--managed \"PROGRAM ARGUMENT...\"] --native PROGRAM\n");
    return false;
}

static bool is(const char *kind)
{
    return strcmp(run.kind, kind) == 0;
}

/* False: there is no such option. */
static bool take(const char *option, char *value)
{
    if (strcmp(option, "--kind") == 0)
        run.kind = value;
    else if (strcmp(option, "--kills") == 0)
        run.kills = strtoul(value, NULL, 10);
    else if (strcmp(option, "--longest") == 0)
        run.longest_stop_ms = strtoul(value, NULL, 10) + 1;
    else if (strcmp(option, "--soak") == 0)
        run.soak_seconds = strtoul(value, NULL, 10);
    else if (strcmp(option, "--seed") == 0)
        run.seed = strtoull(value, NULL, 10);
    else if (strcmp(option, "--managed") == 0)
        split(value, run.managed);
    else if (strcmp(option, "--native") == 0)
        split(value, run.native);
    else
        return false;
    return true;
}

bool storm_options(int count, char **arguments)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--stop") == 0)
            run.stopping = true;
        else if (strcmp(arguments[i], "--everybody") == 0)
            run.everybody = true;
        else if (strcmp(arguments[i], "--exact") == 0)
            run.stopping = run.exact = true;
        else if (i + 1 >= count || !take(arguments[i], arguments[i + 1]))
            return usage();
        else
            i++;
    }
    if (run.native[0] == NULL || (!is("queue") && !is("topic") && !is("ring") && !storm_is_lock()))
        return usage();
    if (run.soak_seconds != 0 && is("ring")) {
        fprintf(stderr, "a ring has one writer and one reader: nobody could stay\n");
        return false;
    }
    if (run.everybody && (run.stopping || run.soak_seconds != 0 || (!is("queue") && !is("ring")))) {
        fprintf(
            stderr,
            "everybody is killed in a storm of a queue or a ring alone: a topic and locks go with their last one\n");
        return false;
    }
    if (run.exact && (!is("topic") || run.soak_seconds != 0)) {
        fprintf(stderr, "only a topic's storm can be exact, and no soak\n");
        return false;
    }
    return true;
}
