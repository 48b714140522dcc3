/* A program that was compiled with other headers is told so, in words. */
#include <stdio.h>
#include <string.h>

#include "test.h"

TEST(the_library_names_its_version)
{
    char spelled[32];
    (void)snprintf(spelled, sizeof spelled, "%d.%d.%d", IPC_VERSION_MAJOR, IPC_VERSION_MINOR, IPC_VERSION_PATCH);
    CHECK(strcmp(ipc_version(), spelled) == 0);
    CHECK(strcmp(IPC_VERSION, spelled) == 0);
    CHECK(ipc_version_number() == IPC_VERSION_NUMBER);
}

TEST(headers_of_this_version_and_of_another_patch_fit)
{
    CHECK(IPC_CHECK_VERSION() == IPC_OK);
    CHECK(ipc_check_version(IPC_VERSION_NUMBER + 1) == IPC_OK);
}

TEST(headers_of_another_minor_or_major_version_do_not_fit_and_the_words_name_both)
{
    CHECK(ipc_check_version(IPC_VERSION_NUMBER - IPC_VERSION_PATCH + 1000) == IPC_E_WRONG_VERSION);
    char other[64];
    (void)snprintf(other, sizeof other, "headers of ipc %d.%d.0,", IPC_VERSION_MAJOR, IPC_VERSION_MINOR + 1);
    CHECK(strstr(ipc_last_error(), other) != NULL);
    CHECK(strstr(ipc_last_error(), "found is " IPC_VERSION) != NULL);
    CHECK(ipc_check_version(IPC_VERSION_NUMBER + 1000000) == IPC_E_WRONG_VERSION);
    CHECK(ipc_check_version(0) == IPC_E_WRONG_VERSION);
}
