#include "host.h"

#include "checks.h"
#include "system.h"

#include <stdlib.h>
#include <string.h>

enum {
    CALL_SET_NAME = 88,
    CALL_REGISTER = 149,
    CALL_UNREGISTER = 201,
    CALL_FREE = 0x4000,
    CALL_GET_NAME = 0x4009,
    REFUSED = 2,

    MOST_FUNCTIONS = 16,
    MOST_ARGUMENTS = 30,
    NAME_SIZE = 256,
    LONGEST_PATH = 4096,
};

typedef struct operand *(*one)(struct operand *);
typedef struct operand *(*three)(struct operand *, struct operand *, struct operand *);
#define TEN                                                                                                            \
    struct operand *, struct operand *, struct operand *, struct operand *, struct operand *, struct operand *,        \
        struct operand *, struct operand *, struct operand *, struct operand *
typedef struct operand *(*thirty)(TEN, TEN, TEN);

struct function {
    char name[NAME_SIZE];
    int arguments;
    library_entry entry; /* NULL: not registered (any more) */
};

static struct function functions[MOST_FUNCTIONS];
static int function_count;
static int outstanding; /* results of the call-back that the add-in has not given back */
static void *addin;
static void (*free_result)(struct operand *);
static uintptr_t main_thread;

static library_entry export_of(const char *name)
{
    library_entry entry = library_export(addin, name);
    if (entry == NULL)
        give_up("the add-in does not export %s", name);
    return entry;
}

static const char *ascii(const struct operand *text, char *room)
{
    if (!check(operand_type(text) == OPERAND_TEXT && text->text[0] < NAME_SIZE, "a text that registers something"))
        return "";
    for (int i = 0; i < text->text[0]; i++)
        room[i] = (char)text->text[i + 1];
    room[text->text[0]] = 0;
    return room;
}

static int register_function(int count, struct operand **arguments, struct operand *result)
{
    char entry[NAME_SIZE], types[NAME_SIZE], names[NAME_SIZE], help[NAME_SIZE];
    if (!check(count == 10, "xlfRegister with %d arguments", count) || function_count == MOST_FUNCTIONS)
        return REFUSED;
    struct function *function = &functions[function_count];
    ascii(arguments[1], entry);
    ascii(arguments[2], types);
    ascii(arguments[3], function->name);
    size_t letters = strspn(types, "Q");
    check(strcmp(types + letters, "!$") == 0, "%s has the types %s: volatile and thread-safe expected", entry, types);
    check(operand_type(arguments[5]) == OPERAND_NUMBER && arguments[5]->number == 1, "%s is no function", entry);
    check(*ascii(arguments[4], names) != 0 && *ascii(arguments[9], help) != 0, "%s has neither arguments nor help",
          entry);
    function->arguments = (int)letters - 1;
    function->entry = library_export(addin, entry);
    if (!check(function->entry != NULL, "%s is not exported", entry))
        return REFUSED;
    *result = number_operand(++function_count);
    return 0;
}

static struct operand name_of_the_addin(void)
{
    static char path[LONGEST_PATH];
    library_path(addin, path, sizeof path);
    return text_operand(path);
}

EXPORT int MdCallBack12(int call, int count, struct operand **arguments, struct operand *result);

int MdCallBack12(int call, int count, struct operand **arguments, struct operand *result)
{
    /* Excel would refuse, or worse. */
    check(thread_self() == main_thread, "the call-back %d from a thread that is not the main thread", call);
    switch (call) {
    case CALL_GET_NAME:
        *result = name_of_the_addin();
        result->type |= OPERAND_FREED_BY_HOST;
        outstanding++;
        return 0;
    case CALL_FREE:
        for (int i = 0; i < count; i++) {
            check((arguments[i]->type & OPERAND_FREED_BY_HOST) != 0, "xlFree of what is not the host's");
            operand_clear(arguments[i]);
            outstanding--;
        }
        return 0;
    case CALL_REGISTER:
        return register_function(count, arguments, result);
    case CALL_UNREGISTER: {
        int id = count == 1 ? (int)arguments[0]->number : 0;
        if (!check(id >= 1 && id <= function_count && functions[id - 1].entry != NULL, "xlfUnregister of %d", id))
            return REFUSED;
        functions[id - 1].entry = NULL;
        return 0;
    }
    case CALL_SET_NAME:
        return check(count == 1, "xlfSetName with a value") ? 0 : REFUSED;
    default:
        check(false, "the unexpected call-back %d", call);
        return REFUSED;
    }
}

void host_load(const char *library)
{
    main_thread = thread_self();
    addin = library_load(library);
    free_result = (void (*)(struct operand *))export_of("xlAutoFree12");
    host_open();
}

void host_open(void)
{
    function_count = 0;
    int opened = ((int (*)(void))export_of("xlAutoOpen"))();
    check(opened == 1 && host_functions() == 5, "xlAutoOpen: %d, %d functions", opened, host_functions());
    check(outstanding == 0, "%d results of the host were not given back", outstanding);
}

void host_close(bool removed)
{
    if (removed)
        ((int (*)(void))export_of("xlAutoRemove"))();
    check(((int (*)(void))export_of("xlAutoClose"))() == 1, "xlAutoClose");
    check(host_functions() == (removed ? 0 : 5), "%d functions after the end", host_functions());
}

void host_unload(void)
{
    library_unload(addin);
    addin = NULL;
}

int host_functions(void)
{
    int count = 0;
    for (int i = 0; i < function_count; i++)
        count += functions[i].entry != NULL;
    return count;
}

#define TEN_OF(a, i)                                                                                                   \
    (a) + (i), (a) + (i) + 1, (a) + (i) + 2, (a) + (i) + 3, (a) + (i) + 4, (a) + (i) + 5, (a) + (i) + 6,               \
        (a) + (i) + 7, (a) + (i) + 8, (a) + (i) + 9

struct operand *host_call(const char *name, int count, const struct operand *given)
{
    struct operand a[MOST_ARGUMENTS];
    for (int i = 0; i < MOST_ARGUMENTS; i++)
        a[i] = i < count ? given[i] : missing_operand();
    for (int i = 0; i < function_count; i++) {
        const struct function *function = &functions[i];
        if (function->entry == NULL || strcmp(function->name, name) != 0)
            continue;
        switch (function->arguments) {
        case 1:
            return ((one)function->entry)(a);
        case 3:
            return ((three)function->entry)(a, a + 1, a + 2);
        case 30:
            return ((thirty)function->entry)(TEN_OF(a, 0), TEN_OF(a, 10), TEN_OF(a, 20));
        default:
            give_up("%s has %d arguments", name, function->arguments);
        }
    }
    give_up("there is no function %s", name);
}

void host_release(struct operand *result)
{
    if (result != NULL && (result->type & OPERAND_FREED_BY_ADDIN) != 0)
        free_result(result);
    else
        check(false, "a result that nobody frees");
}
