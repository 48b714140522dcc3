#include "scenarios.h"

#include "checks.h"
#include "host.h"
#include "system.h"

enum {
    LIVES = 20,
    POOL = 4,
    WARM_UP = 500,
    CALLS = 20000,
    GRIDS = 1000,
    GROWTH = 256 * 1024,
    MOST_ROUNDS = 5,
    PATIENCE_MS = 60000
};

/* The system counts a thread for a moment after it has been joined. */
static bool threads_become(int most)
{
    double until = now_ms() + PATIENCE_MS;
    while (process_threads() > most && now_ms() < until)
        pause_ms(1);
    return process_threads() <= most;
}

void scenario_again(const struct sheet *sheet, const char *library)
{
    int threads = 0;
    for (int life = 0; life < LIVES; life++) {
        host_close(life % 3 != 0);
        /* What the runtime itself needs has begun with the first life; its pool may vary. One thread left over by each
         * life is more. */
        if (life == 0)
            threads = process_threads();
        else
            check(threads_become(threads + POOL), "%d threads after life %d, %d after the first", process_threads(),
                  life, threads);
        if (life % 3 == 0) {
            wait_for_values(sheet); /* closed, and yet the user stayed */
            host_close(true);
        }
        if (life % 2 == 0) {
            host_unload();
            host_load(library);
        } else
            host_open();
        if (life % 5 == 0)
            host_open_once_more();
        wait_for_values(sheet);
    }
}

static void use(const struct sheet *sheet, int calls, int grids)
{
    const struct table *table = &sheet->table;
    struct operand given[3] = {sheet->service, array_operand(table->ids, table->rows, 1),
                               array_operand(table->fields, 1, table->columns)};
    for (int i = 0; i < calls; i++)
        host_release(get_cell(sheet, i % table->rows, i % table->columns));
    for (int i = 0; i < grids; i++)
        host_release(host_call("IPC.GRID", 3, given));
}

void scenario_memory(const struct sheet *sheet)
{
    use(sheet, WARM_UP, WARM_UP);
    /* What a result loses is lost in every round. In some of them more is taken by others from the same heap: on
     * Windows by a runtime that compiles and collects, half a megabyte at a time. */
    size_t before = 0, after = GROWTH;
    for (int round = 0; round < MOST_ROUNDS && after >= before + GROWTH; round++) {
        before = process_heap();
        use(sheet, CALLS, GRIDS);
        after = process_heap();
    }
    check(after < before + GROWTH, "%zu bytes are in use after %d results, %zu before, in every one of %d rounds",
          after, CALLS + GRIDS, before, MOST_ROUNDS);
}
