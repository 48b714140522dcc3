/*
 * ipc.xll for Excel on Windows: a library without .NET in it. It starts the .NET runtime in Excel's process, loads
 * OfficeAddin.Xll.dll, which lies beside it, and passes every call on to the functions there, which are those that the
 * add-in exports when it is compiled to machine code (Exports.cs).
 *
 * The runtime begins with the first call, never in DllMain: that has the system's loader lock, and the runtime loads
 * libraries. Excel opens an add-in on its main thread before it calls functions from others; whoever comes first
 * starts it, and the others wait. After a failure only xlAutoOpen tries again: a user may have installed what was
 * missing.
 *
 * A runtime that has begun cannot be ended. When Excel unloads this library and loads it again, the runtime and the
 * add-in's assembly are still there, and only the pointers to its functions are asked for again.
 */
#include "excel.h"
#include "runtime.h"

#include <stdio.h>
#include <string.h>

typedef struct excel_value value;

/* In the order of `entries`. */
enum {
    OPEN,
    CLOSE,
    REMOVE,
    FREE,
    FREE_12,
    SET_ENTRY_POINT,
    GET,
    GRID,
    CALC,
    STREAM,
    STATUS,
    MANAGER_INFO,
    CLASS_OBJECT,
    GET_LATER,
    GRID_LATER,
    CALC_LATER,
    LIST,
    LIST_LATER,
    ENTRIES
};

static const wchar_t *const methods[ENTRIES] = {
    L"Open",
    L"Close",
    L"Remove",
    L"Free",
    L"Free12",
    L"SetEntryPoint",
    L"Get",
    L"Grid",
    L"Calc",
    L"Stream",
    L"Status",
    L"ManagerInfo",
    L"GetClassObject",
    L"GetLater",
    L"GridLater",
    L"CalcLater",
    L"ListFunctions",
    L"ListFunctionsLater",
};

static void (*entries[ENTRIES])(void);
static SRWLOCK lock = SRWLOCK_INIT;
static enum { NOT_STARTED, STARTED, FAILED } state; /* changed under the lock; STARTED stays */
static HINSTANCE self;

static value no_value = {.integer = EXCEL_ERROR_VALUE, .type = EXCEL_ERROR}; /* the host's to read, nobody's to free */

BOOL WINAPI DllMain(HINSTANCE instance, DWORD reason, LPVOID reserved)
{
    (void)reserved;
    if (reason == DLL_PROCESS_ATTACH)
        self = instance;
    return TRUE;
}

/* To the debugger always, to the user where Excel can show it. */
static void complain(const wchar_t *words)
{
    OutputDebugStringW(L"ipc.xll: ");
    OutputDebugStringW(words);
    OutputDebugStringW(L"\n");
    excel_alert(words);
}

static bool try_start(bool again)
{
    wchar_t words[RUNTIME_WORDS] = L"";
    AcquireSRWLockExclusive(&lock);
    if (state == NOT_STARTED || (state == FAILED && again)) {
        const bool has_started = runtime_start(self, methods, entries, ENTRIES, words);
        __atomic_store_n(&state, has_started ? STARTED : FAILED, __ATOMIC_RELEASE);
    }
    const bool started = state == STARTED;
    ReleaseSRWLockExclusive(&lock);
    if (!started && words[0] != L'\0')
        complain(words); /* without the lock: while the user reads, Excel may call us again, on this thread too */
    return started;
}

static bool has_started(void)
{
    return __atomic_load_n(&state, __ATOMIC_ACQUIRE) == STARTED; /* and `entries` are there */
}

static bool is_started(void)
{
    return has_started() || try_start(false);
}

#define EXPORT               __declspec(dllexport)
#define PASS_ON(entry, type) ((type)entries[entry])

/* ---- what every add-in has --------------------------------------------------------------------------- */

EXPORT int xlAutoOpen(void)
{
    return try_start(true) ? PASS_ON(OPEN, int (*)(void))() : 0;
}

/* Nothing that would have to end begins here. */
EXPORT int xlAutoClose(void)
{
    return has_started() ? PASS_ON(CLOSE, int (*)(void))() : 1;
}

EXPORT int xlAutoRemove(void)
{
    return has_started() ? PASS_ON(REMOVE, int (*)(void))() : 1;
}

