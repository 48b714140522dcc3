/*
 * The server is found as Excel finds it: its name leads to a class in the registry, the class to a library, which is
 * loaded and asked for an object. What COM does for Excel there is done here by hand, because wine 8 looks for classes
 * in the machine's part of the registry alone, and add-ins write to the user's. Excel calls the object by its
 * interface's table of methods.
 */
#include "live.h"

#include "checks.h"
#include "system.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

#include <oleauto.h>

enum {
    NAMES = 3,
    MOST_VALUES = 4096,
    KEY_SIZE = 256,
    REFUSALS = 2,
    FIRST_ERROR = (int)0x800A07D0,
    IS_BUSY = (int)0x800AC472
};

static const IID id_of_server = {0xEC0E6191, 0xDB51, 0x11D3, {0x8F, 0x3E, 0x00, 0xC0, 0x4F, 0x36, 0x51, 0xB8}};
static const IID id_of_dispatch = {0x00020400, 0, 0, {0xC0, 0, 0, 0, 0, 0, 0, 0x46}};
static const IID id_of_update = {0xA43788C1, 0xD91B, 0x11D3, {0x8F, 0x39, 0x00, 0xC0, 0x4F, 0x36, 0x51, 0xB8}};
static const IID id_of_unknown = {0, 0, 0, {0xC0, 0, 0, 0, 0, 0, 0, 0x46}};

typedef struct server server;
typedef struct update update;
typedef HRESULT(WINAPI *unused)(void);

struct server_methods {
    HRESULT(WINAPI *query)(server *self, REFIID id, void **found);
    ULONG(WINAPI *add_reference)(server *self);
    ULONG(WINAPI *release)(server *self);
    unused dispatch[4];
    HRESULT(WINAPI *start)(server *self, update *events, LONG *result);
    HRESULT(WINAPI *connect)(server *self, LONG topic, SAFEARRAY **names, VARIANT_BOOL *is_new, VARIANT *value);
    HRESULT(WINAPI *fetch)(server *self, LONG *count, SAFEARRAY **changes);
    HRESULT(WINAPI *disconnect)(server *self, LONG topic);
    HRESULT(WINAPI *heartbeat)(server *self, LONG *alive);
    HRESULT(WINAPI *terminate)(server *self);
};
struct server {
    const struct server_methods *methods;
};

struct update_methods {
    HRESULT(WINAPI *query)(update *self, REFIID id, void **found);
    ULONG(WINAPI *add_reference)(update *self);
    ULONG(WINAPI *release)(update *self);
    unused dispatch[4];
    HRESULT(WINAPI *notify)(update *self);
    unused others[3];
};
struct update {
    const struct update_methods *methods;
};

struct value {
    struct operand names[NAMES]; /* texts of our own */
    struct operand fetched;
};

static struct value values[MOST_VALUES]; /* a topic is a place in it */
static int count_of_values;
static server *running;
static bool has_changes;
static int refusals;
static ULONG references;
static DWORD main_thread;

/* ---- what the server tells ----------------------------------------------------------------------------------------
 */

static HRESULT WINAPI query_update(update *self, REFIID id, void **found)
{
    const bool known =
        IsEqualIID(id, &id_of_update) || IsEqualIID(id, &id_of_dispatch) || IsEqualIID(id, &id_of_unknown);
    *found = known ? self : NULL;
    references += known;
    return known ? S_OK : E_NOINTERFACE;
}

static ULONG WINAPI add_update(update *self)
{
    (void)self;
    return ++references;
}

static ULONG WINAPI release_update(update *self)
{
    (void)self;
    return --references;
}

/* At first Excel does not want to know, as while the user edits a cell. */
static HRESULT WINAPI notify(update *self)
{
    (void)self;
    check(GetCurrentThreadId() == main_thread, "the server tells of changes on a thread that is not the main thread");
    if (refusals < REFUSALS) {
        refusals++;
        return IS_BUSY;
    }
    has_changes = true;
    return S_OK;
}

static HRESULT WINAPI not_called(void)
{
    check(false, "a method of the host that the server has no use for");
    return E_NOTIMPL;
}

static const struct update_methods update_methods = {
    .query = query_update,
    .add_reference = add_update,
    .release = release_update,
    .dispatch = {not_called, not_called, not_called, not_called},
    .notify = notify,
    .others = {not_called, not_called, not_called},
};
static update events = {&update_methods};

/* ---- values -------------------------------------------------------------------------------------------------------
 */

static struct operand copy_text(const OLECHAR *text, size_t length)
{
    struct operand copy = repeated_operand(0, length);
    memcpy(copy.text + 1, text, length * sizeof *text);
    return copy;
}

static struct operand copy_of(const struct operand *original)
{
    return operand_type(original) == OPERAND_TEXT ? copy_text((const OLECHAR *)original->text + 1, original->text[0])
                                                  : *original;
}

