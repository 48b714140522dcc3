#include "scenarios.h"

#include "checks.h"
#include "host.h"
#include "system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REQUESTS = 20, CELLS_OF_REQUEST = 256 };

/* "...; N functions in M requests of L cells" */
int count_of_requests(const struct sheet *sheet)
{
    char words[1000] = "";
    struct operand *status = host_call("IPC.STATUS", 1, &sheet->service);
    if (check(operand_type(status) == OPERAND_TEXT, "the status is no text"))
        operand_utf8(status, words, sizeof words);
    host_release(status);
    const char *in = strstr(words, " functions in ");
    return check(in != NULL, "the status counts no requests: %s", words) ? atoi(in + sizeof " functions in " - 1) : 0;
}

void scenario_burst(const struct sheet *sheet)
{
    if (!host_answers_later("IPC.GET"))
        return;
    const struct table *table = &sheet->table;
    const int count = table->rows * table->columns;
    struct operand *cells = calloc((size_t)count, sizeof *cells);
    if (cells == NULL)
        give_up("no memory for %d cells", count);
    wait_for_values(sheet);
    host_close(true);
    host_open(); /* a sheet that was just opened: no cell is known */
    const int before = count_of_requests(sheet);
    const double began = now_ms();
    for (int i = 0; i < count; i++)
        cells[i] = host_ask(
            "IPC.GET", 3,
            (struct operand[]){sheet->service, table->ids[i / table->columns], table->fields[i % table->columns]});
    for (int i = 0; i < count; i++) {
        char room[100];
        struct operand *value = host_answer("IPC.GET", &cells[i]);
        check(operands_equal(value, table_cell(table, i / table->columns, i % table->columns)), "a new cell: %s",
              operand_words(value, room, sizeof room));
        host_release(value);
    }
    const double took = now_ms() - began;
    const int made = count_of_requests(sheet) - before, most = MOST_REQUESTS + count / CELLS_OF_REQUEST;
    check(made <= most, "%d new cells took %d requests, at most %d were to be", count, made, most);
    printf("%d new cells: %d requests, %.0f ms\n", count, made, took);
    free(cells);
}
