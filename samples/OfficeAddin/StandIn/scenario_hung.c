#include "scenarios.h"

void scenario_hung(const struct sheet *sheet, struct daemon daemon)
{
    wait_for_values(sheet);
    daemon_stop(daemon);
    scenario_absent(sheet);
    daemon_continue(daemon);
    wait_for_values(sheet);
}
