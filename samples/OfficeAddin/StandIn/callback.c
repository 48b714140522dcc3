#include "callback.h"

#include "checks.h"
#include "later.h"
#include "live.h"
#include "strict.h"

#include <stdlib.h>
#include <string.h>

enum {
    CALL_SET_NAME = 88,
    CALL_REGISTER = 149,
    CALL_UNREGISTER = 201,
    CALL_LIVE_VALUE = 379,
    CALL_FREE = 0x4000,
    CALL_ABORT = 0x4006,
    CALL_GET_NAME = 0x4009,
    CALL_RETURN = 0x4010,
    CALL_ALERT = 0x8000 | 118,
    WRONG_COUNT = 4,
    REFUSED = 2,

    MOST_FUNCTIONS = 16,
    MOST_LENT = 16,
    LONGEST_PATH = 4096,
    ALERT_SIZE = 1024,
};

/* The arguments of xlfRegister. */
enum { MODULE, ENTRY, TYPES, NAME, ARGUMENTS, KIND, CATEGORY, SHORTCUT, TOPIC, HELP, FIRST_ARGUMENT_HELP };
enum { IS_FUNCTION = 1 };

static struct function functions[MOST_FUNCTIONS];
static int function_count;
static uint16_t *lent[MOST_LENT]; /* texts of the host that the add-in has */
static _Thread_local bool calculating;
static void *addin;
static uintptr_t main_thread;
static char alert[ALERT_SIZE];
static double escape_at; /* 0: not at all */
static int escapes_asked;

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
    int count = 0;
    for (int i = 0; i < MOST_LENT; i++)
        count += lent[i] != NULL;
    return count;
}

void callbacks_while_calculating(bool begins)
{
    calculating = begins;
}

const char *callback_alert(void)
{
    return alert[0] != 0 ? alert : NULL;
}

void callback_escape(unsigned after_ms)
{
    escape_at = now_ms() + after_ms;
    escapes_asked = 0;
}

int callback_escape_ends(void)
{
    escape_at = 0;
    return escapes_asked;
}

static const char *ascii(const struct operand *text, char *room, const char *what)
{
    room[0] = 0;
    if (!strict_text(text, LONGEST_OF_CALL, what) && (operand_type(text) != OPERAND_TEXT || text->text == NULL))
        return room;
    int length = text->text[0] < NAME_SIZE ? text->text[0] : NAME_SIZE - 1;
    for (int i = 0; i < length; i++)
        room[i] = text->text[i + 1] < 0x80 ? (char)text->text[i + 1] : '?';
    room[length] = 0;
    return room;
}

static struct operand name_of_the_addin(void)
{
    static char path[LONGEST_PATH];
    library_path(addin, path, sizeof path);
    return text_operand(path);
}

static void answer(struct operand *result, struct operand value)
{
    if (result != NULL) /* the add-in need not want to know */
        *result = value;
}

static bool is_the_addin(const struct operand *module)
{
    struct operand name = name_of_the_addin();
    bool equal = strict_text(module, UINT16_MAX, "the file of a function") && operands_equal(module, &name);
    operand_clear(&name);
    return check(equal, "a function of another file");
}

/* What only the function wizard shows. */
static void read_help(const char *entry, int count, struct operand **arguments)
{
    char room[NAME_SIZE];
    check(*ascii(arguments[HELP], room, "the help of a function") != 0, "%s has no help", entry);
    rule(*ascii(arguments[CATEGORY], room, "the category of a function") != 0, "%s has no category", entry);
    strict_optional_text(arguments[SHORTCUT], 1, "the shortcut of a command");
    strict_optional_text(arguments[TOPIC], LONGEST_OF_CALL, "the topic of help");
    for (int i = FIRST_ARGUMENT_HELP; i < count; i++)
        strict_optional_text(arguments[i], LONGEST_OF_CALL, "the help of an argument");
    check(count > FIRST_ARGUMENT_HELP, "%s has no help for its arguments", entry);
}

/* A live value is told to its cell when it changes, and asked for on the main thread; the others are volatile and
 * thread-safe, and where Excel lets a function return before it has a result, those that ask a daemon do. */
