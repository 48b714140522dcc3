/* Counts what was compared, and shows the first differences. From any thread. */
#ifndef CHECKS_H
#define CHECKS_H

#include <stdbool.h>

#ifdef __MINGW32__
#define PRINTF_WORDS(words, first) __attribute__((format(gnu_printf, words, first)))
#else
#define PRINTF_WORDS(words, first) __attribute__((format(printf, words, first)))
#endif

/* Returns `good`; when it is false, the words say what was compared and what came. */
bool check(bool good, const char *words, ...) PRINTF_WORDS(2, 3);

/* The same of what goes without saying: it counts only when it is not so. */
bool rule(bool kept, const char *words, ...) PRINTF_WORDS(2, 3);

/* Ends the program at once: there is nothing left to compare. */
_Noreturn void give_up(const char *words, ...) PRINTF_WORDS(1, 2);

/* Prints "cells compared N, wrong M" and returns the exit code that says the same. */
int checks_summary(void);

#endif
