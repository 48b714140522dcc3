#include "scenarios.h"

#include "checks.h"
#include "host.h"

#include <string.h>

enum { COLUMNS = 3, LONGEST = 256, ERROR_NAME = 29 };

/* What both daemons say of themselves. */
static const char *const expected[][COLUMNS] = {
    {"sum", "cells...", "The sum of all numbers."},
    {"mean", "cells...", "The mean of all numbers."},
    {"count", "cells...", "How many numbers there are."},
    {"concat", "cells...", "Everything as one text."},
    {"vwap", "prices, volumes", "The average price by volume, of two ranges of one shape."},
    {"scale", "cells, factor", "Every number times the factor, the rest as it is."},
    {"date", "year, month, day", "The date of that day."},
    {"shift", "date, days", "The date so many days later."},
    {"echo", "cells", "The same again, errors and all."},
    {"error", "code", "The error of that code."},
    {"slow", "milliseconds", "The number, after so long."},
};
enum { ROWS = sizeof expected / sizeof *expected };

/* What is listed exists: called without an argument, it is not #NAME?. */
static void call(const struct sheet *sheet, const struct operand *name)
{
    char room[LONGEST];
    struct operand *result = host_call("IPC.CALC", 2, (struct operand[]){sheet->service, *name});
    check(!operand_is_error(result, ERROR_NAME), "%s is listed, and not there", operand_words(name, room, sizeof room));
    host_release(result);
}

void scenario_functions(const struct sheet *sheet)
{
    char room[LONGEST];
    struct operand *list = host_call("IPC.FUNCTIONS", 1, &sheet->service);
    if (check(operand_type(list) == OPERAND_ARRAY && list->array.rows == ROWS && list->array.columns == COLUMNS,
              "IPC.FUNCTIONS: %s", operand_words(list, room, sizeof room)))
        for (int i = 0; i < ROWS * COLUMNS; i++) {
            const struct operand *cell = &list->array.cells[i];
            const char *words = expected[i / COLUMNS][i % COLUMNS];
            check(operand_type(cell) == OPERAND_TEXT && strcmp(operand_utf8(cell, room, sizeof room), words) == 0,
                  "IPC.FUNCTIONS has \"%s\" instead of \"%s\"", room, words);
            if (i % COLUMNS == 0)
                call(sheet, cell);
        }
    host_release(list);
}
