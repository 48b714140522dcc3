#include "scenarios.h"

#include "checks.h"

#include <signal.h>
#include <sys/wait.h>

void scenario_hung(const struct sheet *sheet, int daemon)
{
    wait_for_values(sheet);
    /* As a program that its debugger has stopped: alive, and silent. */
    if (kill(daemon, SIGSTOP) != 0 || waitpid(daemon, NULL, WUNTRACED) != daemon)
        give_up("the daemon cannot be stopped");
    scenario_absent(sheet);
    kill(daemon, SIGCONT);
    wait_for_values(sheet);
}
