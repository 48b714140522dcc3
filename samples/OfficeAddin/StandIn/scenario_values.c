#include "scenarios.h"

#include "checks.h"
#include "host.h"
#include "live.h"
#include "strict.h"
#include "system.h"

#include <string.h>

enum { THREADS = 4, BACK_MS = 60000 };

struct operand *get_cell(const struct sheet *sheet, int row, int column)
{
    return host_call("IPC.GET", 3,
                     (struct operand[]){sheet->service, sheet->table.ids[row], sheet->table.fields[column]});
}

static bool expect_cell(const struct sheet *sheet, int row, int column, const struct operand *value, const char *what)
{
    char room[100], expected[100];
    const struct operand *cell = table_cell(&sheet->table, row, column);
    return check(operands_equal(value, cell), "%s of row %d, column %d: %s instead of %s", what, row, column,
                 operand_words(value, room, sizeof room), operand_words(cell, expected, sizeof expected));
}

static void expect_grid(const struct sheet *sheet)
{
    const struct table *table = &sheet->table;
    struct operand given[3] = {sheet->service, array_operand(table->ids, table->rows, 1),
                               array_operand(table->fields, 1, table->columns)};
    struct operand *grid = host_call("IPC.GRID", 3, given);
    if (check(operand_type(grid) == OPERAND_ARRAY && grid->array.rows == table->rows &&
                  grid->array.columns == table->columns,
              "IPC.GRID has another shape"))
        for (int i = 0; i < table->rows * table->columns; i++)
            expect_cell(sheet, i / table->columns, i % table->columns, &grid->array.cells[i], "IPC.GRID");
    host_release(grid);
}

/* One thread of a recalculation; each has its own way through the sheet. */
struct recalculation {
    const struct sheet *sheet;
    int index;
};

static void *recalculate(void *argument)
{
    const struct recalculation *own = argument;
    const struct table *table = &own->sheet->table;
    int count = table->rows * table->columns;
    for (int i = 0; i < count; i++) {
        int at = (i * (2 * own->index + 1) + own->index * count / THREADS) % count;
        struct operand *value = get_cell(own->sheet, at / table->columns, at % table->columns);
        expect_cell(own->sheet, at / table->columns, at % table->columns, value, "IPC.GET");
        host_release(value);
    }
    expect_grid(own->sheet);
    return NULL;
}

static void from_several_threads(const struct sheet *sheet)
{
    struct thread threads[THREADS];
    struct recalculation own[THREADS];
    for (int i = 0; i < THREADS; i++) {
        own[i] = (struct recalculation){sheet, i};
        thread_start(&threads[i], recalculate, &own[i]);
    }
    for (int i = 0; i < THREADS; i++)
        thread_join(&threads[i]);
}

static void names_that_are_errors(const struct sheet *sheet)
{
    const struct table *table = &sheet->table;
    /* A column with an error and an empty cell in it, and empty cells at its end that do not count. */
    struct operand ids[5] = {table->ids[0], error_operand(7), empty_operand(), table->ids[1], empty_operand()};
    struct operand *grid = host_call(
        "IPC.GRID", 3,
        (struct operand[]){sheet->service, array_operand(ids, 5, 1), array_operand(table->fields, 1, table->columns)});
    if (check(operand_type(grid) == OPERAND_ARRAY && grid->array.rows == 4 && grid->array.columns == table->columns,
              "a grid whose ids are partly errors has another shape"))
        for (int column = 0; column < table->columns; column++) {
            const struct operand *cells = grid->array.cells;
            expect_cell(sheet, 0, column, &cells[column], "IPC.GRID beside an error");
            check(operand_is_error(&cells[table->columns + column], 7), "the row of an error is not that error");
            check(operand_is_error(&cells[2 * table->columns + column], ERROR_NA),
                  "the row of an empty name is not #N/A");
            expect_cell(sheet, 1, column, &cells[3 * table->columns + column], "IPC.GRID behind an error");
        }
    host_release(grid);
}

