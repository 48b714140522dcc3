#include "scenarios.h"

#include "checks.h"
#include "host.h"

#include <stdio.h>

/* A sheet for a picture: a table, two calculations over it, and what else there is to calculate. */
enum { FIRST_ROW = 16, ROWS = 4, COLUMNS = 5, SIZE = 1024 };
enum { ROW_OF_TABLE = 4, ROW_OF_CALCULATIONS = 10, ROW_OF_FUNCTIONS = 14 };

/* As a cell without a format shows it. */
static const char *shown(const struct operand *value, char *room, size_t size)
{
    switch (operand_type(value)) {
    case OPERAND_NUMBER:
        snprintf(room, size, "%.10g", value->number);
        return room;
    case OPERAND_TEXT:
        return operand_utf8(value, room, size);
    case OPERAND_BOOLEAN:
        return value->small != 0 ? "TRUE" : "FALSE";
    default:
        check(false, "a picture with %s in it", operand_words(value, room, size));
        return room;
    }
}

/* Lines for ../Workbook/picture.awk: "cell", its row and column from 1, what the user has typed if that is a formula,
 * and what the cell shows. */
static void put(int row, int column, const char *formula, const struct operand *value)
{
    char room[SIZE];
    printf("cell\t%d\t%d\t%s\t%s\n", row, column, formula, shown(value, room, sizeof room));
}

static void put_text(int row, int column, const char *text)
{
    printf("cell\t%d\t%d\t\t%s\n", row, column, text);
}

/* One that gives an array shows it to the right and below. */
static void put_result(int row, int column, const char *formula, struct operand *result)
{
    const bool is_array = operand_type(result) == OPERAND_ARRAY;
    const int columns = is_array ? result->array.columns : 1, count = is_array ? columns * result->array.rows : 1;
    for (int i = 0; i < count; i++)
        put(row + i / columns, column + i % columns, i == 0 ? formula : "",
            is_array ? &result->array.cells[i] : result);
    host_release(result);
}

static void calculate(const struct sheet *sheet, int row, const char *formula, const char *name, struct operand first,
                      struct operand second)
{
    struct operand function = text_operand(name);
    put_result(row, 2, formula, host_call("IPC.CALC", 4, (struct operand[]){sheet->service, function, first, second}));
    operand_clear(&function);
}

void scenario_show(const struct sheet *sheet)
{
    static const char *const names[COLUMNS] = {"NAME", "PX_LAST", "VOLUME", "TRADABLE", "SETTLED"};
    const struct table *table = &sheet->table;
    struct operand fields[COLUMNS], prices[ROWS], volumes[ROWS];
    wait_for_values(sheet);

    put_text(1, 1, "Service");
    put(1, 2, "", &sheet->service);
    put_result(2, 1, "=IPC.STATUS(B1)", host_call("IPC.STATUS", 1, &sheet->service));
    for (int i = 0; i < COLUMNS; i++) {
        fields[i] = text_operand(names[i]);
        put_text(ROW_OF_TABLE, 2 + i, names[i]);
    }
    for (int i = 0; i < ROWS; i++)
        put(ROW_OF_TABLE + 1 + i, 1, "", &table->ids[FIRST_ROW + i]);
    const struct operand given[3] = {sheet->service, array_operand(&table->ids[FIRST_ROW], ROWS, 1),
                                     array_operand(fields, 1, COLUMNS)};
    struct operand *grid = host_call("IPC.GRID", 3, given);
    if (!check(operand_type(grid) == OPERAND_ARRAY && grid->array.rows == ROWS, "there is no table"))
        return;
    for (int i = 0; i < ROWS; i++) {
        prices[i] = grid->array.cells[i * COLUMNS + 1];
        volumes[i] = grid->array.cells[i * COLUMNS + 2];
    }
    put_result(ROW_OF_TABLE + 1, 2, "=IPC.GRID(B1,A5:A8,B4:F4)", grid);

    put_text(ROW_OF_CALCULATIONS, 1, "mean price");
    calculate(sheet, ROW_OF_CALCULATIONS, "=IPC.CALC(B1,\"mean\",C5:C8)", "mean", array_operand(prices, ROWS, 1),
              missing_operand());
    put_text(ROW_OF_CALCULATIONS + 1, 1, "by volume");
    calculate(sheet, ROW_OF_CALCULATIONS + 1, "=IPC.CALC(B1,\"vwap\",C5:C8,D5:D8)", "vwap",
              array_operand(prices, ROWS, 1), array_operand(volumes, ROWS, 1));

    put_text(ROW_OF_FUNCTIONS - 1, 1, "What IPC.CALC can do here:");
    put_result(ROW_OF_FUNCTIONS, 1, "=IPC.FUNCTIONS(B1)", host_call("IPC.FUNCTIONS", 1, &sheet->service));
    for (int i = 0; i < COLUMNS; i++)
        operand_clear(&fields[i]);
}
