#include "callback.h"

#include "checks.h"

#include <string.h>

enum {
    CALL_SET_NAME = 88,
    CALL_REGISTER = 149,
    CALL_UNREGISTER = 201,
    CALL_FREE = 0x4000,
    CALL_GET_NAME = 0x4009,
    CALL_ALERT = 0x8000 | 118,
    REFUSED = 2,

    MOST_FUNCTIONS = 16,
    LONGEST_PATH = 4096,
    ALERT_SIZE = 1024,
};

static struct function functions[MOST_FUNCTIONS];
static int function_count;
static int outstanding;
static void *addin;
static uintptr_t main_thread;
static char alert[ALERT_SIZE];

void callbacks_of(void *library)
{
    addin = library;
    main_thread = thread_self();
}

void callbacks_forget(void)
{
    function_count = 0;
    alert[0] = 0;
}

const struct function *callback_function(const char *name)
{
    for (int i = 0; i < function_count; i++)
        if (functions[i].entry != NULL && strcmp(functions[i].name, name) == 0)
            return &functions[i];
    return NULL;
}

int callback_functions(void)
{
    int count = 0;
    for (int i = 0; i < function_count; i++)
        count += functions[i].entry != NULL;
    return count;
}

int callback_outstanding(void)
{
    return outstanding;
}

const char *callback_alert(void)
{
    return alert[0] != 0 ? alert : NULL;
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
    case CALL_ALERT:
        if (!check(count >= 1 && operand_type(arguments[0]) == OPERAND_TEXT, "xlcAlert without a text"))
            return REFUSED;
        operand_utf8(arguments[0], alert, sizeof alert);
        return 0;
    default:
        check(false, "the unexpected call-back %d", call);
        return REFUSED;
    }
}