/* More columns than a sheet has: no array of them, though the daemon could fill it. */
static void more_columns_than_a_sheet(const struct sheet *sheet)
{
    static struct operand fields[MOST_COLUMNS_OF_SHEET + 1];
    for (int i = 0; i <= MOST_COLUMNS_OF_SHEET; i++)
        fields[i] = sheet->table.fields[0];
    for (int last = 0; last < 2; last++) {
        int columns = MOST_COLUMNS_OF_SHEET + last;
        struct operand *grid = host_call(
            "IPC.GRID", 3, (struct operand[]){sheet->service, sheet->table.ids[0], array_operand(fields, columns, 1)});
        if (last == 1)
            check(operand_is_error(grid, ERROR_VALUE), "%d columns are not #VALUE!", columns);
        else if (check(operand_type(grid) == OPERAND_ARRAY && grid->array.columns == columns, "not %d columns",
                       columns))
            expect_cell(sheet, 0, 0, &grid->array.cells[columns - 1], "IPC.GRID in the last column");
        host_release(grid);
    }
}

bool stream_becomes(const struct sheet *sheet, int row, int column)
{
    const struct operand *cell = table_cell(&sheet->table, row, column);
    double until = now_ms() + BACK_MS;
    bool equal = false;
    while (!equal && now_ms() < until) {
        struct operand *value = host_call(
            "IPC.STREAM", 3, (struct operand[]){sheet->service, sheet->table.ids[row], sheet->table.fields[column]});
        equal = operands_equal(value, cell);
        host_release(value);
        live_pump(1);
    }
    return equal;
}

static void calculations(const struct sheet *sheet)
{
    struct operand sum = text_operand("sum"), word = text_operand("word"), nobody = text_operand("NO SUCH FUNCTION");
    struct operand cells[4] = {number_operand(1), number_operand(2.5), word, empty_operand()};
    struct operand *result = host_call(
        "IPC.CALC", 5,
        (struct operand[]){sheet->service, sum, array_operand(cells, 2, 2), missing_operand(), number_operand(4)});
    check(operand_type(result) == OPERAND_NUMBER && result->number == 7.5, "the sum of a range and a number is wrong");
    host_release(result);

    struct operand all[30] = {sheet->service, sum};
    for (int i = 2; i < 30; i++)
        all[i] = number_operand(i);
    result = host_call("IPC.CALC", 30, all);
    check(operand_type(result) == OPERAND_NUMBER && result->number == 29 * 30 / 2 - 1,
          "the sum of all arguments is wrong");
    host_release(result);

    result = host_call("IPC.CALC", 4, (struct operand[]){sheet->service, sum, number_operand(1), error_operand(7)});
    check(operand_is_error(result, 7), "the sum of an error is not that error");
    host_release(result);
    result = host_call("IPC.CALC", 2, (struct operand[]){sheet->service, nobody});
    check(operand_is_error(result, 29), "a function that does not exist is not #NAME?");
    host_release(result);
    operand_clear(&sum);
    operand_clear(&word);
    operand_clear(&nobody);
}

/* Whatever code a daemon sends: the sheet gets one that it has. */
static void errors(const struct sheet *sheet)
{
    enum { CODES = 128, ERROR_GETTING_DATA = 43 };
    static const int known[] = {0, 7, ERROR_VALUE, 23, 29, ERROR_NUM, ERROR_NA, ERROR_GETTING_DATA};
    struct operand name = text_operand("error");
    for (int code = 0; code < CODES; code++) {
        int expected = ERROR_VALUE;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            expected = known[i] == code ? code : expected;
        struct operand *result =
            host_call("IPC.CALC", 3, (struct operand[]){sheet->service, name, number_operand(code)});
        check(operand_is_error(result, expected), "the error %d of a daemon is not %d", code, expected);
        host_release(result);
    }
    operand_clear(&name);
}

