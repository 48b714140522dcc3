#include "wizard.h"

#include "checks.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

enum { FIELDS_OF_WIZARD = 5, FIELDS_OF_REPLACE = 2 };

static HWND opened;

bool dialogs_available(void)
{
    return true;
}

static HWND make(const wchar_t *class, DWORD style, HWND parent)
{
    const HWND made = CreateWindowW(class, NULL, style, 0, 0, 1, 1, parent, NULL, NULL, NULL);
    if (made == NULL)
        give_up("there is no window of the class %ls: error %lu", class, GetLastError());
    return made;
}

static void register_classes(void)
{
    static const wchar_t *const names[] = {L"bosa_sdm_XL9", L"EDTBX"};
    static bool is_done;
    for (size_t i = 0; !is_done && i < sizeof names / sizeof *names; i++) {
        const WNDCLASSW class = {.lpfnWndProc = DefWindowProcW, .lpszClassName = names[i]};
        if (RegisterClassW(&class) == 0)
            give_up("the class %ls cannot be: error %lu", names[i], GetLastError());
    }
    is_done = true;
}

void dialog_open(enum dialog which)
{
    register_classes();
    opened = make(L"bosa_sdm_XL9", WS_POPUP, NULL);
    for (int i = 0; i < (which == FUNCTION_WIZARD ? FIELDS_OF_WIZARD : FIELDS_OF_REPLACE); i++)
        make(L"EDTBX", WS_CHILD, opened);
    if (which == FUNCTION_WIZARD)
        make(L"ScrollBar", WS_CHILD, opened);
}

void dialog_close(void)
{
    DestroyWindow(opened);
    opened = NULL;
}
