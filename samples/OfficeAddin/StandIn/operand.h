/* Values in the layout of the Excel 12 interface (XLOPER12), and how they compare with text. */
#ifndef OPERAND_H
#define OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    OPERAND_NUMBER = 0x1,
    OPERAND_TEXT = 0x2,
    OPERAND_BOOLEAN = 0x4,
    OPERAND_REFERENCE = 0x8,
    OPERAND_ERROR = 0x10,
    OPERAND_FLOW = 0x20,
    OPERAND_ARRAY = 0x40,
    OPERAND_MISSING = 0x80,
    OPERAND_EMPTY = 0x100,
    OPERAND_SHEET_REFERENCE = 0x400,
    OPERAND_INTEGER = 0x800,
    OPERAND_HANDLE = 0x802, /* names a cell that waits for its result */
    OPERAND_FREED_BY_HOST = 0x1000,
    OPERAND_FREED_BY_ADDIN = 0x4000,

    ERROR_VALUE = 15,
    ERROR_NUM = 36,
    ERROR_NA = 42,

    LONGEST_TEXT = 32767,
};

struct operand {
    union {
        double number;
        uint16_t *text; /* UTF-16; the first unit counts the others */
        int32_t small;  /* boolean, error, integer */
        struct {
            struct operand *cells; /* row by row */
            int32_t rows, columns;
        } array;
        char room[24];
    };
    uint32_t type;
};

_Static_assert(sizeof(struct operand) == 32 && offsetof(struct operand, type) == 24, "XLOPER12");
_Static_assert(offsetof(struct operand, array.rows) == 8 && offsetof(struct operand, array.columns) == 12, "XLOPER12");

struct operand number_operand(double value);
struct operand boolean_operand(bool value);
struct operand error_operand(int code);
struct operand missing_operand(void);
struct operand empty_operand(void);
/* Of UTF-8. operand_clear() frees it. */
struct operand text_operand(const char *text);
/* A text of the same unit again and again. */
struct operand repeated_operand(uint16_t unit, size_t count);
/* The cells stay the caller's. */
struct operand array_operand(struct operand *cells, int rows, int columns);
/* What a cell with these characters in a CSV file is: a number, TRUE, FALSE, an error, a date as the number
 * that a sheet has for it, empty, or text. */
struct operand cell_operand(const char *characters);

/* Frees a text. */
void operand_clear(struct operand *operand);

/* What it holds: its type without the flags that say who frees it, and with all that Excel does not know. */
int operand_type(const struct operand *operand);
bool operand_is_error(const struct operand *operand, int code);
bool operands_equal(const struct operand *left, const struct operand *right);
/* The characters of a text, as many as there is room for, in UTF-8. */
const char *operand_utf8(const struct operand *text, char *room, size_t size);
/* As one reads it, in ASCII; for messages. */
const char *operand_words(const struct operand *operand, char *room, size_t size);

#endif
