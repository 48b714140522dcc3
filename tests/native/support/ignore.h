/* ignore.h - where a test does not care whether it was done: IPC_MUST_USE is not silenced by a cast to void. */
#ifndef IPC_TEST_IGNORE_H
#define IPC_TEST_IGNORE_H

#include "ipc.h"

static inline void ignore(ipc_status status)
{
    (void)status;
}

#endif