static void check_types(const struct function *function, const char *types, const char *rest)
{
    const bool is_live = live_available() && strcmp(function->name, "IPC.STREAM") == 0;
    const bool is_later =
        later_available() && strcmp(function->name, "IPC.STREAM") != 0 && strcmp(function->name, "IPC.STATUS") != 0;
    const char *unwanted = getenv("IPC_SHEET_VOLATILE");
    const char *how = unwanted != NULL && strcmp(unwanted, "0") == 0 ? "$" : "!$";
    const bool has_cell = is_later && *rest == 'X';
    check(function->is_later == is_later && has_cell == is_later &&
              strcmp(rest + (has_cell ? 1 : 0), is_live ? "" : how) == 0,
          "%s has the types %s", function->name, types);
}

/* The one of that name: Excel counts how often a function is registered. */
static struct function *function_named(const char *name)
{
    int place = 0;
    while (place < function_count && (functions[place].entry == NULL || strcmp(functions[place].name, name) != 0))
        place++;
    if (place == function_count) {
        function_count++;
        functions[place] = (struct function){.uses = 0};
        memcpy(functions[place].name, name, NAME_SIZE);
    }
    return &functions[place];
}

static int register_function(int count, struct operand **arguments, struct operand *result)
{
    char entry[NAME_SIZE], types[NAME_SIZE], name[NAME_SIZE], names[NAME_SIZE];
    if (!check(count >= FIRST_ARGUMENT_HELP && function_count < MOST_FUNCTIONS, "xlfRegister with %d arguments", count))
        return WRONG_COUNT;
    is_the_addin(arguments[MODULE]);
    ascii(arguments[ENTRY], entry, "the entry point of a function");
    ascii(arguments[TYPES], types, "the types of a function");
    ascii(arguments[NAME], name, "the name of a function");
    strict_name(name);
    struct function *function = function_named(name);
    function->is_later = types[0] == '>';
    const char *values = types + (function->is_later ? 1 : 0);
    size_t letters = strspn(values, "Q");
    check_types(function, types, values + letters);
    check(strict_number(arguments[KIND], IS_FUNCTION, "the kind of a function"), "%s is no function", entry);
    check(*ascii(arguments[ARGUMENTS], names, "the arguments of a function") != 0, "%s has no arguments", entry);
    read_help(entry, count, arguments);
    function->arguments = (int)letters - (function->is_later ? 0 : 1); /* else the first is the result */
    rule(count <= FIRST_ARGUMENT_HELP + function->arguments, "%s: help of more arguments than it has", entry);
    function->entry = library_export(addin, entry);
    if (!check(function->entry != NULL, "%s is not exported", entry))
        return REFUSED;
    function->uses++;
    answer(result, number_operand((double)(function - functions + 1)));
    return 0;
}

static int unregister_function(int count, struct operand **arguments, struct operand *result)
{
    int id = count == 1 && operand_type(arguments[0]) == OPERAND_NUMBER ? (int)arguments[0]->number : 0;
    if (!check(id >= 1 && id <= function_count && functions[id - 1].entry != NULL, "xlfUnregister of %d", id))
        return REFUSED;
    strict_number(arguments[0], id, "the function to unregister");
    if (--functions[id - 1].uses == 0)
        functions[id - 1].entry = NULL;
    answer(result, boolean_operand(true));
    return 0;
}

/* A name without a value is deleted; those of functions are the only ones there are. */
static int delete_name(int count, struct operand **arguments, struct operand *result)
{
    char name[NAME_SIZE] = "";
    if (!check(count == 1, "xlfSetName with a value"))
        return WRONG_COUNT;
    ascii(arguments[0], name, "the name to delete");
    bool known = false;
    for (int i = 0; i < function_count; i++)
        known = known || strcmp(functions[i].name, name) == 0;
    rule(known, "there is no name %s to delete", name);
    answer(result, boolean_operand(known));
    return 0;
}

/* Without a flag: who returns it to the sheet would have to set it. */
static void lend(struct operand *result, struct operand value)
{
    int place = 0;
    while (place < MOST_LENT && lent[place] != NULL)
        place++;
    if (operand_type(&value) == OPERAND_TEXT && check(place < MOST_LENT, "%d texts were not given back", MOST_LENT))
        lent[place] = value.text;
    *result = value;
}

static int lend_name(int count, struct operand *result)
{
    if (!rule(count == 0 && result != NULL, "xlGetName with %d arguments", count))
        return WRONG_COUNT;
    lend(result, name_of_the_addin());
    return 0;
}

