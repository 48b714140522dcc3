#include "scenarios.h"

#include "checks.h"
#include "host.h"
#include "live.h"
#include "wizard.h"

enum { LOOKED_FOR_MS = 200, CHARACTERS = 100, ERROR_DIV0 = 7 };

static void expect_not_asked(const struct sheet *sheet, const char *function, struct operand second,
                             struct operand third)
{
    char room[100];
    const int count = operand_type(&second) == OPERAND_MISSING ? 1 : 3;
    struct operand *value = host_call(function, count, (struct operand[]){sheet->service, second, third});
    check(operand_is_error(value, ERROR_NA), "%s in the function wizard: %s", function,
          operand_words(value, room, sizeof room));
    host_release(value);
}

static void expect_value(const struct sheet *sheet, const char *when)
{
    char room[100];
    struct operand *value = get_cell(sheet, 0, 0);
    check(operands_equal(value, table_cell(&sheet->table, 0, 0)), "%s: %s", when,
          operand_words(value, room, sizeof room));
    host_release(value);
}

static void *on_another_thread(void *sheet)
{
    expect_value(sheet, "beside the function wizard, on a thread that has no dialogs");
    return NULL;
}

/* While the user types the arguments, each character of them calculates the function. */
static void type_into_the_wizard(const struct sheet *sheet)
{
    const struct operand *id = &sheet->table.ids[0], *field = &sheet->table.fields[0];
    struct operand sum = text_operand("sum");
    const int live = live_count();
    for (int i = 0; i < CHARACTERS; i++) {
        expect_not_asked(sheet, "IPC.GET", *id, *field);
        expect_not_asked(sheet, "IPC.GRID", *id, *field);
        expect_not_asked(sheet, "IPC.CALC", sum, number_operand(i));
        expect_not_asked(sheet, "IPC.STREAM", *id, number_operand(i));
        expect_not_asked(sheet, "IPC.FUNCTIONS", missing_operand(), missing_operand());
        expect_not_asked(sheet, "IPC.STATUS", missing_operand(), missing_operand());
    }
    check(live_count() == live, "%d live values were connected by the function wizard", live_count() - live);

    struct operand *error = host_call("IPC.GET", 3, (struct operand[]){sheet->service, error_operand(7), *field});
    check(operand_is_error(error, ERROR_DIV0), "the function wizard does not show an argument's error");
    host_release(error);
    operand_clear(&sum);
}

void scenario_wizard(const struct sheet *sheet)
{
    if (!dialogs_available())
        return;
    wait_for_values(sheet);
    const int before = count_of_requests(sheet);
    pause_ms(LOOKED_FOR_MS); /* the add-in does not look for it all the time */
    dialog_open(FUNCTION_WIZARD);
    type_into_the_wizard(sheet);
    struct thread thread;
    thread_start(&thread, on_another_thread, (void *)sheet);
    thread_join(&thread);
    dialog_close();
    const int made = count_of_requests(sheet) - before;
    check(made <= 2, "%d requests while a user typed into the function wizard",
          made); /* the status, the other thread */
    expect_value(sheet, "after the function wizard");

    pause_ms(LOOKED_FOR_MS);
    dialog_open(FIND_AND_REPLACE);
    expect_value(sheet, "while cells are replaced");
    dialog_close();
}
