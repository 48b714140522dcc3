#include "operand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *characters;
    int code;
} errors[] = {{"#NULL!", 0},  {"#DIV/0!", 7},       {"#VALUE!", ERROR_VALUE}, {"#REF!", 23},
              {"#NAME?", 29}, {"#NUM!", ERROR_NUM}, {"#N/A", ERROR_NA}};

struct operand number_operand(double value)
{
    return (struct operand){.number = value, .type = OPERAND_NUMBER};
}

struct operand boolean_operand(bool value)
{
    return (struct operand){.small = value, .type = OPERAND_BOOLEAN};
}

struct operand error_operand(int code)
{
    return (struct operand){.small = code, .type = OPERAND_ERROR};
}

struct operand missing_operand(void)
{
    return (struct operand){.type = OPERAND_MISSING};
}

struct operand empty_operand(void)
{
    return (struct operand){.type = OPERAND_EMPTY};
}

static uint16_t *room_for(size_t units)
{
    uint16_t *text = malloc((units + 1) * sizeof *text);
    if (text == NULL)
        abort();
    return text;
}

struct operand text_operand(const char *text)
{
    struct operand operand = {.text = room_for(strlen(text)), .type = OPERAND_TEXT};
    uint16_t *to = operand.text;
    for (const unsigned char *c = (const unsigned char *)text; *c != 0;) {
        int more = *c < 0x80 ? 0 : *c < 0xE0 ? 1 : *c < 0xF0 ? 2 : 3;
        uint32_t code = more == 0 ? *c : *c & (0x3F >> more);
        for (c++; more > 0 && *c != 0; more--, c++)
            code = code << 6 | (*c & 0x3F);
        if (code >= 0x10000) {
            *++to = (uint16_t)(0xD800 + ((code - 0x10000) >> 10));
            code = 0xDC00 + (code & 0x3FF);
        }
        *++to = (uint16_t)code;
    }
    operand.text[0] = (uint16_t)(to - operand.text);
    return operand;
}

struct operand repeated_operand(uint16_t unit, size_t count)
{
    struct operand operand = {.text = room_for(count), .type = OPERAND_TEXT};
    operand.text[0] = (uint16_t)count;
    for (size_t i = 1; i <= count; i++)
        operand.text[i] = unit;
    return operand;
}

struct operand array_operand(struct operand *cells, int rows, int columns)
{
    return (struct operand){.array = {cells, rows, columns}, .type = OPERAND_ARRAY};
}

/* What a sheet shows for a day: the number of days that it counts, also the 29 February 1900, which never was. From
 * 1904 if the add-in was told so. */
static struct operand date_operand(int year, int month, int day, int seconds)
{
    enum { MARCH = 3, FIRST_SERIAL = 1, FIRST_OF_1904 = 1462, DAYS_BEFORE_1900 = 693900 };
    static const int before_month[] = {306, 337, 0,   31,  61,  92,
                                       122, 153, 184, 214, 245, 275}; /* a year begins in March */
    const char *wanted = getenv("IPC_SHEET_DATES");
    const bool from_1904 = wanted != NULL && strcmp(wanted, "1904") == 0;
    const int years = month < MARCH ? year - 1 : year;
    int serial = years * 365 + years / 4 - years / 100 + years / 400 + before_month[month - 1] + day - DAYS_BEFORE_1900;
    if (year < 1900 || (year == 1900 && month < MARCH))
        serial--;
    if (serial < (from_1904 ? FIRST_OF_1904 : FIRST_SERIAL))
        return error_operand(ERROR_NUM);
    return number_operand(serial - (from_1904 ? FIRST_OF_1904 : 0) + seconds / 86400.0);
}

/* 2026-11-27 or 2026-11-27T09:30:00; the tables of the tests have no other days than there are, but for the month 13.
 */
