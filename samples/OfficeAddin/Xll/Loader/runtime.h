/* The .NET runtime in this process. */
#ifndef RUNTIME_H
#define RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <windows.h>

enum { RUNTIME_WORDS = 1024 };

/*
 * Starts the runtime that OfficeAddin.Xll.runtimeconfig.json asks for, which lies beside LIBRARY, unless one runs in
 * this process already, and finds METHODS of OfficeAddin.Xll.Exports. It looks for the runtime
 *   in the folder `dotnet` beside the library: a runtime of the add-in's own, laid out as an installed one,
 *   in DOTNET_ROOT,
 *   where .NET for 64-bit programs was installed, by the registry or in %ProgramFiles%\dotnet.
 *
 * Returns false when there is none, or not the version that is needed; WORDS then say what to do. May be called again
 * after that. Takes half a second the first time. One thread at a time.
 */
bool runtime_start(HINSTANCE library, const wchar_t *const *methods, void (**entries)(void), size_t count,
                   wchar_t words[RUNTIME_WORDS]);

#endif
