/*
 * usage: sheet_compare EXPECTED SHOWN LANGUAGE      LANGUAGE of the daemon: C++, C# or nobody
 *
 * Compares a sheet that Gnumeric has written as text (tab-separated, unquoted, unformatted) with what each cell should
 * show. The last line is "cells compared N, wrong M".
 */
#include "checks.h"
#include "expected.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 4096, MOST_COLUMNS = 64, LINE_SIZE = 1 << 16 };

static char *shown[MOST_ROWS][MOST_COLUMNS];

static void read_sheet(const char *file)
{
    static char line[LINE_SIZE];
    FILE *stream = fopen(file, "r");
    if (stream == NULL)
        give_up("cannot read %s", file);
    for (int row = 0; row < MOST_ROWS && fgets(line, sizeof line, stream) != NULL; row++) {
        line[strcspn(line, "\n")] = 0;
        char *rest = strdup(line);
        for (int column = 0; column < MOST_COLUMNS && rest != NULL; column++)
            shown[row][column] = strsep(&rest, "\t");
    }
    fclose(stream);
}

int main(int count, char **arguments)
{
    if (count != 4) {
        fprintf(stderr, "usage: %s EXPECTED SHOWN C++|C#|nobody\n", arguments[0]);
        return 2;
    }
    const char *language = strcmp(arguments[3], "nobody") == 0 ? NULL : arguments[3];
    struct expectations all = expectations_read(arguments[1]);
    read_sheet(arguments[2]);
    for (int i = 0; i < all.count; i++) {
        struct expected *cell = &all.cells[i];
        if (cell->row >= MOST_ROWS || cell->column >= MOST_COLUMNS)
            give_up("row %d, column %d is outside of every sheet", cell->row, cell->column);
        const char *text = shown[cell->row][cell->column] != NULL ? shown[cell->row][cell->column] : "";
        /* The sheet was opened a moment ago: a stream may not have begun. */
        bool early = cell->dependence == STREAM && strcmp(text, "#N/A") == 0;
        check(early || expectation_met(cell, text, language), "row %d, column %d with %s: '%s', expected '%s'",
              cell->row + 1, cell->column + 1, arguments[3], text, cell->characters);
    }
    return checks_summary();
}
