/* A daemon as a child process, to be killed and replaced while somebody talks to it. Only from the main thread. */
#ifndef DAEMON_H
#define DAEMON_H

#include <sys/types.h>

/* Runs the command (of sh) and returns when it has written its first line, which says that it serves. Gives up after 20
 * seconds. It dies with this process, however that ends. */
pid_t daemon_start(const char *command);

/* kill -9; returns when it is gone. */
void daemon_kill(pid_t daemon);

#endif
