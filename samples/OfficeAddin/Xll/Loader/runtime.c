/*
 * Of the two ways into a runtime that .NET offers to a native program this is the one without libraries at build time:
 * hostfxr.dll of the newest installed version is loaded, reads the add-in's runtimeconfig.json, and finds or starts the
 * runtime that it asks for. The assembly is loaded into a context of its own: other add-ins in this process may bring
 * other versions of the same assemblies.
 */
#include "runtime.h"

#include <stdio.h>
#include <string.h>
#include <wchar.h>

enum {
    PATH_SIZE = 1024,
    ROOTS = 5,
    VERSION_NUMBERS = 3,
    LOAD_ASSEMBLY_AND_GET_FUNCTION_POINTER = 5, /* hostfxr_delegate_type */
};

#define ANOTHER_VERSION "Version 10 or later of the .NET Runtime for x64 is needed"
static const wchar_t type_name[] = L"OfficeAddin.Xll.Exports, OfficeAddin.Xll";
static const wchar_t *const unmanaged_callers_only = (const wchar_t *)-1;

typedef void *runtime_context;
typedef void (*write_words)(const wchar_t *words);
typedef struct runtime_parameters {
    size_t size;
    const wchar_t *host_path;
    const wchar_t *dotnet_root;
} runtime_parameters;
typedef int (*load_and_get)(const wchar_t *assembly, const wchar_t *type, const wchar_t *method,
                            const wchar_t *delegate_type, void *reserved, void **entry);

/* Those of hostfxr.dll that are used. */
typedef struct runtime_host {
    int (*initialize)(const wchar_t *config, const runtime_parameters *parameters, runtime_context *context);
    int (*get_delegate)(runtime_context context, int type, void **delegate);
    int (*close)(runtime_context context);
    write_words (*set_error_writer)(write_words writer);
} runtime_host;

static wchar_t said[RUNTIME_WORDS]; /* by hostfxr, of what went wrong; runtime_start's thread alone */

static void hear(const wchar_t *words)
{
    const size_t before = wcslen(said);
    (void)swprintf(said + before, RUNTIME_WORDS - before, L"%ls%ls", before == 0 ? L"" : L" ", words);
}

static bool is_file(const wchar_t *path)
{
    const DWORD attributes = GetFileAttributesW(path);
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) == 0;
}

/* ---- where it is ------------------------------------------------------------------------------------- */

/* A release is newer than what came before it under the same numbers. */
static bool is_newer(const wchar_t *version, const wchar_t *than)
{
    unsigned left[VERSION_NUMBERS] = {0}, right[VERSION_NUMBERS] = {0};
    (void)swscanf(version, L"%u.%u.%u", &left[0], &left[1], &left[2]);
    (void)swscanf(than, L"%u.%u.%u", &right[0], &right[1], &right[2]);
    for (int i = 0; i < VERSION_NUMBERS; i++) {
        if (left[i] != right[i])
            return left[i] > right[i];
    }
    const wchar_t *before = wcschr(version, L'-'), *than_before = wcschr(than, L'-');
    if (before == NULL || than_before == NULL)
        return before == NULL && than_before != NULL;
    return wcscmp(before, than_before) > 0;
}

/* ROOT\host\fxr\VERSION\hostfxr.dll of the newest version; false when there is none. */
static bool find_host(const wchar_t *root, wchar_t path[PATH_SIZE])
{
    wchar_t pattern[PATH_SIZE], newest[MAX_PATH] = L"";
    if (root[0] == L'\0' || swprintf(pattern, PATH_SIZE, L"%ls\\host\\fxr\\*", root) < 0)
        return false;
    WIN32_FIND_DATAW found;
    const HANDLE search = FindFirstFileW(pattern, &found);
    if (search == INVALID_HANDLE_VALUE)
        return false;
    do {
        wchar_t candidate[PATH_SIZE];
        if (swprintf(candidate, PATH_SIZE, L"%ls\\host\\fxr\\%ls\\hostfxr.dll", root, found.cFileName) < 0 ||
            found.cFileName[0] == L'.' || !is_file(candidate) || !is_newer(found.cFileName, newest))
            continue;
        (void)wcscpy(newest, found.cFileName);
        (void)wcscpy(path, candidate);
    } while (FindNextFileW(search, &found));
    (void)FindClose(search);
    return newest[0] != L'\0';
}

