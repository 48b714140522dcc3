#include "expected.h"

#include "checks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 4096, MOST_CELLS = 1 << 16 };

static const char *const dependences[] = {"value", "number", "stream", "status", "always"};

static enum dependence dependence_of(const char *name)
{
    for (size_t i = 0; i < sizeof dependences / sizeof *dependences; i++)
        if (strcmp(name, dependences[i]) == 0)
            return (enum dependence)i;
    give_up("no cell depends on its daemon by %s", name);
}

struct expectations expectations_read(const char *file)
{
    static char line[LINE_SIZE];
    FILE *stream = fopen(file, "r");
    struct expectations all = {.cells = calloc(MOST_CELLS, sizeof(struct expected))};
    if (stream == NULL || all.cells == NULL)
        give_up("cannot read %s", file);
    while (fgets(line, sizeof line, stream) != NULL && all.count < MOST_CELLS) {
        line[strcspn(line, "\n")] = 0;
        char *rest = line;
        char *row = strsep(&rest, "\t"), *column = strsep(&rest, "\t"), *dependence = strsep(&rest, "\t");
        if (row == NULL || column == NULL || dependence == NULL || rest == NULL)
            give_up("%s has a line with too few fields", file);
        all.cells[all.count++] = (struct expected){atoi(row), atoi(column), dependence_of(dependence), strdup(rest)};
    }
    fclose(stream);
    if (all.count == 0)
        give_up("%s is empty", file);
    return all;
}

static bool is_number(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == 0 && isfinite(*value);
}

static bool same(const char *left, const char *right)
{
    double a, b;
    return strcmp(left, right) == 0 || (is_number(left, &a) && is_number(right, &b) && a == b);
}

bool expectation_met(const struct expected *cell, const char *shown, const char *language)
{
    double any;
    switch (cell->dependence) {
    case ALWAYS:
        return same(shown, cell->characters);
    case STATUS:
        if (language == NULL)
            return strncmp(shown, "down: ", 6) == 0;
        return strncmp(shown, "up: ", 4) == 0 && strstr(shown, language) != NULL;
    case NUMBER:
        return language == NULL ? strcmp(shown, "#N/A") == 0 : is_number(shown, &any);
    case VALUE:
    case STREAM:
        return same(shown, language == NULL ? "#N/A" : cell->characters);
    }
    return false;
}
