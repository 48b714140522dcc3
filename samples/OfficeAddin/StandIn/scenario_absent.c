#include "scenarios.h"

#include "checks.h"
#include "host.h"
#include "system.h"

/* A watchdog, not a measurement: a thousand cells that each waited for a daemon that is not there would take minutes.
 */
enum { FROZEN_MS = 20000 };

static void expect_not_available(const struct operand *value, const char *what)
{
    char room[100];
    check(operand_is_error(value, ERROR_NA), "%s of nobody: %s", what, operand_words(value, room, sizeof room));
}

/* A daemon that was killed a moment ago may still show in answers that it has given: Core serves them for
 * SheetOptions.Freshness. */
static void wait_until_old_answers_are_gone(const struct sheet *sheet)
{
    const struct table *table = &sheet->table;
    double until = now_ms() + FROZEN_MS;
    int absent = 0, count = table->rows * table->columns;
    while (absent < count && now_ms() < until) {
        absent = 0;
        for (int i = 0; i < count; i++) {
            struct operand *value = get_cell(sheet, i / table->columns, i % table->columns);
            absent += operand_is_error(value, ERROR_NA);
            host_release(value);
        }
    }
    check(absent == count, "%d of %d cells of nobody are not #N/A", count - absent, count);
}

void scenario_absent(const struct sheet *sheet)
{
    const struct table *table = &sheet->table;
    wait_until_old_answers_are_gone(sheet);
    double began = now_ms();
    for (int row = 0; row < table->rows; row++)
        for (int column = 0; column < table->columns; column++) {
            struct operand *value = get_cell(sheet, row, column);
            expect_not_available(value, "IPC.GET");
            host_release(value);
        }

    struct operand given[3] = {sheet->service, array_operand(table->ids, table->rows, 1),
                               array_operand(table->fields, 1, table->columns)};
    struct operand *grid = host_call("IPC.GRID", 3, given);
    if (check(operand_type(grid) == OPERAND_ARRAY && grid->array.rows == table->rows &&
                  grid->array.columns == table->columns,
              "IPC.GRID of nobody has another shape"))
        for (int i = 0; i < table->rows * table->columns; i++)
            expect_not_available(&grid->array.cells[i], "IPC.GRID");
    host_release(grid);

    struct operand name = text_operand("sum");
    struct operand *sum = host_call("IPC.CALC", 3, (struct operand[]){sheet->service, name, number_operand(1)});
    expect_not_available(sum, "IPC.CALC");
    host_release(sum);
    operand_clear(&name);

    struct operand *functions = host_call("IPC.FUNCTIONS", 1, &sheet->service);
    expect_not_available(functions, "IPC.FUNCTIONS");
    host_release(functions);

    check(status_becomes(sheet, "down: "), "the status does not say why there are no values");
    check(now_ms() - began < FROZEN_MS, "the sheet was frozen for %.0f ms", now_ms() - began);
}
