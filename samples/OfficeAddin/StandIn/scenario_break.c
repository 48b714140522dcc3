#include "scenarios.h"

#include "callback.h"
#include "checks.h"
#include "host.h"

/* A watchdog, not a measurement: the deadline of the add-in is a minute here. */
enum { PRESSED_AFTER_MS = 200, FROZEN_MS = 30000, SLOW_MS = 60000 };

static void expect_end(const struct operand *value, double began, const char *what)
{
    char room[100];
    check(operand_is_error(value, ERROR_NA), "%s that the user does not wait for: %s", what,
          operand_words(value, room, sizeof room));
    check(now_ms() - began < FROZEN_MS, "%s goes on for %.0f ms", what, now_ms() - began);
}

/* The calculation goes on in the daemon, and its cell does not wait. */
static void break_a_calculation(const struct sheet *sheet)
{
    struct operand slow = text_operand("slow");
    const double began = now_ms();
    callback_escape(PRESSED_AFTER_MS);
    struct operand *value = host_call("IPC.CALC", 3, (struct operand[]){sheet->service, slow, number_operand(SLOW_MS)});
    expect_end(value, began, "a calculation");
    check(callback_escape_ends() >= 2, "the host was not asked again and again for the key");
    host_release(value);
    operand_clear(&slow);
}

/* As long as the key is down no cell waits: each of them alone could for the whole deadline. */
static void break_all_cells(const struct sheet *sheet)
{
    const struct table *table = &sheet->table;
    const double began = now_ms();
    callback_escape(PRESSED_AFTER_MS);
    for (int i = 0; i < table->rows * table->columns; i++) {
        struct operand *value = get_cell(sheet, i / table->columns, i % table->columns);
        expect_end(value, began, "a cell");
        host_release(value);
    }
    struct operand *status = host_call("IPC.STATUS", 1, &sheet->service);
    check(operand_type(status) == OPERAND_TEXT && now_ms() - began < FROZEN_MS, "the status waits");
    host_release(status);
    check(callback_escape_ends() >= 2, "the host was not asked again and again for the key");
}

void scenario_break(const struct sheet *sheet, struct daemon daemon)
{
    wait_for_values(sheet);
    break_a_calculation(sheet);
    wait_for_values(sheet);
    check(status_becomes(sheet, "Escape"), "the status does not say that the user has ended it");
    pause_ms(500); /* older answers are not handed out any more */
    daemon_stop(daemon);
    break_all_cells(sheet);
    daemon_continue(daemon);
    wait_for_values(sheet);
}