EXPORT void xlAutoFree(void *result)
{
    if (is_started())
        PASS_ON(FREE, void (*)(void *))(result);
}

EXPORT void xlAutoFree12(void *result)
{
    if (is_started())
        PASS_ON(FREE_12, void (*)(void *))(result);
}

EXPORT void SetExcel12EntryPt(void *call_back)
{
    if (is_started())
        PASS_ON(SET_ENTRY_POINT, void (*)(void *))(call_back);
}

EXPORT value *xlAddInManagerInfo12(value *action)
{
    return is_started() ? PASS_ON(MANAGER_INFO, value * (*)(value *))(action) : &no_value;
}

/* ---- what COM asks for: Excel finds the server of live values by the registry, not by what it has loaded ---- */

EXPORT HRESULT WINAPI DllGetClassObject(REFCLSID id, REFIID wanted, void **found)
{
    typedef int (*get_class_object)(const GUID *, const GUID *, void **);
    return is_started() ? PASS_ON(CLASS_OBJECT, get_class_object)(id, wanted, found) : CLASS_E_CLASSNOTAVAILABLE;
}

EXPORT HRESULT WINAPI DllCanUnloadNow(void)
{
    return S_FALSE; /* the runtime stays */
}

/* ---- the functions of the sheet ---------------------------------------------------------------------- */

typedef value *(*one)(value *);
typedef value *(*three)(value *, value *, value *);

EXPORT value *ipc_get(value *service, value *id, value *field)
{
    return is_started() ? PASS_ON(GET, three)(service, id, field) : &no_value;
}

EXPORT value *ipc_grid(value *service, value *ids, value *fields)
{
    return is_started() ? PASS_ON(GRID, three)(service, ids, fields) : &no_value;
}

EXPORT value *ipc_stream(value *service, value *id, value *field)
{
    return is_started() ? PASS_ON(STREAM, three)(service, id, field) : &no_value;
}

EXPORT value *ipc_functions(value *service)
{
    return is_started() ? PASS_ON(LIST, one)(service) : &no_value;
}

EXPORT value *ipc_status(value *service)
{
    return is_started() ? PASS_ON(STATUS, one)(service) : &no_value;
}

/* Excel passes as many arguments as were registered, on the stack most of them: each has to be named to be passed on.
 */
#define TAKEN(n) value *n##0, value *n##1, value *n##2, value *n##3, value *n##4, value *n##5, value *n##6
#define GIVEN(n) n##0, n##1, n##2, n##3, n##4, n##5, n##6
typedef value *(*thirty)(value *, value *, TAKEN(a), TAKEN(b), TAKEN(c), TAKEN(d));

EXPORT value *ipc_calc(value *service, value *name, TAKEN(a), TAKEN(b), TAKEN(c), TAKEN(d))
{
    return is_started() ? PASS_ON(CALC, thirty)(service, name, GIVEN(a), GIVEN(b), GIVEN(c), GIVEN(d)) : &no_value;
}

/* ---- the same, with results that are handed over later: CELL names the cell that waits --------------- */

typedef void (*one_later)(value *, value *);
typedef void (*three_later)(value *, value *, value *, value *);
typedef void (*thirty_later)(value *, value *, TAKEN(a), TAKEN(b), TAKEN(c), TAKEN(d), value *);

EXPORT void ipc_get_later(value *service, value *id, value *field, value *cell)
{
    if (is_started())
        PASS_ON(GET_LATER, three_later)(service, id, field, cell);
}

EXPORT void ipc_grid_later(value *service, value *ids, value *fields, value *cell)
{
    if (is_started())
        PASS_ON(GRID_LATER, three_later)(service, ids, fields, cell);
}

EXPORT void ipc_calc_later(value *service, value *name, TAKEN(a), TAKEN(b), TAKEN(c), TAKEN(d), value *cell)
{
    if (is_started())
        PASS_ON(CALC_LATER, thirty_later)(service, name, GIVEN(a), GIVEN(b), GIVEN(c), GIVEN(d), cell);
}

EXPORT void ipc_functions_later(value *service, value *cell)
{
    if (is_started())
        PASS_ON(LIST_LATER, one_later)(service, cell);
}
