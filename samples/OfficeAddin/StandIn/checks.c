#include "checks.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOWN = 20 };

static atomic_long compared, wrong;

static void show(const char *words, va_list list)
{
    if (atomic_fetch_add(&wrong, 1) >= SHOWN)
        return;
    char line[1024];
    vsnprintf(line, sizeof line, words, list);
    printf("  wrong: %s\n", line);
}

bool check(bool good, const char *words, ...)
{
    atomic_fetch_add(&compared, 1);
    if (good)
        return true;
    va_list list;
    va_start(list, words);
    show(words, list);
    va_end(list);
    return false;
}

bool rule(bool kept, const char *words, ...)
{
    if (kept)
        return true;
    atomic_fetch_add(&compared, 1);
    va_list list;
    va_start(list, words);
    show(words, list);
    va_end(list);
    return false;
}

_Noreturn void give_up(const char *words, ...)
{
    va_list list;
    va_start(list, words);
    fputs("gives up: ", stdout);
    vprintf(words, list);
    va_end(list);
    puts("");
    fflush(stdout);
    _Exit(2);
}

int checks_summary(void)
{
    printf("cells compared %ld, wrong %ld\n", atomic_load(&compared), atomic_load(&wrong));
    fflush(stdout);
    return atomic_load(&wrong) == 0 && atomic_load(&compared) > 0 ? 0 : 1;
}
