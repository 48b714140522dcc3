/* Excel's side of live values (RTD): cells that are told when their value has changed. On Windows alone; elsewhere no
 * host has them. All on the main thread. */
#ifndef LIVE_H
#define LIVE_H

#include "operand.h"

bool live_available(void);

/* What the call-back xlfRtd does: the value that was fetched last, of a cell that is connected from now on. ARGUMENTS
 * are the server's name, nothing, and what the add-in calls the value. The result is a copy, the caller's. False when
 * there is no such server, or it refuses. */
bool live_value(int count, struct operand **arguments, struct operand *result);

/* Lets the main thread come to its messages for so long, and fetches what has changed, as Excel does when it has
 * nothing else to do. Where there are no live values, it only waits. */
void live_pump(unsigned milliseconds);

/* How many values are connected, and what was fetched last of one (NULL when it is not connected). */
int live_count(void);
const struct operand *live_fetched(const struct operand *service, const struct operand *id,
                                   const struct operand *field);

/* Every cell is gone: all values are disconnected, and the server is ended. */
void live_end(void);

#endif
