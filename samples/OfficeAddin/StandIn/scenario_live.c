#include "scenarios.h"

#include "checks.h"
#include "host.h"
#include "live.h"
#include "system.h"

enum { PATIENCE_MS = 60000 };

/* As the sheet is calculated when it is opened: every cell asks once. */
static void ask_for_all(const struct sheet *sheet)
{
    const struct table *table = &sheet->table;
    for (int i = 0; i < table->rows * table->columns; i++)
        host_release(host_call(
            "IPC.STREAM", 3,
            (struct operand[]){sheet->service, table->ids[i / table->columns], table->fields[i % table->columns]}));
    check(live_count() == table->rows * table->columns, "%d of %d cells are connected", live_count(),
          table->rows * table->columns);
}

static int count_of(const struct sheet *sheet, bool values)
{
    const struct table *table = &sheet->table;
    int count = 0;
    for (int i = 0; i < table->rows * table->columns; i++) {
        const int row = i / table->columns, column = i % table->columns;
        const struct operand *fetched = live_fetched(&sheet->service, &table->ids[row], &table->fields[column]);
        count += fetched != NULL && (values ? operands_equal(fetched, table_cell(table, row, column))
                                            : operand_is_error(fetched, ERROR_NA));
    }
    return count;
}

/* Nothing is called: the values come by themselves. */
static void expect_all(const struct sheet *sheet, bool values, const char *when)
{
    const int all = sheet->table.rows * sheet->table.columns;
    const double until = now_ms() + PATIENCE_MS;
    while (count_of(sheet, values) != all && now_ms() < until)
        live_pump(10);
    for (int i = count_of(sheet, values); i < all; i++)
        check(false, "%s a cell does not come to show %s", when, values ? "its value" : "#N/A");
    for (int i = 0; i < all; i++)
        check(true, "a cell");
}

/* The user types it, and there is no such cell. */
static void ask_for_no_name(const struct sheet *sheet)
{
    struct operand nothing = text_operand("");
    const int before = live_count();
    struct operand *value =
        host_call("IPC.STREAM", 3, (struct operand[]){sheet->service, nothing, sheet->table.fields[0]});
    check(operand_is_error(value, ERROR_NA) && live_count() == before + 1, "the cell of no name is not connected");
    host_release(value);
    operand_clear(&nothing);
}

void scenario_live(const struct sheet *sheet, const char *command)
{
    if (!check(live_available(), "this host has no live values"))
        return;
    ask_for_all(sheet);
    expect_all(sheet, false, "while nobody serves");
    struct daemon daemon = daemon_start(command);
    expect_all(sheet, true, "when the daemon has started");
    ask_for_all(sheet);

    daemon_kill(daemon);
    expect_all(sheet, false, "when the daemon was killed");
    daemon = daemon_start(command);
    expect_all(sheet, true, "when the next daemon has started");

    host_close(false); /* asked to quit; and then the user stays */
    expect_all(sheet, true, "when the user stays after all");
    daemon_kill(daemon);
    expect_all(sheet, false, "when that daemon was killed");

    live_end();
    ask_for_all(sheet); /* cells again: a server again */
    ask_for_no_name(sheet);
    live_end();
    host_close(true);
}
