/* What the loader needs of Excel's interface for add-ins. */
#ifndef EXCEL_H
#define EXCEL_H

#include <stdint.h>
#include <wchar.h>

enum {
    EXCEL_TEXT = 0x2,
    EXCEL_ERROR = 0x10,
    EXCEL_ERROR_VALUE = 15,
    EXCEL_LONGEST_MESSAGE = 255,
};

/* XLOPER12. */
struct excel_value {
    union {
        wchar_t *text; /* the first unit counts the others */
        int32_t integer;
        char room[24];
    };
    uint32_t type;
};

/* Shows a message, of which the first 255 units count, and waits for the user. Where the process is no Excel, or it
 * refuses, nothing happens. On Excel's main thread. */
void excel_alert(const wchar_t *words);

#endif
