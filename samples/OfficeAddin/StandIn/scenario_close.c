#include "scenarios.h"

#include "checks.h"
#include "host.h"
#include "live.h"
#include "system.h"

#include <stdatomic.h>
#include <string.h>

/* A watchdog, not a measurement: where functions wait, the deadline of the add-in is a minute here. */
enum { ROUNDS = 6, CALLERS = 4, ASKED = 40, FROZEN_MS = 30000, UNDER_WAY_MS = 1000, SLOW_MS = 60000 };

/* A function that does not come to its end. */
struct call {
    const struct sheet *sheet;
    int index;
    atomic_bool begins;
};

static struct operand *ask(const struct sheet *sheet, int index, struct operand name)
{
    const struct table *table = &sheet->table;
    struct operand ids = array_operand(table->ids, table->rows, 1);
    switch (index % CALLERS) {
    case 0:
        return host_call("IPC.CALC", 3, (struct operand[]){sheet->service, name, number_operand(SLOW_MS)});
    case 1:
        return host_call("IPC.GRID", 3, (struct operand[]){sheet->service, ids, table->fields[0]});
    case 2:
        return host_call("IPC.FUNCTIONS", 1, &sheet->service);
    default:
        return host_call("IPC.GET", 3, (struct operand[]){sheet->service, table->ids[1], name});
    }
}

static bool is_absent(const struct operand *value)
{
    return operand_is_error(operand_type(value) == OPERAND_ARRAY ? &value->array.cells[0] : value, ERROR_NA);
}

static void *call(void *argument)
{
    struct call *own = argument;
    char room[100];
    struct operand name = text_operand("slow");
    atomic_store(&own->begins, true);
    struct operand *value = ask(own->sheet, own->index, name);
    check(is_absent(value), "call %d, in which the add-in was closed: %s", own->index,
          operand_words(value, room, sizeof room));
    host_release(value);
    operand_clear(&name);
    return NULL;
}

/* Cells that wait where functions answer later, on the main thread as Excel asks. */
static int ask_without_waiting(const struct sheet *sheet, struct operand cells[ASKED])
{
    if (!host_answers_later("IPC.GET"))
        return 0;
    for (int i = 0; i < ASKED; i++)
        cells[i] =
            host_ask("IPC.GET", 3,
                     (struct operand[]){sheet->service, sheet->table.ids[i % sheet->table.rows], number_operand(i)});
    return ASKED;
}

static void close_in_mid_call(const struct sheet *sheet, bool is_removed)
{
    struct thread threads[CALLERS];
    struct call calls[CALLERS];
    struct operand cells[ASKED];
    const int waiting = ask_without_waiting(sheet, cells);
    for (int i = 0; i < CALLERS; i++) {
        calls[i].sheet = sheet;
        calls[i].index = i;
        atomic_init(&calls[i].begins, false);
        thread_start(&threads[i], call, &calls[i]);
    }
    for (int i = 0; i < CALLERS; i++)
        while (!atomic_load(&calls[i].begins))
            pause_ms(1);
    live_pump(UNDER_WAY_MS);

    const double began = now_ms();
    host_close(is_removed);
    for (int i = 0; i < CALLERS; i++)
        thread_join(&threads[i]);
    for (int i = 0; i < waiting; i++) {
        struct operand *value = host_answer("IPC.GET", &cells[i]);
        check(is_absent(value), "a cell that waited when the add-in was closed is not #N/A");
        host_release(value);
    }
    check(now_ms() - began < FROZEN_MS, "the end took %.0f ms", now_ms() - began);
}

/* What is called for the first time is compiled, and may not have come to its request when a moment has passed. */
static void ask_once(const struct sheet *sheet)
{
    struct operand name = text_operand("none");
    for (int index = 0; index < CALLERS; index++)
        host_release(ask(sheet, index, name));
    operand_clear(&name);
}

void scenario_close(const struct sheet *sheet, const char *library, const char *command)
{
    struct daemon daemon = daemon_start(command);
    wait_for_values(sheet);
    ask_once(sheet);
    for (int round = 0; round < ROUNDS; round++) {
        wait_for_values(sheet);
        for (int column = 0; column < sheet->table.columns; column++)
            check(stream_becomes(sheet, 0, column), "column %d does not come as a stream before the end", column);
        daemon_stop(daemon);
        close_in_mid_call(sheet, round % 2 == 0);
        if (round % 3 == 0) {
            daemon_kill(daemon); /* without having answered */
            daemon = daemon_start(command);
        } else
            daemon_continue(daemon);
        if (round % 4 == 2) {
            live_end();
            host_unload();
            host_load(library);
        } else if (round % 2 == 0)
            host_open();
    }
    wait_for_values(sheet);

    /* And for good: the process ends while the daemon has not answered. */
    daemon_stop(daemon);
    close_in_mid_call(sheet, true);
    live_end();
}