/* A daemon's date is a number in the sheet; a date of the sheet's is one for the daemon, which counts from 1900. */
static void dates(const struct sheet *sheet)
{
    struct operand name = text_operand("date"), shift = text_operand("shift");
    struct operand expected = cell_operand("2026-11-27"), week = number_operand(46353 - 7);
    struct operand *result = host_call(
        "IPC.CALC", 5,
        (struct operand[]){sheet->service, name, number_operand(2026), number_operand(11), number_operand(27)});
    check(operands_equal(result, &expected), "the date of a day is another number");
    host_release(result);
    result = host_call("IPC.CALC", 4, (struct operand[]){sheet->service, shift, week, number_operand(7)});
    check(operands_equal(result, &expected), "a date that was shifted is another number");
    host_release(result);
    operand_clear(&name);
    operand_clear(&shift);
}

void scenario_values(const struct sheet *sheet, const char *language)
{
    wait_for_values(sheet);
    from_several_threads(sheet);
    names_that_are_errors(sheet);
    more_columns_than_a_sheet(sheet);
    calculations(sheet);
    errors(sheet);
    dates(sheet);
    for (int column = 0; column < sheet->table.columns; column++)
        check(stream_becomes(sheet, column % sheet->table.rows, column), "column %d does not come as a stream", column);
    check(status_becomes(sheet, "up: "), "the status does not say that the daemon is there");
    check(status_becomes(sheet, language), "the status does not name %s", language);
}

/* concat of two texts: at most what a cell holds, and no half of a character. */
static void expect_concat(const struct sheet *sheet, struct operand first, struct operand second, size_t length)
{
    struct operand name = text_operand("concat");
    struct operand *result = host_call("IPC.CALC", 4, (struct operand[]){sheet->service, name, first, second});
    if (check(operand_type(result) == OPERAND_TEXT && result->text[0] == length, "%zu units instead of %zu",
              operand_type(result) == OPERAND_TEXT ? (size_t)result->text[0] : 0, length))
        for (size_t i = 1, left = first.text[0]; i <= length; i++) {
            uint16_t unit = i <= left ? first.text[i] : second.text[i - left];
            if (!check(result->text[i] == unit, "unit %zu is another one", i))
                break;
        }
    host_release(result);
    operand_clear(&name);
    operand_clear(&first);
    operand_clear(&second);
}

void scenario_long_texts(const struct sheet *sheet)
{
    struct operand smile = text_operand("\xF0\x9F\x98\x80");
    expect_concat(sheet, repeated_operand('x', LONGEST_TEXT - 1), repeated_operand(0x17D, 1), LONGEST_TEXT);
    expect_concat(sheet, repeated_operand(0x17D, LONGEST_TEXT), repeated_operand('x', LONGEST_TEXT), LONGEST_TEXT);
    expect_concat(sheet, repeated_operand('x', LONGEST_TEXT - 1), smile, LONGEST_TEXT - 1);
}

bool status_becomes(const struct sheet *sheet, const char *part)
{
    double until = now_ms() + BACK_MS;
    do {
        struct operand *status = host_call("IPC.STATUS", 1, &sheet->service);
        char words[512] = "";
        if (operand_type(status) == OPERAND_TEXT)
            operand_words(status, words, sizeof words);
        host_release(status);
        if (strstr(words, part) != NULL)
            return true;
        pause_ms(1);
    } while (now_ms() < until);
    return false;
}

void wait_for_values(const struct sheet *sheet)
{
    const struct table *table = &sheet->table;
    double until = now_ms() + BACK_MS;
    int equal = 0, count = table->rows * table->columns;
    while (equal < count && now_ms() < until) {
        equal = 0;
        for (int i = 0; i < count; i++) {
            struct operand *value = get_cell(sheet, i / table->columns, i % table->columns);
            equal += operands_equal(value, table_cell(table, i / table->columns, i % table->columns));
            host_release(value);
        }
    }
    check(equal == count, "%d of %d cells are there after %d ms", equal, count, BACK_MS);
}
