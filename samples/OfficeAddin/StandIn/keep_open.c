/*
 * usage: sheet_keep_open WORKBOOK EXPECTED C++-DAEMON C#-DAEMON
 *
 * Gnumeric with a workbook that stays open while its daemons come, are killed with -9, and replace one another. After
 * each of these it recalculates until every cell shows what it should, at most a minute, and every cell is compared.
 * The last line is "cells compared N, wrong M".
 */
#include "checks.h"
#include "expected.h"
#include "gnumeric.h"
#include "system.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PATIENCE_MS = 60000, PAUSE_MS = 20, TURNS = 4 };

static const char *const languages[2] = {"C++", "C#"};

static int differences(const struct expectations *all, const char *language)
{
    int count = 0;
    for (int i = 0; i < all->count; i++) {
        char *shown = gnumeric_cell(all->cells[i].row, all->cells[i].column);
        count += !expectation_met(&all->cells[i], shown != NULL ? shown : "", language);
        free(shown);
    }
    return count;
}

static void compare(const struct expectations *all, const char *language)
{
    for (int i = 0; i < all->count; i++) {
        const struct expected *cell = &all->cells[i];
        char *shown = gnumeric_cell(cell->row, cell->column);
        check(expectation_met(cell, shown != NULL ? shown : "", language),
              "row %d, column %d with %s: '%s', expected '%s'", cell->row + 1, cell->column + 1,
              language != NULL ? language : "nobody", shown != NULL ? shown : "", cell->characters);
        free(shown);
    }
}

static void recalculate_and_compare(const struct expectations *all, const char *language)
{
    double until = now_ms() + PATIENCE_MS;
    int recalculations = 0, different;
    do {
        if (recalculations > 0)
            pause_ms(PAUSE_MS);
        gnumeric_recalculate();
        recalculations++;
        different = differences(all, language);
    } while (different > 0 && now_ms() < until);
    compare(all, language);
    printf("%s: %d cells, %d wrong after recalculation %d\n", language != NULL ? language : "nobody", all->count,
           different, recalculations);
    fflush(stdout);
}

int main(int count, char **arguments)
{
    if (count != 5) {
        fprintf(stderr, "usage: %s WORKBOOK EXPECTED C++-DAEMON C#-DAEMON\n", arguments[0]);
        return 2;
    }
    struct expectations all = expectations_read(arguments[2]);
    gnumeric_open(arguments[1]);
    recalculate_and_compare(&all, NULL);
    for (int turn = 0; turn < TURNS; turn++) {
        struct daemon daemon = daemon_start(arguments[3 + turn % 2]);
        recalculate_and_compare(&all, languages[turn % 2]);
        daemon_kill(daemon);
        recalculate_and_compare(&all, NULL);
    }
    int code = checks_summary();
    /* Straight out: leaving takes a window system that was never there. */
    _exit(code);
}
