/* Counts what was compared, and shows the first differences. From any thread. */
#ifndef CHECKS_H
#define CHECKS_H

#include <stdbool.h>

/* Returns `good`; when it is false, the words say what was compared and what came. */
bool check(bool good, const char *words, ...) __attribute__((format(printf, 2, 3)));

/* Ends the program at once: there is nothing left to compare. */
_Noreturn void give_up(const char *words, ...) __attribute__((format(printf, 1, 2)));

/* Prints "cells compared N, wrong M" and returns the exit code that says the same. */
int checks_summary(void);

/* Milliseconds of a clock that only goes forward. */
double now_ms(void);

#endif