static struct operand operand_of(const VARIANT *value)
{
    switch (value->vt) {
    case VT_R8:
        return number_operand(value->dblVal);
    case VT_BSTR:
        return copy_text(value->bstrVal, SysStringLen(value->bstrVal));
    case VT_BOOL:
        return boolean_operand(value->boolVal != VARIANT_FALSE);
    case VT_ERROR:
        return error_operand(value->scode - FIRST_ERROR);
    default:
        check(false, "a value of the type %d", value->vt);
        return error_operand(ERROR_VALUE);
    }
}

static SAFEARRAY *array_of(const struct operand names[NAMES])
{
    SAFEARRAY *array = SafeArrayCreateVector(VT_VARIANT, 0, NAMES);
    for (LONG i = 0; i < NAMES; i++) {
        VARIANT name = {.vt = VT_BSTR};
        name.bstrVal = SysAllocStringLen((const OLECHAR *)names[i].text + 1, names[i].text[0]);
        if (array == NULL || FAILED(SafeArrayPutElement(array, &i, &name)))
            give_up("no memory for the names of a value");
        VariantClear(&name);
    }
    return array;
}

static int place_of(const struct operand *const names[NAMES])
{
    for (int i = 0; i < count_of_values; i++)
        if (operands_equal(&values[i].names[0], names[0]) && operands_equal(&values[i].names[1], names[1]) &&
            operands_equal(&values[i].names[2], names[2]))
            return i;
    return -1;
}

/* ---- the server ---------------------------------------------------------------------------------------------------
 */

/* The default value of a key below the user's classes. */
static bool read_class(wchar_t *value, DWORD size, const wchar_t *format, const wchar_t *name)
{
    wchar_t key[KEY_SIZE];
    (void)swprintf(key, KEY_SIZE, format, name);
    return RegGetValueW(HKEY_CURRENT_USER, key, NULL, RRF_RT_REG_SZ, NULL, value, &size) == ERROR_SUCCESS;
}

/* What the add-in leaves in the registry hinders no other program that wants to stay there. */
static void register_another_class(void)
{
    static const wchar_t *const parents[] = {L"Software\\Classes", L"Software\\Classes\\CLSID"};
    for (size_t i = 0; i < sizeof parents / sizeof *parents; i++) {
        wchar_t name[KEY_SIZE];
        HKEY key;
        (void)swprintf(name, KEY_SIZE, L"%ls\\{11111111-2222-3333-4444-555555555555}", parents[i]);
        const LSTATUS code =
            RegCreateKeyExW(HKEY_CURRENT_USER, name, 0, NULL, REG_OPTION_NON_VOLATILE, KEY_WRITE, NULL, &key, NULL);
        if (!check(code == ERROR_SUCCESS, "another program cannot register its class in %ls: error %ld", parents[i],
                   code))
            continue;
        (void)RegCloseKey(key);
        (void)RegDeleteKeyW(HKEY_CURRENT_USER, name);
    }
}

static bool make(const struct operand *name)
{
    wchar_t text[KEY_SIZE / 2], class_text[KEY_SIZE / 2], library[MAX_PATH];
    CLSID class;
    const size_t length = name->text[0] < KEY_SIZE / 2 ? name->text[0] : 0;
    memcpy(text, name->text + 1, length * sizeof *text);
    text[length] = 0;
    if (!check(read_class(class_text, sizeof class_text, L"Software\\Classes\\%ls\\CLSID", text) &&
                   SUCCEEDED(CLSIDFromString(class_text, &class)),
               "the server of live values has no class") ||
        !check(read_class(library, sizeof library, L"Software\\Classes\\CLSID\\%ls\\InprocServer32", class_text),
               "the class of the server has no library"))
        return false;
    register_another_class();

    HRESULT(WINAPI * get)(REFCLSID class, REFIID id, void **found) = NULL;
    const FARPROC found = GetProcAddress(LoadLibraryW(library), "DllGetClassObject");
    memcpy(&get, &found, sizeof get);
    IClassFactory *factory = NULL;
    HRESULT code = get == NULL ? E_FAIL : get(&class, &IID_IClassFactory, (void **)&factory);
    if (!check(SUCCEEDED(code), "%ls does not have the class: 0x%08lx", library, (unsigned long)code))
        return false;
    void *made = NULL;
    code = factory->lpVtbl->CreateInstance(factory, NULL, &id_of_server, &made);
    running = made;
    factory->lpVtbl->Release(factory);
    return check(SUCCEEDED(code), "the server of live values cannot be made: 0x%08lx", (unsigned long)code);
}

static bool start(const struct operand *name)
{
    if (running != NULL)
        return true;
    if (main_thread == 0 && FAILED(CoInitializeEx(NULL, COINIT_APARTMENTTHREADED)))
        give_up("there is no COM on this system");
    main_thread = GetCurrentThreadId();

    LONG result = 0;
    if (!make(name))
        return false;
    const HRESULT code = running->methods->start(running, &events, &result);
    return check(code == S_OK && result == 1, "ServerStart: 0x%08lx, %ld", (unsigned long)code, result);
}

