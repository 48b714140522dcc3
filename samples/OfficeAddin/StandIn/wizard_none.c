#include "wizard.h"

bool dialogs_available(void)
{
    return false;
}

void dialog_open(enum dialog which)
{
    (void)which;
}

void dialog_close(void)
{
}
