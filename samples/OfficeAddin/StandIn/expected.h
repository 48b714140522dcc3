/*
 * What the cells of a workbook show, by a file that was written with it: a line per cell, tab-separated: row and column
 * (from 0), how the cell depends on the daemon, and the characters.
 *
 *   value   the characters when a daemon serves, #N/A when none does
 *   number  any finite number, or #N/A
 *   stream  as value; a sheet that was opened a moment ago may show #N/A
 *   status  text that begins "up: " and names the language of the daemon, or begins "down: "
 *   always  the characters
 */
#ifndef EXPECTED_H
#define EXPECTED_H

#include <stdbool.h>

enum dependence { VALUE, NUMBER, STREAM, STATUS, ALWAYS };

struct expected {
    int row, column;
    enum dependence dependence;
    char *characters;
};

struct expectations {
    struct expected *cells;
    int count;
};

struct expectations expectations_read(const char *file);

/* `language` of the daemon that serves, NULL when none does. */
bool expectation_met(const struct expected *cell, const char *shown, const char *language);

#endif
