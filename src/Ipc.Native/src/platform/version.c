#include "platform/error.h"

#define MAJOR_OF(number) ((number) / 1000000u)
#define MINOR_OF(number) ((number) / 1000u % 1000u)
#define PATCH_OF(number) ((number) % 1000u)

const char *ipc_version(void)
{
    return IPC_VERSION;
}

uint32_t ipc_version_number(void)
{
    return IPC_VERSION_NUMBER;
}

ipc_status ipc_check_version(uint32_t header_version)
{
    /* Before 1.0 a minor version may change anything. From then on it only adds: an older program finds all it knows. */
    const uint32_t major = MAJOR_OF(header_version);
    const uint32_t minor = MINOR_OF(header_version);
    const bool fits = major == IPC_VERSION_MAJOR &&
                      (major == 0 ? minor == IPC_VERSION_MINOR : minor <= (uint32_t)IPC_VERSION_MINOR);
    if (fits)
        return IPC_OK;
    return ipc_fail(
        IPC_E_WRONG_VERSION,
        "the program was compiled with the headers of ipc %u.%u.%u, the library that it found is %s: install "
        "the library that belongs to the headers, or compile the program anew",
        major, minor, PATCH_OF(header_version), IPC_VERSION);
}
