#include "strict.h"

#include "checks.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The last cell of a sheet is XFD1048576. */
enum { MOST_LETTERS_OF_CELL = 3 };

static bool has_type(const struct operand *operand, unsigned type, const char *what)
{
    return rule(operand != NULL, "%s: no value", what) &&
           rule(operand->type == type, "%s: the type 0x%x instead of 0x%x", what, operand->type, type);
}

static bool text_is_whole(const struct operand *text, int most, const char *what)
{
    return rule(text->text != NULL, "%s: a text that is nowhere", what) &&
           rule(text->text[0] <= most, "%s: a text of %d units, at most %d are allowed", what, text->text[0], most);
}

bool strict_text(const struct operand *argument, int most, const char *what)
{
    return has_type(argument, OPERAND_TEXT, what) && text_is_whole(argument, most, what);
}

bool strict_optional_text(const struct operand *argument, int most, const char *what)
{
    return (argument != NULL && argument->type == OPERAND_MISSING) || strict_text(argument, most, what);
}

bool strict_number(const struct operand *argument, double expected, const char *what)
{
    if (argument != NULL && argument->type == OPERAND_INTEGER)
        return rule(argument->small == expected, "%s: %d instead of %g", what, argument->small, expected);
    return has_type(argument, OPERAND_NUMBER, what) &&
           rule(argument->number == expected, "%s: %g instead of %g", what, argument->number, expected);
}

/* A1, XFD1048576; R, C, R1C1 and what begins so. */
static bool is_called_like_a_cell(const char *name)
{
    size_t letters = 0;
    while (isalpha((unsigned char)name[letters]))
        letters++;
    size_t digits = strspn(name + letters, "0123456789");
    if (letters <= MOST_LETTERS_OF_CELL && digits > 0 && name[letters + digits] == 0)
        return true;
    const char *rest = name;
    if (toupper((unsigned char)*rest) == 'R')
        rest += 1 + strspn(rest + 1, "0123456789");
    if (toupper((unsigned char)*rest) == 'C')
        rest += 1 + strspn(rest + 1, "0123456789");
    return *rest == 0;
}

bool strict_name(const char *name)
{
    bool good = isalpha((unsigned char)*name) || *name == '_' || *name == '\\';
    for (const char *c = name; *c != 0; c++)
        good = good && (isalnum((unsigned char)*c) || strchr("_.\\?", *c) != NULL);
    return rule(good && !is_called_like_a_cell(name), "no formula can name the function '%s'", name);
}

static bool error_exists(int code)
{
    static const int codes[] = {0, 7, ERROR_VALUE, 23, 29, 36, ERROR_NA, 43};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i] == code)
            return true;
    return false;
}

static bool is_error_of(int code, const struct operand *arguments, int count)
{
    for (int i = 0; i < count; i++)
        if (operand_is_error(&arguments[i], code))
            return true;
    return false;
}

/* An empty operand is none of them: the sheet would show 0, which is a value like any other. */
static bool cell_can_hold(const struct operand *cell, unsigned type, const char *function)
{
    switch (type) {
    case OPERAND_NUMBER:
        return rule(fabs(cell->number) <= DBL_MAX, "%s: the number %g", function, cell->number);
    case OPERAND_TEXT:
        return text_is_whole(cell, LONGEST_TEXT, function);
    case OPERAND_BOOLEAN:
        return rule(cell->small == 0 || cell->small == 1, "%s: the boolean %d", function, cell->small);
    case OPERAND_ERROR:
        return rule(error_exists(cell->small), "%s: the error %d", function, cell->small);
    case OPERAND_INTEGER:
        return true;
    default:
        return rule(false, "%s: a result of the type 0x%x", function, cell->type);
    }
}

bool strict_result(const struct operand *result, const char *function, const struct operand *arguments, int count)
{
    if (!rule(result != NULL, "%s: no result", function))
        return false;
    /* The add-in's memory, to be given back; it never hands on what is the host's. */
    unsigned type = result->type & ~(unsigned)OPERAND_FREED_BY_ADDIN;
    if (type == OPERAND_ERROR && is_error_of(result->small, arguments, count))
        return true;
    if (type != OPERAND_ARRAY)
        return cell_can_hold(result, type, function);
    int rows = result->array.rows, columns = result->array.columns;
    if (!rule(rows >= 1 && rows <= MOST_ROWS_OF_SHEET && columns >= 1 && columns <= MOST_COLUMNS_OF_SHEET,
              "%s: an array of %d x %d", function, rows, columns) ||
        !rule(result->array.cells != NULL, "%s: an array that is nowhere", function))
        return false;
    for (size_t i = 0; i < (size_t)rows * (size_t)columns; i++)
        if (!cell_can_hold(&result->array.cells[i], result->array.cells[i].type, function))
            return false;
    return true;
}

bool strict_unchanged(const struct operand *arguments, const struct operand *before, int count, const char *function)
{
    return rule(memcmp(arguments, before, (size_t)count * sizeof *arguments) == 0, "%s has changed its arguments",
                function);
}
