#include "host.h"

#include "callback.h"
#include "checks.h"
#include "later.h"
#include "strict.h"
#include "system.h"

#include <string.h>

enum { FUNCTIONS = 6 };

typedef struct operand *(*one)(struct operand *);
typedef struct operand *(*three)(struct operand *, struct operand *, struct operand *);
#define TEN                                                                                                            \
    struct operand *, struct operand *, struct operand *, struct operand *, struct operand *, struct operand *,        \
        struct operand *, struct operand *, struct operand *, struct operand *
typedef struct operand *(*thirty)(TEN, TEN, TEN);

static void *addin;
static void (*free_result)(struct operand *);

static library_entry export_of(const char *name)
{
    library_entry entry = library_export(addin, name);
    if (entry == NULL)
        give_up("the add-in does not export %s", name);
    return entry;
}

static void load(const char *library)
{
    addin = library_load(library);
    callbacks_of(addin);
    free_result = (void (*)(struct operand *))export_of("xlAutoFree12");
}

static void give_back(struct operand *result)
{
    if (result != NULL && (result->type & OPERAND_FREED_BY_ADDIN) != 0)
        free_result(result);
}

/* Excel asks for what its list of add-ins shows, also of one that it does not open. */
static void expect_information(void)
{
    one information = (one)library_export(addin, "xlAddInManagerInfo12");
    struct operand others[] = {number_operand(2), number_operand(0), error_operand(ERROR_NA), missing_operand()};
    if (information == NULL)
        return;
    char room[100];
    struct operand number = number_operand(1);
    struct operand *title = information(&number);
    if (check(strict_result(title, "xlAddInManagerInfo12", NULL, 0) && operand_type(title) == OPERAND_TEXT,
              "the add-in has no title"))
        check(title->text[0] > 0 && title->text[0] <= LONGEST_OF_CALL, "the title of the add-in: %s",
              operand_words(title, room, sizeof room));
    give_back(title);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct operand *error = information(&others[i]);
        check(strict_result(error, "xlAddInManagerInfo12", NULL, 0) && operand_is_error(error, ERROR_VALUE),
              "xlAddInManagerInfo12 of %s is not #VALUE!", operand_words(&others[i], room, sizeof room));
        give_back(error);
    }
}

void host_load(const char *library)
{
    load(library);
    expect_information();
    host_open();
    expect_information();
}

static void open_addin(void)
{
    int opened = ((int (*)(void))export_of("xlAutoOpen"))();
    check(opened == 1 && host_functions() == FUNCTIONS, "xlAutoOpen: %d, %d functions", opened, host_functions());
    check(callback_outstanding() == 0, "%d results of the host were not given back", callback_outstanding());
    check(callback_alert() == NULL, "the user was alerted: %s", callback_alert());
}

void host_open(void)
{
    callbacks_forget();
    open_addin();
}

void host_open_once_more(void)
{
    open_addin();
}

const char *host_load_broken(const char *library)
{
    load(library);
    callbacks_forget();
    int opened = ((int (*)(void))export_of("xlAutoOpen"))();
    check(opened == 0 && host_functions() == 0, "xlAutoOpen: %d, %d functions", opened, host_functions());
    check(callback_outstanding() == 0, "%d results of the host were not given back", callback_outstanding());
    check(callback_alert() != NULL, "the user was not told why");
    return callback_alert();
}

void host_close(bool removed)
{
    if (removed)
        ((int (*)(void))export_of("xlAutoRemove"))();
    check(((int (*)(void))export_of("xlAutoClose"))() == 1, "xlAutoClose");
    check(host_functions() == (removed ? 0 : FUNCTIONS), "%d functions after the end", host_functions());
}

void host_unload(void)
{
    library_unload(addin);
    addin = NULL;
}

int host_functions(void)
{
    return callback_functions();
}

#define TEN_OF(a, i)                                                                                                   \
    (a) + (i), (a) + (i) + 1, (a) + (i) + 2, (a) + (i) + 3, (a) + (i) + 4, (a) + (i) + 5, (a) + (i) + 6,               \
        (a) + (i) + 7, (a) + (i) + 8, (a) + (i) + 9

