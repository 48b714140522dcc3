/* What the stand-in does with an add-in; each compares everything that comes back. */
#ifndef SCENARIOS_H
#define SCENARIOS_H

#include "system.h"
#include "table.h"

/* The name of the service, of the host's main thread for all. */
struct sheet {
    struct operand service;
    struct table table;
};

/* With no daemon, or with one: arguments that were left out, errors, shapes that no honest host passes. Nothing may
 * fall over. */
void scenario_arguments(const struct sheet *sheet);

/* Every cell of the table, one by one and as one array, from several threads at once; and what only some tables have:
 * streams, calculations. */
void scenario_values(const struct sheet *sheet, const char *language);

/* The functions that the daemon lists: all that there are, in their order. */
void scenario_functions(const struct sheet *sheet);

/* The function wizard is open, and then the dialog for finding and replacing: nothing is asked for the first, all for
 * the second. */
void scenario_wizard(const struct sheet *sheet);

/* Texts of 32,767 units and what is longer. */
void scenario_long_texts(const struct sheet *sheet);

/* Nobody serves: every cell is #N/A, soon, and the status says why. */
void scenario_absent(const struct sheet *sheet);

/* Threads recalculate all the time while the daemon is killed and another one takes its place, again and again: a cell
 * shows its value or #N/A, never anything else. Returns the daemon that runs at the end. */
struct daemon scenario_killed_while_open(const struct sheet *sheet, const char *const commands[2],
                                         struct daemon running);

/* The daemon lives and does not answer: as if nobody served, and values again when it does. The deadline of the add-in
 * should be short. */
void scenario_hung(const struct sheet *sheet, struct daemon daemon);

/* The user presses Escape while functions wait: they end. Only where functions wait for a minute. */
void scenario_break(const struct sheet *sheet, struct daemon daemon);

/* The add-in is closed while calls are under way, which end; it works when it is opened again. Ends the add-in, and
 * leaves a daemon that hangs. */
void scenario_close(const struct sheet *sheet, const char *library, const char *command);

/* Every cell at once, in a sheet that was just opened: a few requests. Only where functions may answer later. */
void scenario_burst(const struct sheet *sheet);

/* Every cell as a live value: it comes and goes with the daemon while nobody calls a function. Ends the add-in. */
void scenario_live(const struct sheet *sheet, const char *command);

/* The add-in is closed and opened, removed and added, unloaded and loaded: values each time, and no thread left over.
 */
void scenario_again(const struct sheet *sheet, const char *library);

/* Prints what a small sheet shows, for ../Workbook/picture.awk. */
void scenario_show(const struct sheet *sheet);

/* Memory of results that are given back does not grow. */
void scenario_memory(const struct sheet *sheet);

/* Repeats a function without arguments but the service until its result is (not) text that begins so; false when that
 * takes a minute. */
bool status_becomes(const struct sheet *sheet, const char *beginning);

/* How many requests were made to the daemon, by what the status says. */
int count_of_requests(const struct sheet *sheet);

/* One value: what IPC.GET has for a cell of the table. To be released. */
struct operand *get_cell(const struct sheet *sheet, int row, int column);

/* One cell comes as a stream, which takes at most a minute; false when it does not. */
bool stream_becomes(const struct sheet *sheet, int row, int column);

/* All cells of the table are there again, which takes at most a minute. */
void wait_for_values(const struct sheet *sheet);

#endif