static bool connect_one(const struct operand *const names[NAMES])
{
    if (count_of_values == MOST_VALUES)
        return false;
    struct value *made = &values[count_of_values];
    for (int i = 0; i < NAMES; i++)
        made->names[i] = copy_of(names[i]);
    SAFEARRAY *array = array_of(made->names);
    VARIANT_BOOL is_new = VARIANT_FALSE;
    VARIANT value;
    VariantInit(&value);
    const HRESULT code = running->methods->connect(running, count_of_values, &array, &is_new, &value);
    SafeArrayDestroy(array);
    if (!check(code == S_OK && is_new == VARIANT_TRUE, "ConnectData: 0x%08lx, %d", (unsigned long)code, is_new))
        return false;
    made->fetched = operand_of(&value);
    VariantClear(&value);
    count_of_values++;
    return true;
}

static void fetch(void)
{
    LONG count = 0, alive = 0, bounds[4] = {0};
    SAFEARRAY *changes = NULL;
    check(running->methods->heartbeat(running, &alive) == S_OK && alive == 1, "Heartbeat: %ld", alive);
    const HRESULT code = running->methods->fetch(running, &count, &changes);
    if (!check(code == S_OK && changes != NULL, "RefreshData: 0x%08lx", (unsigned long)code))
        return;
    check(SafeArrayGetDim(changes) == 2 && SUCCEEDED(SafeArrayGetLBound(changes, 1, &bounds[0])) &&
              SUCCEEDED(SafeArrayGetUBound(changes, 1, &bounds[1])) &&
              SUCCEEDED(SafeArrayGetLBound(changes, 2, &bounds[2])) &&
              SUCCEEDED(SafeArrayGetUBound(changes, 2, &bounds[3])) && bounds[0] == 0 && bounds[1] == 1 &&
              bounds[2] == 0 && bounds[3] == count - 1,
          "RefreshData: %ld changes in an array of %ld to %ld, %ld to %ld", count, bounds[0], bounds[1], bounds[2],
          bounds[3]);
    for (LONG i = 0; i < count; i++) {
        VARIANT topic, value;
        LONG place[2] = {0, i};
        VariantInit(&topic);
        VariantInit(&value);
        HRESULT got = SafeArrayGetElement(changes, place, &topic);
        place[0] = 1;
        if (SUCCEEDED(got))
            got = SafeArrayGetElement(changes, place, &value);
        if (check(SUCCEEDED(got) && topic.vt == VT_I4 && topic.lVal >= 0 && topic.lVal < count_of_values,
                  "a change of topic %ld, of type %d", topic.lVal, topic.vt)) {
            operand_clear(&values[topic.lVal].fetched);
            values[topic.lVal].fetched = operand_of(&value);
        }
        VariantClear(&value);
    }
    SafeArrayDestroy(changes);
}

/* ---- for the others -----------------------------------------------------------------------------------------------
 */

bool live_available(void)
{
    return true;
}

bool live_value(int count, struct operand **arguments, struct operand *result)
{
    for (int i = 0; i < count; i++)
        if (!check(operand_type(arguments[i]) == OPERAND_TEXT, "the argument %d of a live value is no text", i))
            return false;
    if (!check(count == 2 + NAMES, "a live value with %d arguments", count) || !start(arguments[0]))
        return false;
    const struct operand *const names[NAMES] = {arguments[2], arguments[3], arguments[4]};
    int place = place_of(names);
    if (place < 0 && connect_one(names))
        place = count_of_values - 1;
    if (place < 0)
        return false;
    *result = copy_of(&values[place].fetched);
    return true;
}

void live_pump(unsigned milliseconds)
{
    const double until = now_ms() + milliseconds;
    do {
        MSG message;
        while (PeekMessageW(&message, NULL, 0, 0, PM_REMOVE))
            DispatchMessageW(&message);
        if (has_changes && running != NULL) {
            has_changes = false;
            fetch();
        }
        pause_ms(1);
    } while (now_ms() < until);
}

int live_count(void)
{
    return count_of_values;
}

const struct operand *live_fetched(const struct operand *service, const struct operand *id, const struct operand *field)
{
    const int place = place_of((const struct operand *const[NAMES]){service, id, field});
    return place < 0 ? NULL : &values[place].fetched;
}

void live_end(void)
{
    if (running == NULL)
        return;
    for (int i = 0; i < count_of_values; i++) {
        check(running->methods->disconnect(running, i) == S_OK, "DisconnectData of %d", i);
        for (int k = 0; k < NAMES; k++)
            operand_clear(&values[i].names[k]);
        operand_clear(&values[i].fetched);
    }
    count_of_values = refusals = 0;
    check(running->methods->terminate(running) == S_OK, "ServerTerminate");
    running->methods->release(running);
    running = NULL;
    check(references == 0, "the server keeps %lu references to the host", references);
}
