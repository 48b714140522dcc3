/*
 * usage: sheet_stand_in ADD-IN SERVICE TABLE.csv LANGUAGE=DAEMON LANGUAGE=DAEMON [HOW]
 * HOW: hang|break|close|broken|live [ADD-IN]|burst|show
 *
 * Plays Excel for the add-in: loads it, calls its functions from several threads through the Excel 12 interface, and
 * compares every value with the table that the daemons serve. It starts the daemons itself (commands of sh; on Windows
 * command lines), kills them with -9 and replaces one by the other. LANGUAGE is C++ or C#, as the daemon says it is;
 * both daemons may be the same. The last line is "cells compared N, wrong M"; the exit code is 0 when nothing was
 * wrong.
 *
 * With "hang" the daemons are stopped and go on, instead; with "break" the user presses Escape meanwhile; with "close"
 * the add-in is closed; with "broken" nothing is served: the add-in cannot work here, and must say so. With "live"
 * cells are told of values, and nobody asks: on Windows. A second add-in is a copy of the first in another folder: both
 * are in the process. With "burst" a sheet of new cells is opened, and the time is told. With
 * "show" a small sheet is printed, for a picture.
 */
#include "checks.h"
#include "host.h"
#include "live.h"
#include "scenarios.h"
#include "system.h"

#include <stdio.h>
#include <string.h>

struct choice {
    const char *language, *command;
};

static void begin(const char *what)
{
    printf("%s\n", what);
    fflush(stdout);
}

static void begin_with(const struct choice *daemon, const char *does)
{
    printf("the %s daemon %s\n", daemon->language, does);
    fflush(stdout);
}

static bool choose(const char *argument, struct choice *daemon)
{
    static const char *const languages[] = {"C++", "C#"};
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++) {
        size_t length = strlen(languages[i]);
        if (strncmp(argument, languages[i], length) != 0 || argument[length] != '=')
            continue;
        *daemon = (struct choice){languages[i], argument + length + 1};
        return true;
    }
    return false;
}

/* With each of the daemons, which hangs in it and goes on. */
static int with_both(const struct sheet *sheet, const struct choice daemons[2],
                     void (*scenario)(const struct sheet *sheet, struct daemon daemon))
{
    for (int i = 0; i < 2; i++) {
        begin_with(&daemons[i], "hangs");
        struct daemon daemon = daemon_start(daemons[i].command);
        scenario(sheet, daemon);
        daemon_kill(daemon);
    }
    host_close(true);
    return checks_summary();
}

static int closes(const struct sheet *sheet, const char *addin, const struct choice *choice)
{
    begin("the add-in is closed in mid-call");
    scenario_close(sheet, addin, choice->command);
    return checks_summary();
}

static int lives(const struct sheet *sheet, const char *copy, const struct choice *choice)
{
    scenario_live(sheet, choice->command);
    if (copy != NULL) {
        begin("a copy of the add-in is loaded too");
        host_load(copy);
        scenario_live(sheet, choice->command);
    }
    return checks_summary();
}

static int serves_for(const struct sheet *sheet, const struct choice *choice,
                      void (*scenario)(const struct sheet *sheet))
{
    struct daemon serving = daemon_start(choice->command);
    scenario(sheet);
    daemon_kill(serving);
    return checks_summary();
}

static int cannot_open(const char *addin)
{
    begin("the add-in cannot work here");
    const char *alert = host_load_broken(addin);
    if (alert != NULL)
        printf("%s\n", alert);
    host_unload();
    return checks_summary();
}

static struct daemon serves(const struct sheet *sheet, const struct choice *choice)
{
    begin_with(choice, "serves");
    struct daemon daemon = daemon_start(choice->command);
    scenario_values(sheet, choice->language);
    scenario_functions(sheet);
    scenario_wizard(sheet);
    scenario_arguments(sheet);
    scenario_long_texts(sheet);
    return daemon;
}

static int everything(const struct sheet *sheet, const char *addin, const struct choice daemons[2])
{
    const char *const commands[2] = {daemons[0].command, daemons[1].command};
    begin("nobody serves");
    scenario_absent(sheet);
    scenario_arguments(sheet);

    struct daemon daemon = serves(sheet, &daemons[0]);
    begin("it was killed");
    daemon_kill(daemon);
    scenario_absent(sheet);
    daemon = serves(sheet, &daemons[1]);

    begin("they take turns, killed while four threads recalculate");
    daemon = scenario_killed_while_open(sheet, commands, daemon);

    begin("a sheet is opened");
    scenario_burst(sheet);

    begin("the add-in is closed, opened, removed, added, unloaded, loaded");
    scenario_again(sheet, addin);
    scenario_memory(sheet);

    begin("killed once more, and the end");
    daemon_kill(daemon);
    scenario_absent(sheet);
    live_end();
    host_close(true);
    host_unload();
    return checks_summary();
}

static int run(const struct sheet *sheet, const char *addin, const struct choice daemons[2], const char *how,
               const char *copy)
{
    if (strcmp(how, "broken") == 0)
        return cannot_open(addin);
    host_load(addin);
    if (strcmp(how, "hang") == 0)
        return with_both(sheet, daemons, scenario_hung);
    if (strcmp(how, "break") == 0)
        return with_both(sheet, daemons, scenario_break);
    if (strcmp(how, "close") == 0)
        return closes(sheet, addin, &daemons[0]);
    if (strcmp(how, "live") == 0)
        return lives(sheet, copy, &daemons[0]);
    if (strcmp(how, "burst") == 0)
        return serves_for(sheet, &daemons[0], scenario_burst);
    if (strcmp(how, "show") == 0)
        return serves_for(sheet, &daemons[0], scenario_show);
    return everything(sheet, addin, daemons);
}

int main(int count, char **arguments)
{
    static const char *const ways[] = {"hang", "break", "close", "broken", "live", "burst", "show"};
    struct choice daemons[2];
    system_arguments(&count, &arguments);
    bool known = count == 6;
    for (size_t i = 0; count >= 7 && i < sizeof ways / sizeof *ways; i++)
        known = known || strcmp(arguments[6], ways[i]) == 0;
    known = known && (count <= 7 || (count == 8 && strcmp(arguments[6], "live") == 0));
    if (!known || !choose(arguments[4], &daemons[0]) || !choose(arguments[5], &daemons[1])) {
        fprintf(stderr,
                "usage: %s ADD-IN SERVICE TABLE.csv LANGUAGE=DAEMON LANGUAGE=DAEMON "
                "[hang|break|close|broken|live [ADD-IN]|burst|show]\n",
                arguments[0]);
        return 2;
    }
    struct sheet sheet = {.service = text_operand(arguments[2]), .table = table_read(arguments[3])};
    return run(&sheet, arguments[1], daemons, count >= 7 ? arguments[6] : "", count == 8 ? arguments[7] : NULL);
}
