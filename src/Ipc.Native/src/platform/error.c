#include "platform/error.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char last_error[512];
static _Thread_local const char *last_words; /* NULL: nothing has failed yet */
static _Thread_local int last_errno;

const char *ipc_last_error(void)
{
    return last_words == NULL ? "" : last_words;
}

int ipc_last_errno(void)
{
    return last_errno;
}

/* How long they would be. */
static int say(const char *format, va_list arguments)
{
    last_words = last_error;
    return vsnprintf(last_error, sizeof last_error, format, arguments);
}

ipc_status ipc_fail(ipc_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)say(format, arguments);
    va_end(arguments);
    last_errno = 0;
    return status;
}

ipc_status ipc_fail_because(ipc_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)say(format, arguments);
    va_end(arguments);
    return status;
}

ipc_status ipc_fail_system(int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = say(format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length < sizeof last_error)
        ipc_error_words(error, last_error + length, sizeof last_error - (size_t)length);
    last_errno = error;
    return ipc_error_status(error);
}

static const char *words_of_end(ipc_status status)
{
    switch (status) {
    case IPC_TIMEOUT:
        return "the deadline passed before it could be done";
    case IPC_STOPPED:
        return "waits of this object are stopped, until it is resumed";
    case IPC_CANCELLED:
        return "the wait was cancelled";
    case IPC_CLOSED:
        return "this object is closed";
    case IPC_PEER_CLOSED:
        return "the other side has left, and nothing is left to do for it";
    case IPC_PEER_DIED:
        return "the other side has died, and nothing is left to do for it";
    default:
        return "";
    }
}

ipc_status ipc_ended(ipc_status status)
{
    last_words = words_of_end(status);
    last_errno = 0;
    return status;
}

const char *ipc_status_name(ipc_status status)
{
    switch (status) {
    case IPC_OK:
        return "IPC_OK";
    case IPC_FULL:
        return "IPC_FULL";
    case IPC_EMPTY:
        return "IPC_EMPTY";
    case IPC_TIMEOUT:
        return "IPC_TIMEOUT";
    case IPC_STOPPED:
        return "IPC_STOPPED";
    case IPC_CANCELLED:
        return "IPC_CANCELLED";
    case IPC_CLOSED:
        return "IPC_CLOSED";
    case IPC_PEER_CLOSED:
        return "IPC_PEER_CLOSED";
    case IPC_PEER_DIED:
        return "IPC_PEER_DIED";
    case IPC_ABANDONED:
        return "IPC_ABANDONED";
    case IPC_EVICTED:
        return "IPC_EVICTED";
    case IPC_E_INVALID_NAME:
        return "IPC_E_INVALID_NAME";
    case IPC_E_NOT_FOUND:
        return "IPC_E_NOT_FOUND";
    case IPC_E_EXISTS:
        return "IPC_E_EXISTS";
    case IPC_E_IN_USE:
        return "IPC_E_IN_USE";
    case IPC_E_WRONG_KIND:
        return "IPC_E_WRONG_KIND";
    case IPC_E_WRONG_VERSION:
        return "IPC_E_WRONG_VERSION";
    case IPC_E_CORRUPT:
        return "IPC_E_CORRUPT";
    case IPC_E_ACCESS_DENIED:
        return "IPC_E_ACCESS_DENIED";
    case IPC_E_NO_SPACE:
        return "IPC_E_NO_SPACE";
    case IPC_E_TOO_LARGE:
        return "IPC_E_TOO_LARGE";
    case IPC_E_TABLE_FULL:
        return "IPC_E_TABLE_FULL";
    case IPC_E_REFUSED:
        return "IPC_E_REFUSED";
    case IPC_E_INVALID_ARGUMENT:
        return "IPC_E_INVALID_ARGUMENT";
    case IPC_E_INVALID_STATE:
        return "IPC_E_INVALID_STATE";
    case IPC_E_SYSTEM_ERROR:
        return "IPC_E_SYSTEM_ERROR";
    case IPC_E_NO_MEMORY:
        return "IPC_E_NO_MEMORY";
    case IPC_E_WRONG_LIFETIME:
        return "IPC_E_WRONG_LIFETIME";
    }
    return "IPC_UNKNOWN_STATUS";
}
