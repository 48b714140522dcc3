#include "daemon.h"

#include "checks.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { START_MS = 60000 };

static _Noreturn void become(const char *command, int output)
{
    char *line = malloc(strlen(command) + sizeof "exec ");
    if (line == NULL)
        _exit(127);
    sprintf(line, "exec %s", command);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(output, STDOUT_FILENO);
    execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(127);
}

pid_t daemon_start(const char *command)
{
    int ends[2];
    if (pipe(ends) != 0)
        give_up("no pipe for %s", command);
    pid_t daemon = fork();
    if (daemon == 0)
        become(command, ends[1]);
    close(ends[1]);

    double until = now_ms() + START_MS;
    char byte = 0;
    while (byte != '\n') {
        struct pollfd wait = {.fd = ends[0], .events = POLLIN};
        int left = (int)(until - now_ms());
        if (left <= 0 || poll(&wait, 1, left) <= 0 || read(ends[0], &byte, 1) != 1) {
            if (daemon > 0)
                daemon_kill(daemon);
            give_up("it did not start: %s", command);
        }
    }
    /* The other end of its output stays open: a daemon that says more must not die of it. */
    return daemon;
}

void daemon_kill(pid_t daemon)
{
    kill(daemon, SIGKILL);
    waitpid(daemon, NULL, 0);
}
