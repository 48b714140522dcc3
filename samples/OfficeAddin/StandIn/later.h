/* Results that come after their function has returned (asynchronous functions, Excel 2010). From any thread. */
#ifndef LATER_H
#define LATER_H

#include "operand.h"

/* Whether the add-in is to answer later: as it does in Excel, unless its environment says that it must not. */
bool later_available(void);

/* What Excel names a waiting cell by: it is handed to the function, and comes back with the result. */
struct operand later_begin(void);

/* The result of that cell, a copy; waits for it. NULL when it does not come within a minute. */
struct operand *later_wait(const struct operand *cell);

/* Of later_wait. */
void later_release(struct operand *result);

/* What the call-back xlAsyncReturn does. False when no such cell waits. */
bool later_return(int count, struct operand **arguments);

#endif
