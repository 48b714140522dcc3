#include "checks.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOWN = 20 };

static atomic_long compared, wrong;

bool check(bool good, const char *words, ...)
{
    atomic_fetch_add(&compared, 1);
    if (good)
        return true;
    if (atomic_fetch_add(&wrong, 1) < SHOWN) {
        char line[1024];
        va_list list;
        va_start(list, words);
        vsnprintf(line, sizeof line, words, list);
        va_end(list);
        printf("  wrong: %s\n", line);
    }
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
