/* storm_soak.h - is what a soak uses flat? Memory, descriptors and threads of those who stay, memory and files of the
 * regions. */
#ifndef IPC_TESTS_STORM_SOAK_H
#define IPC_TESTS_STORM_SOAK_H

#include <stdbool.h>
#include <sys/types.h>

enum { SOAK_STEADY = 8 };

/* One look at everything; PIDS are the COUNT processes that stay, NAMES what to call them. */
void soak_sample(const pid_t *pids, const char *const *names, int count, const char *directory, const char *region);

/* Prints a line for each figure: its mean over the second and over the last fifth of the soak. How many have grown. */
int soak_report(void);

#endif
