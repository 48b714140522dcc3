/* The dialogs of Excel in which functions are calculated that are in no cell yet. On Windows alone; elsewhere no host
 * has such windows. All on the main thread. */
#ifndef WIZARD_H
#define WIZARD_H

#include <stdbool.h>

enum dialog { FUNCTION_WIZARD, FIND_AND_REPLACE };

bool dialogs_available(void);

/* Windows as Excel has them, which nobody sees. One at a time. */
void dialog_open(enum dialog which);
void dialog_close(void);

#endif
