#include "table.h"

#include "checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 1 << 16, MOST_ROWS = 32768, MOST_COLUMNS = 64 };

static char *next_field(char **line)
{
    char *field = *line;
    if (field == NULL)
        give_up("the table has a row with too few fields");
    char *comma = strchr(field, ',');
    *line = comma != NULL ? comma + 1 : NULL;
    if (comma != NULL)
        *comma = 0;
    return field;
}

struct table table_read(const char *file)
{
    static char line[LINE_SIZE];
    FILE *stream = fopen(file, "r");
    if (stream == NULL || fgets(line, sizeof line, stream) == NULL)
        give_up("cannot read %s", file);

    struct table table = {
        .ids = calloc(MOST_ROWS, sizeof(struct operand)),
        .fields = calloc(MOST_COLUMNS, sizeof(struct operand)),
        .cells = calloc((size_t)MOST_ROWS * MOST_COLUMNS, sizeof(struct operand)),
    };
    if (table.ids == NULL || table.fields == NULL || table.cells == NULL)
        give_up("no memory for the table");

    line[strcspn(line, "\r\n")] = 0;
    char *rest = line;
    for (next_field(&rest); rest != NULL && table.columns < MOST_COLUMNS;)
        table.fields[table.columns++] = text_operand(next_field(&rest));
    while (table.rows < MOST_ROWS && fgets(line, sizeof line, stream) != NULL) {
        line[strcspn(line, "\r\n")] = 0;
        rest = line;
        table.ids[table.rows] = text_operand(next_field(&rest));
        for (int i = 0; i < table.columns; i++)
            table.cells[table.rows * table.columns + i] = cell_operand(next_field(&rest));
        table.rows++;
    }
    fclose(stream);
    if (table.rows == 0 || table.columns == 0)
        give_up("%s has no cells", file);
    return table;
}

const struct operand *table_cell(const struct table *table, int row, int column)
{
    return &table->cells[row * table->columns + column];
}
