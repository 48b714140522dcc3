#include "live.h"

#include "system.h"

bool live_available(void)
{
    return false;
}

bool live_value(int count, struct operand **arguments, struct operand *result)
{
    (void)count, (void)arguments, (void)result;
    return false;
}

void live_pump(unsigned milliseconds)
{
    pause_ms(milliseconds);
}

int live_count(void)
{
    return 0;
}

const struct operand *live_fetched(const struct operand *service, const struct operand *id, const struct operand *field)
{
    (void)service, (void)id, (void)field;
    return NULL;
}

void live_end(void)
{
}
