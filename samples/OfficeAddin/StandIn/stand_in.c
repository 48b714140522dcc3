/*
 * usage: sheet_stand_in ADD-IN SERVICE TABLE.csv C++-DAEMON C#-DAEMON [hang]
 *
 * Plays Excel for the add-in: loads it, calls its functions from several threads through the Excel 12 interface, and
 * compares every value with the table that the daemons serve. It starts the daemons itself (commands of sh), kills them
 * with -9 and replaces one by the other. The last line is "cells compared N, wrong M"; the exit code is 0 when nothing
 * was wrong.
 */
#include "checks.h"
#include "daemon.h"
#include "host.h"
#include "scenarios.h"

#include <stdio.h>
#include <string.h>

static void begin(const char *what)
{
    printf("%s\n", what);
    fflush(stdout);
}

static int both_hang(const struct sheet *sheet, const char *const daemons[2])
{
    for (int i = 0; i < 2; i++) {
        begin(i == 0 ? "the C++ daemon hangs" : "the C# daemon hangs");
        pid_t daemon = daemon_start(daemons[i]);
        scenario_hung(sheet, daemon);
        daemon_kill(daemon);
    }
    host_close(true);
    return checks_summary();
}

int main(int count, char **arguments)
{
    bool hang = count == 7 && strcmp(arguments[6], "hang") == 0;
    if (count != 6 && !hang) {
        fprintf(stderr, "usage: %s ADD-IN SERVICE TABLE.csv C++-DAEMON C#-DAEMON [hang]\n", arguments[0]);
        return 2;
    }
    const char *addin = arguments[1];
    const char *const daemons[2] = {arguments[4], arguments[5]};
    struct sheet sheet = {.service = text_operand(arguments[2]), .table = table_read(arguments[3])};

    host_load(addin);
    if (hang)
        return both_hang(&sheet, daemons);
    begin("nobody serves");
    scenario_absent(&sheet);
    scenario_arguments(&sheet);

    begin("the C++ daemon serves");
    pid_t daemon = daemon_start(daemons[0]);
    scenario_values(&sheet, "C++");
    scenario_arguments(&sheet);
    scenario_long_texts(&sheet);

    begin("it was killed");
    daemon_kill(daemon);
    scenario_absent(&sheet);

    begin("the C# daemon serves");
    daemon = daemon_start(daemons[1]);
    scenario_values(&sheet, "C#");
    scenario_arguments(&sheet);
    scenario_long_texts(&sheet);

    begin("they take turns, killed while four threads recalculate");
    daemon = scenario_killed_while_open(&sheet, daemons, daemon);

    begin("the add-in is closed, opened, removed, added, unloaded, loaded");
    scenario_again(&sheet, addin);
    scenario_memory(&sheet);

    begin("killed once more, and the end");
    daemon_kill(daemon);
    scenario_absent(&sheet);
    host_close(true);
    host_unload();
    return checks_summary();
}