static struct operand *call(const struct function *function, struct operand *a)
{
    switch (function->arguments) {
    case 1:
        return ((one)function->entry)(a);
    case 3:
        return ((three)function->entry)(a, a + 1, a + 2);
    case 30:
        return ((thirty)function->entry)(TEN_OF(a, 0), TEN_OF(a, 10), TEN_OF(a, 20));
    default:
        give_up("%s has %d arguments", function->name, function->arguments);
    }
}

typedef void (*one_later)(struct operand *, struct operand *);
typedef void (*three_later)(struct operand *, struct operand *, struct operand *, struct operand *);
typedef void (*thirty_later)(TEN, TEN, TEN, struct operand *);

static void ask(const struct function *function, struct operand *a, struct operand *cell)
{
    switch (function->arguments) {
    case 1:
        ((one_later)function->entry)(a, cell);
        return;
    case 3:
        ((three_later)function->entry)(a, a + 1, a + 2, cell);
        return;
    case 30:
        ((thirty_later)function->entry)(TEN_OF(a, 0), TEN_OF(a, 10), TEN_OF(a, 20), cell);
        return;
    default:
        give_up("%s has %d arguments", function->name, function->arguments);
    }
}

static const struct function *function_of(const char *name)
{
    const struct function *function = callback_function(name);
    if (function == NULL)
        give_up("there is no function %s", name);
    return function;
}

bool host_answers_later(const char *name)
{
    return function_of(name)->is_later;
}

struct operand host_ask(const char *name, int count, const struct operand *given)
{
    struct operand arguments[MOST_ARGUMENTS], before[MOST_ARGUMENTS], cell = later_begin();
    for (int i = 0; i < MOST_ARGUMENTS; i++)
        arguments[i] = i < count ? given[i] : missing_operand();
    memcpy(before, arguments, sizeof before);
    struct operand handed = cell;
    callbacks_while_calculating(true);
    ask(function_of(name), arguments, &handed);
    callbacks_while_calculating(false);
    strict_unchanged(arguments, before, MOST_ARGUMENTS, name);
    strict_unchanged(&handed, &cell, 1, name);
    memset(&handed, 0xFF, sizeof handed); /* it was lent for the call */
    return cell;
}

static struct operand *answer(const char *name, const struct operand *cell, const struct operand *given, int count)
{
    struct operand *result = later_wait(cell);
    if (result == NULL)
        give_up("%s has no result after a minute", name);
    strict_result(result, name, given, count);
    result->type |= OPERAND_FREED_BY_HOST;
    return result;
}

struct operand *host_answer(const char *name, const struct operand *cell)
{
    return answer(name, cell, NULL, 0);
}

struct operand *host_call(const char *name, int count, const struct operand *given)
{
    const struct function *function = function_of(name);
    if (function->is_later) {
        struct operand cell = host_ask(name, count, given);
        return answer(name, &cell, given, count);
    }
    struct operand arguments[MOST_ARGUMENTS], before[MOST_ARGUMENTS];
    for (int i = 0; i < MOST_ARGUMENTS; i++)
        arguments[i] = i < count ? given[i] : missing_operand();
    memcpy(before, arguments, sizeof before);
    callbacks_while_calculating(true);
    struct operand *result = call(function, arguments);
    callbacks_while_calculating(false);
    strict_unchanged(arguments, before, MOST_ARGUMENTS, name);
    strict_result(result, name, before, count);
    return result;
}

void host_release(struct operand *result)
{
    if (result != NULL && (result->type & OPERAND_FREED_BY_HOST) != 0) {
        later_release(result);
        return;
    }
    if (result == NULL || (result->type & OPERAND_FREED_BY_ADDIN) == 0) {
        check(false, "a result that nobody frees");
        return;
    }
    callbacks_while_calculating(true);
    free_result(result);
    callbacks_while_calculating(false);
}
