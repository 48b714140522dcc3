/*
 * Gnumeric without its windows: its own library (libspreadsheet), which is what its programs consist of, with a
 * workbook that stays open. It is loaded at run time, so that building this needs nothing of it. One workbook, from one
 * thread.
 */
#ifndef GNUMERIC_H
#define GNUMERIC_H

/* Loads a workbook and every plug-in that Gnumeric finds (GNUMERIC_PLUGIN_PATH too); gives up when something is
 * missing. */
void gnumeric_open(const char *workbook);

/* All formulas of all sheets, as Control-Shift-F9 does. */
void gnumeric_recalculate(void);

/* What a cell of the first sheet holds, as text; to be freed. NULL: nothing. */
char *gnumeric_cell(int row, int column);

#endif