static void read_registry(wchar_t root[PATH_SIZE])
{
    DWORD size = PATH_SIZE * sizeof(wchar_t);
    if (RegGetValueW(HKEY_LOCAL_MACHINE, L"SOFTWARE\\dotnet\\Setup\\InstalledVersions\\x64", L"InstallLocation",
                     RRF_RT_REG_SZ | RRF_SUBKEY_WOW6432KEY, NULL, root, &size) != ERROR_SUCCESS)
        root[0] = L'\0';
}

static void read_environment(const wchar_t *name, const wchar_t *below, wchar_t root[PATH_SIZE])
{
    const DWORD length = GetEnvironmentVariableW(name, root, PATH_SIZE);
    if (length == 0 || length + wcslen(below) >= PATH_SIZE)
        root[0] = L'\0';
    else
        (void)wcscat(root, below);
}

/* The folders that may hold an installed .NET; those that are not known are empty. */
static void find_roots(const wchar_t *folder, wchar_t roots[ROOTS][PATH_SIZE])
{
    if (swprintf(roots[0], PATH_SIZE, L"%ls\\dotnet", folder) < 0)
        roots[0][0] = L'\0';
    read_environment(L"DOTNET_ROOT_X64", L"", roots[1]);
    read_environment(L"DOTNET_ROOT", L"", roots[2]);
    read_registry(roots[3]);
    read_environment(L"ProgramFiles", L"\\dotnet", roots[4]);
}

/* ---- starting it ------------------------------------------------------------------------------------- */

static bool find(HMODULE library, const char *name, void *function, size_t size)
{
    const FARPROC found = GetProcAddress(library, name);
    memcpy(function, &found, size);
    return found != NULL;
}

static bool find_functions(HMODULE library, runtime_host *host)
{
    return find(library, "hostfxr_initialize_for_runtime_config", (void *)&host->initialize, sizeof host->initialize) &&
           find(library, "hostfxr_get_runtime_delegate", (void *)&host->get_delegate, sizeof host->get_delegate) &&
           find(library, "hostfxr_close", (void *)&host->close, sizeof host->close) &&
           find(library, "hostfxr_set_error_writer", (void *)&host->set_error_writer, sizeof host->set_error_writer);
}

static bool begin(const runtime_host *host, const wchar_t *folder, const wchar_t *self, const wchar_t *root,
                  load_and_get *load, wchar_t words[RUNTIME_WORDS])
{
    wchar_t config[PATH_SIZE];
    if (swprintf(config, PATH_SIZE, L"%ls\\OfficeAddin.Xll.runtimeconfig.json", folder) < 0 || !is_file(config)) {
        (void)swprintf(words, RUNTIME_WORDS,
                       L"ipc.xll does not find %ls: copy the whole folder of the add-in, not one file of it.", config);
        return false;
    }
    const runtime_parameters parameters = {sizeof parameters, self, root};
    runtime_context context = NULL;
    void *found = NULL;
    said[0] = L'\0';
    const write_words before = host->set_error_writer(hear);
    int code = host->initialize(config, root[0] == L'\0' ? NULL : &parameters,
                                &context); /* > 0: one runs already, and is what is asked for */
    if (code >= 0)
        code = host->get_delegate(context, LOAD_ASSEMBLY_AND_GET_FUNCTION_POINTER, &found);
    if (context != NULL)
        (void)host->close(context);
    (void)host->set_error_writer(before);
    if (code < 0 || found == NULL) {
        if (root[0] == L'\0')
            (void)swprintf(
                words, RUNTIME_WORDS,
                L"ipc.xll cannot use the .NET that another add-in has started (error 0x%08x). " ANOTHER_VERSION
                ": update or remove that add-in. %ls",
                (unsigned)code, said);
        else
            (void)swprintf(words, RUNTIME_WORDS,
                           L"ipc.xll cannot start .NET (error 0x%08x). " ANOTHER_VERSION
                           ", in %ls or beside the add-in in its folder dotnet. %ls",
                           (unsigned)code, root, said);
        return false;
    }
    memcpy(load, &found, sizeof *load);
    return true;
}

