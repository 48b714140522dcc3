#include "excel.h"

#include <stddef.h>
#include <string.h>
#include <windows.h>

_Static_assert(sizeof(struct excel_value) == 32 && offsetof(struct excel_value, type) == 24, "XLOPER12");
_Static_assert(sizeof(wchar_t) == 2, "texts are UTF-16");

enum { COMMAND_ALERT = 0x8000 | 118 };

typedef int (*call_back)(int function, int count, struct excel_value **arguments, struct excel_value *result);

void excel_alert(const wchar_t *words)
{
    const FARPROC found = GetProcAddress(GetModuleHandleW(NULL), "MdCallBack12");
    if (found == NULL)
        return;
    call_back call;
    memcpy(&call, &found, sizeof call);

    wchar_t text[1 + EXCEL_LONGEST_MESSAGE];
    const size_t length = wcslen(words) < EXCEL_LONGEST_MESSAGE ? wcslen(words) : EXCEL_LONGEST_MESSAGE;
    text[0] = (wchar_t)length;
    wmemcpy(text + 1, words, length);
    struct excel_value message = {.text = text, .type = EXCEL_TEXT}, result = {.type = 0};
    struct excel_value *arguments[] = {&message};
    (void)call(COMMAND_ALERT, 1, arguments, &result); /* a truth value: there is nothing to give back */
}
