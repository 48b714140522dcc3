/*
 * What Excel demands of the values that an add-in hands it. Excel says nothing when it gets something else: it refuses,
 * shows another value, or falls over. Each breach is a wrong cell; what is right is not counted.
 */
#ifndef STRICT_H
#define STRICT_H

#include "operand.h"

enum {
    LONGEST_OF_CALL = 255, /* a text that goes to a call-back */
    MOST_ROWS_OF_SHEET = 1048576,
    MOST_COLUMNS_OF_SHEET = 16384,
};

/* An argument of a call-back is exactly a text, with no flag, not longer than `most`; `what` it is, for the words. */
bool strict_text(const struct operand *argument, int most, const char *what);

/* The same, or left out. */
bool strict_optional_text(const struct operand *argument, int most, const char *what);

/* Exactly a number or an integer, with no flag. */
bool strict_number(const struct operand *argument, double expected, const char *what);

/* A formula can name it: its characters, and no cell is called so. */
bool strict_name(const char *name);

/* What a function returns to the sheet: a kind that a cell can hold, or an array of them; of the flags only the one
 * that says who frees it. The error of an argument may come back, whichever it is. */
bool strict_result(const struct operand *result, const char *function, const struct operand *arguments, int count);

/* Arguments are the host's: as many as `count`, as they were before. */
bool strict_unchanged(const struct operand *arguments, const struct operand *before, int count, const char *function);

#endif