/* With ROOT's library, or that of another add-in where ROOT is empty. */
static bool begin_with(HMODULE library, const wchar_t *folder, const wchar_t *self, const wchar_t *root,
                       load_and_get *load, wchar_t words[RUNTIME_WORDS])
{
    runtime_host host;
    if (find_functions(library, &host))
        return begin(&host, folder, self, root, load, words);
    (void)swprintf(words, RUNTIME_WORDS, L"The .NET %ls%ls is too old for ipc.xll. " ANOTHER_VERSION ".",
                   root[0] == L'\0' ? L"that another add-in has started" : L"in ", root);
    return false;
}

/* In the first place that has what is needed: a user may have one version for one purpose, and ours elsewhere. When
 * none has it, the words are those about the first. */
static bool begin_somewhere(const wchar_t *folder, const wchar_t *self, load_and_get *load,
                            wchar_t words[RUNTIME_WORDS])
{
    static wchar_t roots[ROOTS][PATH_SIZE], others[RUNTIME_WORDS];
    wchar_t path[PATH_SIZE];
    bool is_first = true;
    find_roots(folder, roots);
    for (int i = 0; i < ROOTS; i++) {
        const HMODULE host = find_host(roots[i], path) ? LoadLibraryW(path) : NULL;
        if (host == NULL)
            continue; /* for another processor, perhaps */
        if (begin_with(host, folder, self, roots[i], load, is_first ? words : others))
            return true;
        is_first = false;
        if (GetModuleHandleW(L"coreclr.dll") != NULL)
            return false;        /* a process has one */
        (void)FreeLibrary(host); /* else it would be taken for another add-in's the next time */
    }
    if (is_first)
        (void)swprintf(words, RUNTIME_WORDS,
                       L"ipc.xll does not find .NET. " ANOTHER_VERSION
                       ": install it (https://dot.net), or put it beside the add-in, into %ls\\dotnet.",
                       folder);
    return false;
}

bool runtime_start(HINSTANCE library, const wchar_t *const *methods, void (**entries)(void), size_t count,
                   wchar_t words[RUNTIME_WORDS])
{
    wchar_t self[PATH_SIZE], folder[PATH_SIZE], assembly[PATH_SIZE];
    load_and_get load;
    const DWORD length = GetModuleFileNameW(library, self, PATH_SIZE);
    if (length == 0 || length >= PATH_SIZE - 64) {
        (void)swprintf(words, RUNTIME_WORDS, L"The path of ipc.xll is too long: %lu units.", (unsigned long)length);
        return false;
    }
    (void)wcscpy(folder, self);
    *wcsrchr(folder, L'\\') = L'\0';

    /* A process has one runtime: where another add-in has brought one, or this one before it was unloaded, that is the
     * one. */
    const HMODULE present = GetModuleHandleW(L"hostfxr.dll");
    if (!(present != NULL ? begin_with(present, folder, self, L"", &load, words)
                          : begin_somewhere(folder, self, &load, words)))
        return false;

    (void)swprintf(assembly, PATH_SIZE, L"%ls\\OfficeAddin.Xll.dll", folder);
    for (size_t i = 0; i < count; i++) {
        void *entry = NULL;
        const int code = load(assembly, type_name, methods[i], unmanaged_callers_only, NULL, &entry);
        if (code < 0 || entry == NULL) {
            (void)swprintf(words, RUNTIME_WORDS,
                           L"ipc.xll does not find %ls in %ls (error 0x%08x): files of two versions lie there.",
                           methods[i], assembly, (unsigned)code);
            return false;
        }
        memcpy(&entries[i], &entry, sizeof entry);
    }
    return true;
}
