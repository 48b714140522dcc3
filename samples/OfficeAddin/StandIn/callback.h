/* MdCallBack12, which this program exports as Excel does: what an add-in may ask of its host, and what it has asked. */
#ifndef CALLBACK_H
#define CALLBACK_H

#include "operand.h"
#include "system.h"

enum { MOST_ARGUMENTS = 30, NAME_SIZE = 256 };

/* A worksheet function of the add-in. */
struct function {
    char name[NAME_SIZE];
    int arguments;
    bool is_later;       /* it returns nothing: the result is handed over later */
    int uses;            /* how often it was registered and not unregistered */
    library_entry entry; /* NULL: not registered (any more) */
};

/* The add-in that calls from now on, on this thread alone. */
void callbacks_of(void *library);

/* As when Excel starts: no function was registered, nothing was alerted. */
void callbacks_forget(void);

/* NULL when no such function is registered. */
const struct function *callback_function(const char *name);
int callback_functions(void);

/* How many results of the host were not given back. */
int callback_outstanding(void);

/* From here (true) to there (false) this thread calculates: only xlFree, xlfRtd and xlAbort may be asked of the
 * host. */
void callbacks_while_calculating(bool begins);

/* The user presses Escape so much later, and holds it. */
void callback_escape(unsigned after_ms);

/* He has let it go. How often the add-in has asked. */
int callback_escape_ends(void);

/* What the user was alerted of last, in UTF-8; NULL when he was not. */
const char *callback_alert(void);

#endif
