/*
 * dotnet.exe of the folder that runtime.sh makes: `dotnet X.dll words...`. The runtime's packages have everything but this program, and with it
 * the assemblies that were built on Linux run under wine as they are.
 */
#include <stdio.h>
#include <wchar.h>
#include <windows.h>

typedef int (*host_main)(int count, const wchar_t **words, const wchar_t *host, const wchar_t *root, const wchar_t *program);

int wmain(int count, wchar_t **words)
{
    static wchar_t self[1024], root[1024], library[1200];
    host_main run;
    if (GetModuleFileNameW(NULL, self, 1024) == 0)
        return 1;
    wcscpy(root, self);
    *wcsrchr(root, L'\\') = L'\0';
    swprintf(library, 1200, L"%ls\\host\\fxr\\" RUNTIME_VERSION L"\\hostfxr.dll", root);
    HMODULE module = LoadLibraryW(library);
    const FARPROC found = module == NULL ? NULL : GetProcAddress(module, "hostfxr_main_startupinfo");
    if (found == NULL) {
        fwprintf(stderr, L"cannot load %ls: error %lu\n", library, GetLastError());
        return 1;
    }
    memcpy(&run, &found, sizeof run);
    return run(count, (const wchar_t **)words, self, root, L"");
}
