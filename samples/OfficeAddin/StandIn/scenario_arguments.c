#include "scenarios.h"

#include "checks.h"
#include "host.h"
#include "system.h"

#include <string.h>

static void expect_error(const char *what, const char *function, int code, int count, const struct operand *arguments)
{
    char room[100];
    struct operand *result = host_call(function, count, arguments);
    check(operand_is_error(result, code), "%s of %s: %s instead of error %d", function, what,
          operand_words(result, room, sizeof room), code);
    host_release(result);
}

/* Whatever it is: it ends, and it is a value. */
static void expect_an_answer(const char *what, const char *function, int count, const struct operand *arguments)
{
    struct operand *result = host_call(function, count, arguments);
    int type = operand_type(result);
    check(type == OPERAND_ERROR || type == OPERAND_TEXT || type == OPERAND_ARRAY, "%s of %s: type 0x%x", function, what,
          type);
    host_release(result);
}

static void missing_and_errors(const struct sheet *sheet)
{
    static const char *const functions[] = {"IPC.GET", "IPC.STREAM", "IPC.GRID"};
    const struct operand *id = &sheet->table.ids[0], *field = &sheet->table.fields[0];
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        expect_error("nothing", functions[i], ERROR_VALUE, 0, NULL);
        expect_error("a service", functions[i], ERROR_VALUE, 1, &sheet->service);
        expect_error("no service", functions[i], ERROR_VALUE, 3, (struct operand[]){missing_operand(), *id, *field});
        expect_error("no field", functions[i], ERROR_VALUE, 2, (struct operand[]){sheet->service, *id});
        expect_error("a service of #REF!", functions[i], 23, 3, (struct operand[]){error_operand(23), *id, *field});
    }
    expect_error("an id of #DIV/0!", "IPC.GET", 7, 3, (struct operand[]){sheet->service, error_operand(7), *field});
    expect_error("a field of #NUM!", "IPC.STREAM", 36, 3, (struct operand[]){sheet->service, *id, error_operand(36)});
    expect_error("an id of #DIV/0!", "IPC.GRID", 7, 3, (struct operand[]){sheet->service, error_operand(7), *field});
    expect_error("nothing", "IPC.STATUS", ERROR_VALUE, 0, NULL);
    expect_error("#NAME?", "IPC.STATUS", 29, 1, (struct operand[]){error_operand(29)});
    expect_error("nothing", "IPC.FUNCTIONS", ERROR_VALUE, 0, NULL);
    expect_error("#NUM!", "IPC.FUNCTIONS", 36, 1, (struct operand[]){error_operand(36)});
    expect_error("nothing", "IPC.CALC", ERROR_VALUE, 0, NULL);
    expect_error("no function", "IPC.CALC", ERROR_VALUE, 1, &sheet->service);
    expect_error("a function of #N/A", "IPC.CALC", ERROR_NA, 2,
                 (struct operand[]){sheet->service, error_operand(ERROR_NA)});

    struct operand empties[] = {empty_operand(), empty_operand()};
    expect_error("ids that are all empty", "IPC.GRID", ERROR_VALUE, 3,
                 (struct operand[]){sheet->service, array_operand(empties, 2, 1), *field});
}

static void hostile_shapes(const struct sheet *sheet)
{
    struct operand cells[4] = {sheet->table.ids[0], number_operand(1), error_operand(7), empty_operand()};
    struct operand nested[2] = {array_operand(cells, 2, 2), sheet->table.ids[0]};
    struct operand unknown[] = {
        {.type = OPERAND_REFERENCE},
        {.type = OPERAND_SHEET_REFERENCE},
        {.type = OPERAND_FLOW},
        {.type = OPERAND_INTEGER | OPERAND_TEXT},
        {.type = 0},
        {.type = 0xFFFFFFFF},
        {.type = OPERAND_ARRAY},
        array_operand(cells, 0, 4),
        array_operand(cells, 4, 0),
        array_operand(cells, -1, 4),
        array_operand(cells, -2, -2),
        array_operand(NULL, 2, 2),
        array_operand(cells, 1 << 20, 1 << 14),
        array_operand(cells, INT32_MAX, INT32_MAX),
        array_operand(cells, 1 << 16, 1 << 16),
        array_operand(nested, 1, 2),
        {.text = NULL, .type = OPERAND_TEXT},
        {.small = 12345, .type = OPERAND_ERROR},
    };
    static const char *const functions[] = {"IPC.GET",  "IPC.STREAM",    "IPC.GRID",
                                            "IPC.CALC", "IPC.FUNCTIONS", "IPC.STATUS"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
            for (int place = 0; place < 3; place++) {
                struct operand given[3] = {sheet->service, sheet->table.ids[0], sheet->table.fields[0]};
                given[place] = unknown[i];
                expect_an_answer("a shape that no host passes", functions[f], 3, given);
            }
}

/* A text that says it has 65,535 units, in front of memory that is not there: a cell has at most 32,767. */
static void text_longer_than_any(const struct sheet *sheet)
{
    size_t size = 2 * (LONGEST_TEXT + 1);
    struct operand text = {.text = memory_with_an_edge(size), .type = OPERAND_TEXT};
    memset(text.text, 'x', size);
    text.text[0] = UINT16_MAX;
    expect_an_answer("a text longer than any", "IPC.GET", 3,
                     (struct operand[]){sheet->service, text, sheet->table.fields[0]});
    expect_an_answer("a text longer than any", "IPC.CALC", 3, (struct operand[]){sheet->service, text, text});
    memory_with_an_edge_free(text.text, size);
}

void scenario_arguments(const struct sheet *sheet)
{
    missing_and_errors(sheet);
    hostile_shapes(sheet);
    text_longer_than_any(sheet);
}
