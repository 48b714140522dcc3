/*
 * What a program may find under the library's name instead of the library: one of another version (STAND_IN_VERSION), or
 * something else altogether. tests/Ipc.Native.Tests loads both.
 */
#include <stdint.h>

#ifdef STAND_IN_VERSION
uint32_t ipc_version_number(void);

uint32_t ipc_version_number(void)
{
    return STAND_IN_VERSION;
}
#else
int stand_in(void);

int stand_in(void)
{
    return 0;
}
#endif