static bool is_date(const char *characters, struct operand *date)
{
    int year, month, day, hour = 0, minute = 0, second = 0;
    const int read = sscanf(characters, "%4d-%2d-%2dT%2d:%2d:%2d", &year, &month, &day, &hour, &minute, &second);
    if ((read != 3 && read != 6) || month < 1 || month > 12)
        return false;
    *date = date_operand(year, month, day, hour * 3600 + minute * 60 + second);
    return true;
}

struct operand cell_operand(const char *characters)
{
    if (*characters == 0)
        return empty_operand();
    if (strcmp(characters, "TRUE") == 0 || strcmp(characters, "FALSE") == 0)
        return boolean_operand(*characters == 'T');
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strcmp(characters, errors[i].characters) == 0)
            return error_operand(errors[i].code);
    struct operand date;
    if (is_date(characters, &date))
        return date;
    char *end;
    double value = strtod(characters, &end);
    return *end == 0 ? number_operand(value) : text_operand(characters);
}

void operand_clear(struct operand *operand)
{
    if (operand_type(operand) == OPERAND_TEXT)
        free(operand->text);
    *operand = missing_operand();
}

int operand_type(const struct operand *operand)
{
    return (int)(operand->type & ~(uint32_t)(OPERAND_FREED_BY_HOST | OPERAND_FREED_BY_ADDIN));
}

bool operand_is_error(const struct operand *operand, int code)
{
    return operand_type(operand) == OPERAND_ERROR && operand->small == code;
}

/* An empty cell comes back as a text without characters: see Operands.cs. */
static size_t length_of(const struct operand *operand)
{
    return operand_type(operand) == OPERAND_TEXT ? operand->text[0] : 0;
}

bool operands_equal(const struct operand *left, const struct operand *right)
{
    int type = operand_type(left) == OPERAND_EMPTY ? OPERAND_TEXT : operand_type(left);
    if (type != (operand_type(right) == OPERAND_EMPTY ? OPERAND_TEXT : operand_type(right)))
        return false;
    switch (type) {
    case OPERAND_NUMBER:
        return left->number == right->number;
    case OPERAND_TEXT:
        return length_of(left) == length_of(right) &&
               (length_of(left) == 0 || memcmp(left->text, right->text, 2 * (1 + length_of(left))) == 0);
    default:
        return left->small == right->small;
    }
}

const char *operand_utf8(const struct operand *text, char *room, size_t size)
{
    size_t at = 0;
    for (size_t i = 1; i <= length_of(text) && at + 4 < size; i++) {
        uint32_t code = text->text[i];
        if (code >= 0xD800 && code < 0xDC00 && i < length_of(text))
            code = 0x10000 + ((code - 0xD800) << 10) + (text->text[++i] & 0x3FFU);
        int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        static const unsigned char first[] = {0, 0xC0, 0xE0, 0xF0};
        room[at++] = (char)(first[more] | code >> (6 * more));
        while (more-- > 0)
            room[at++] = (char)(0x80 | (code >> (6 * more) & 0x3F));
    }
    room[at] = 0;
    return room;
}

const char *operand_words(const struct operand *operand, char *room, size_t size)
{
    switch (operand_type(operand)) {
    case OPERAND_NUMBER:
        snprintf(room, size, "%.17g", operand->number);
        break;
    case OPERAND_TEXT: {
        size_t at = (size_t)snprintf(room, size, "%zu units: ", length_of(operand));
        for (size_t i = 1; i <= length_of(operand) && at + 1 < size; i++)
            room[at++] = operand->text[i] < 0x80 ? (char)operand->text[i] : '?';
        room[at < size ? at : size - 1] = 0;
        break;
    }
    case OPERAND_BOOLEAN:
        snprintf(room, size, "%s", operand->small != 0 ? "TRUE" : "FALSE");
        break;
    case OPERAND_ERROR:
        snprintf(room, size, "error %d", operand->small);
        break;
    case OPERAND_ARRAY:
        snprintf(room, size, "array of %d x %d", operand->array.rows, operand->array.columns);
        break;
    default:
        snprintf(room, size, "type 0x%x", operand->type);
        break;
    }
    return room;
}
