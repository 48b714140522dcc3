/* Whose are things here? This user's (docs/wire-format/windows.md section 1). */
#include "platform/error.h"
#include "platform/windows_api.h"

#include <aclapi.h>
#include <sddl.h>
#include <stdio.h>

/* The user of this process's token; what is impersonated does not count. */
static union {
    TOKEN_USER user;
    uint8_t bytes[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
} token;
static PSECURITY_DESCRIPTOR descriptors[3];
static DWORD failed; /* of the system, at the preparation */
static ipc_once prepare_once = IPC_ONCE_INIT;

static bool read_token(void)
{
    HANDLE handle;
    DWORD length = 0;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &handle))
        return false;
    const bool read = GetTokenInformation(handle, TokenUser, &token, sizeof token, &length) != 0;
    failed = read ? 0 : GetLastError();
    (void)CloseHandle(handle);
    SetLastError(failed);
    return read;
}

static bool make_descriptors(const wchar_t *user)
{
    static const wchar_t *const rights[] = {L"FA", L"FA", L"GA"};
    static const wchar_t *const inherited[] = {L"", L"OICI", L""};
    for (int i = IPC_WINDOWS_FILE; i <= IPC_WINDOWS_EVENT; i++) {
        wchar_t text[512];
        (void)_snwprintf(text, sizeof text / sizeof *text - 1, L"O:%lsD:P(A;%ls;%ls;;;%ls)", user, inherited[i],
                         rights[i], user);
        text[sizeof text / sizeof *text - 1] = L'\0';
        if (!ConvertStringSecurityDescriptorToSecurityDescriptorW(text, SDDL_REVISION_1, &descriptors[i], NULL))
            return false;
    }
    return true;
}

static void prepare(void)
{
    wchar_t *user = NULL;
    if (!read_token() || !ConvertSidToStringSidW(token.user.User.Sid, &user)) {
        failed = GetLastError();
        return;
    }
    if (!make_descriptors(user))
        failed = GetLastError();
    (void)LocalFree(user);
}

ipc_status ipc_windows_security(ipc_windows_object object, SECURITY_ATTRIBUTES *attributes)
{
    ipc_once_run(&prepare_once, prepare);
    if (failed != 0)
        return ipc_fail_system((int)failed, "cannot tell which user this process belongs to");
    attributes->nLength = sizeof *attributes;
    attributes->bInheritHandle = FALSE;
    attributes->lpSecurityDescriptor = descriptors[object];
    return IPC_OK;
}

ipc_status ipc_windows_check_owner(HANDLE file, const char *path)
{
    SECURITY_ATTRIBUTES ours;
    PSECURITY_DESCRIPTOR descriptor = NULL;
    PSID owner = NULL;
    ipc_status status = ipc_windows_security(IPC_WINDOWS_FILE, &ours);
    if (status != IPC_OK)
        return status;
    const DWORD error =
        GetSecurityInfo(file, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION, &owner, NULL, NULL, NULL, &descriptor);
    if (error != ERROR_SUCCESS)
        return ipc_fail_system((int)error, "cannot tell whose %s is", path);
    if (owner == NULL || !EqualSid(owner, token.user.User.Sid))
        status = ipc_fail(IPC_E_ACCESS_DENIED, "%s belongs to another user than this process", path);
    (void)LocalFree(descriptor);
    return status;
}
