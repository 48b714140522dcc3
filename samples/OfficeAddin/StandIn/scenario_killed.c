#include "scenarios.h"

#include "checks.h"
#include "host.h"
#include "system.h"

#include <stdatomic.h>

enum { THREADS = 4, KILLS = 8, CELLS_BETWEEN = 2000, PATIENCE_MS = 60000 };

/* What the recalculating threads have seen. */
struct recalculations {
    const struct sheet *sheet;
    atomic_bool stop;
    atomic_long values, absent;
};

static void *recalculate_always(void *argument)
{
    struct recalculations *all = argument;
    const struct sheet *sheet = all->sheet;
    const struct table *table = &sheet->table;
    for (int i = 0; !atomic_load(&all->stop); i = (i + 1) % (table->rows * table->columns)) {
        char room[100];
        const struct operand *cell = table_cell(table, i / table->columns, i % table->columns);
        struct operand *value = get_cell(sheet, i / table->columns, i % table->columns);
        bool equal = operands_equal(value, cell);
        atomic_fetch_add(equal ? &all->values : &all->absent, 1);
        check(equal || operand_is_error(value, ERROR_NA), "neither its value nor #N/A: %s",
              operand_words(value, room, sizeof room));
        host_release(value);
    }
    return NULL;
}

static void wait_for_more(atomic_long *count, const char *what)
{
    long enough = atomic_load(count) + CELLS_BETWEEN;
    double until = now_ms() + PATIENCE_MS;
    while (atomic_load(count) < enough && now_ms() < until)
        pause_ms(1);
    check(atomic_load(count) >= enough, "no more cells with %s", what);
}

struct daemon scenario_killed_while_open(const struct sheet *sheet, const char *const commands[2],
                                         struct daemon running)
{
    struct recalculations all = {.sheet = sheet};
    struct thread threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        thread_start(&threads[i], recalculate_always, &all);
    for (int i = 0; i < KILLS; i++) {
        wait_for_more(&all.values, "values");
        daemon_kill(running);
        wait_for_more(&all.absent, "#N/A");
        running = daemon_start(commands[i % 2]);
    }
    wait_for_more(&all.values, "values");
    atomic_store(&all.stop, true);
    for (int i = 0; i < THREADS; i++)
        thread_join(&threads[i]);
    return running;
}
