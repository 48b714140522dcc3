/* The CSV file that the daemons serve, as the test expects to get it: fields in the first row, an id in the first
 * column of each other. */
#ifndef TABLE_H
#define TABLE_H

#include "operand.h"

struct table {
    int rows, columns;      /* without the names */
    struct operand *ids;    /* rows of them */
    struct operand *fields; /* columns of them */
    struct operand *cells;  /* row by row */
};

/* Of a file without quotes; gives up when it cannot be read. */
struct table table_read(const char *file);

const struct operand *table_cell(const struct table *table, int row, int column);

#endif
