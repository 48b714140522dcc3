#include "later.h"

#include "checks.h"
#include "live.h"
#include "system.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WAITING = 1 << 19, PATIENCE_MS = 60000, SPINS = 200 };
enum { FREE, WAITS, IS_HANDED, IS_DONE };

/* A cell's name is its place, and how often that was taken: a result of an earlier one finds nobody. */
static struct place {
    atomic_int state;
    atomic_uint taken;
    struct operand *result;
} places[MOST_WAITING];
static atomic_uint next_place;

static struct operand *allocate(size_t count)
{
    struct operand *operands = calloc(count, sizeof *operands);
    if (operands == NULL)
        give_up("no memory for a result");
    return operands;
}

static struct operand copy_of(const struct operand *original)
{
    struct operand copy = *original;
    if (original->type != OPERAND_TEXT)
        return copy;
    copy = repeated_operand(0, original->text[0]);
    memcpy(copy.text, original->text, (original->text[0] + 1u) * sizeof *copy.text);
    return copy;
}

static struct operand *result_of(const struct operand *original)
{
    struct operand *copy = allocate(1);
    *copy = copy_of(original);
    if (original->type != OPERAND_ARRAY || original->array.rows < 1 || original->array.columns < 1)
        return copy;
    const size_t count = (size_t)original->array.rows * (size_t)original->array.columns;
    copy->array.cells = allocate(count);
    for (size_t i = 0; i < count; i++)
        copy->array.cells[i] = copy_of(&original->array.cells[i]);
    return copy;
}

void later_release(struct operand *result)
{
    if (operand_type(result) == OPERAND_ARRAY) {
        for (int i = 0; i < result->array.rows * result->array.columns; i++)
            operand_clear(&result->array.cells[i]);
        free(result->array.cells);
    } else
        operand_clear(result);
    free(result);
}

bool later_available(void)
{
    const char *wanted = getenv("IPC_SHEET_LATER");
    return live_available() && (wanted == NULL || strcmp(wanted, "0") != 0);
}

struct operand later_begin(void)
{
    for (unsigned tries = 0; tries < MOST_WAITING; tries++) {
        const unsigned index = atomic_fetch_add(&next_place, 1) % MOST_WAITING;
        int state = FREE;
        if (!atomic_compare_exchange_strong(&places[index].state, &state, WAITS))
            continue;
        const uint64_t name = (uint64_t)(atomic_fetch_add(&places[index].taken, 1) + 1) << 32 | index;
        struct operand cell = {.type = OPERAND_HANDLE};
        memcpy(cell.room, &name, sizeof name);
        return cell;
    }
    give_up("%d cells wait for their results", MOST_WAITING);
}

static struct place *place_of(const struct operand *cell)
{
    uint64_t name;
    memcpy(&name, cell->room, sizeof name);
    struct place *place = &places[(uint32_t)name % MOST_WAITING];
    return (uint32_t)name < MOST_WAITING && atomic_load(&place->taken) == name >> 32 ? place : NULL;
}

struct operand *later_wait(const struct operand *cell)
{
    struct place *place = place_of(cell);
    const double until = now_ms() + PATIENCE_MS;
    for (int turn = 0; atomic_load(&place->state) != IS_DONE; turn++) {
        if (now_ms() > until)
            return NULL; /* and the place is lost: the result may still come */
        pause_ms(turn < SPINS ? 0 : 1);
    }
    struct operand *result = place->result;
    atomic_store(&place->state, FREE);
    return result;
}

bool later_return(int count, struct operand **arguments)
{
    if (!rule(count == 2 && arguments[0]->type == OPERAND_HANDLE, "xlAsyncReturn with %d arguments", count))
        return false;
    struct place *place = place_of(arguments[0]);
    int state = WAITS;
    if (!rule(place != NULL && atomic_compare_exchange_strong(&place->state, &state, IS_HANDED),
              "the result of a cell that does not wait"))
        return false;
    rule((arguments[1]->type & (OPERAND_FREED_BY_HOST | OPERAND_FREED_BY_ADDIN)) == 0,
         "a result with the flags of the type 0x%x", arguments[1]->type);
    place->result = result_of(arguments[1]);
    atomic_store(&place->state, IS_DONE);
    return true;
}