static int lend_live_value(int count, struct operand **arguments, struct operand *result)
{
    struct operand value;
    for (int i = 0; i < count; i++)
        strict_text(arguments[i], LONGEST_OF_CALL, "an argument of a live value");
    if (!rule(result != NULL, "a live value that nobody wants to know") || !live_value(count, arguments, &value))
        return REFUSED;
    lend(result, value);
    return 0;
}

static void take_back(struct operand *given)
{
    if (!rule(given != NULL, "xlFree of nothing"))
        return;
    if (operand_type(given) == OPERAND_NUMBER || operand_type(given) == OPERAND_BOOLEAN ||
        operand_type(given) == OPERAND_ERROR)
        return; /* whatever the host has returned may be given back */
    int place = 0;
    while (place < MOST_LENT && (lent[place] == NULL || lent[place] != given->text))
        place++;
    if (!check(operand_type(given) == OPERAND_TEXT && place < MOST_LENT, "xlFree of what is not the host's"))
        return;
    rule((given->type & OPERAND_FREED_BY_ADDIN) == 0, "xlFree of what is said to be the add-in's");
    free(given->text);
    given->text = NULL;
    lent[place] = NULL;
}

static int alert_the_user(int count, struct operand **arguments, struct operand *result)
{
    if (!check(count >= 1 && count <= 3, "xlcAlert with %d arguments", count))
        return WRONG_COUNT;
    if (!check(strict_text(arguments[0], LONGEST_OF_CALL, "the text of an alert"), "xlcAlert without a text"))
        return REFUSED;
    if (count > 1 && arguments[1]->type != OPERAND_MISSING)
        strict_number(arguments[1], arguments[1]->type == OPERAND_INTEGER ? arguments[1]->small : arguments[1]->number,
                      "the kind of an alert");
    if (count > 2)
        strict_optional_text(arguments[2], LONGEST_OF_CALL, "the help of an alert");
    operand_utf8(arguments[0], alert, sizeof alert);
    /* While the user reads it Excel goes on, and asks the add-in what it likes. */
    struct operand number = number_operand(1);
    struct operand *(*information)(struct operand *) =
        (struct operand * (*)(struct operand *)) library_export(addin, "xlAddInManagerInfo12");
    if (information != NULL)
        check(information(&number) != NULL, "xlAddInManagerInfo12 has no answer while the user is alerted");
    answer(result, boolean_operand(true));
    return 0;
}

/* Whether the user has pressed Escape. A function leaves it at that: other cells of the calculation are to know, too.
 */
static int tell_of_escape(int count, struct operand **arguments, struct operand *result)
{
    if (!rule(count <= 1 && result != NULL, "xlAbort with %d arguments", count))
        return WRONG_COUNT;
    if (count == 1)
        rule(arguments[0]->type == OPERAND_BOOLEAN && arguments[0]->small == 1, "xlAbort that takes the key away");
    escapes_asked++;
    answer(result, boolean_operand(escape_at > 0 && now_ms() >= escape_at));
    return 0;
}

EXPORT int MdCallBack12(int call, int count, struct operand **arguments, struct operand *result);

int MdCallBack12(int call, int count, struct operand **arguments, struct operand *result)
{
    /* Excel would refuse, or worse. */
    check(call == CALL_RETURN || thread_self() == main_thread,
          "the call-back %d from a thread that is not the main thread", call);
    rule(!calculating || call == CALL_RETURN || call == CALL_FREE || call == CALL_LIVE_VALUE || call == CALL_ABORT,
         "the call-back %d while a function is calculated", call);
    for (int i = 0; i < count; i++)
        if (!rule(arguments != NULL && arguments[i] != NULL, "the call-back %d without argument %d", call, i))
            return REFUSED;
    switch (call) {
    case CALL_GET_NAME:
        return lend_name(count, result);
    case CALL_FREE:
        for (int i = 0; i < count; i++)
            take_back(arguments[i]);
        return 0;
    case CALL_REGISTER:
        return register_function(count, arguments, result);
    case CALL_UNREGISTER:
        return unregister_function(count, arguments, result);
    case CALL_SET_NAME:
        return delete_name(count, arguments, result);
    case CALL_LIVE_VALUE:
        return lend_live_value(count, arguments, result);
    case CALL_RETURN:
        return later_return(count, arguments) ? 0 : REFUSED;
    case CALL_ABORT:
        return tell_of_escape(count, arguments, result);
    case CALL_ALERT:
        return alert_the_user(count, arguments, result);
    default:
        check(false, "the unexpected call-back %d", call);
        return REFUSED;
    }
}
