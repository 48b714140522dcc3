/*
 * Stands in for EXCEL.EXE: exports MdCallBack12 (callback.h), loads an add-in, takes its functions, and calls them as
 * Excel does: from any thread those that were registered as thread-safe ("$"), always with as many arguments as were
 * registered, and with every result given back. It demands of an add-in what Excel demands (strict.h).
 */
#ifndef HOST_H
#define HOST_H

#include "operand.h"

/* Loads it, and xlAutoOpen; gives up when the add-in cannot be loaded. What it registers is compared with what is
 * expected. */
void host_load(const char *library);

/* Loads an add-in that cannot work here: xlAutoOpen must say no, and alert the user of the reason, which is returned.
 * NULL when it alerts nobody. */
const char *host_load_broken(const char *library);

/* xlAutoRemove (when the user takes it away), and xlAutoClose. Formulas may be calculated after a mere close: the user
 * may not quit after all. */
void host_close(bool removed);

/* xlAutoOpen again, without loading anything. */
void host_open(void);

/* xlAutoOpen of an add-in that is open: the user has opened its file again. */
void host_open_once_more(void);

/* As if the last one who needs it had gone: FreeLibrary, dlclose. */
void host_unload(void);

/* How many functions the host knows. */
int host_functions(void);

/* Calls a function, and waits for its result if that comes later; arguments that are not given are missing. The result
 * goes back through host_release. */
struct operand *host_call(const char *name, int count, const struct operand *arguments);

/* The same in two steps, for functions whose results come later. */
bool host_answers_later(const char *name);
struct operand host_ask(const char *name, int count, const struct operand *arguments);
struct operand *host_answer(const char *name, const struct operand *cell);

void host_release(struct operand *result);

#endif
