/* drive: the commands of mutex, semaphore and event. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "drive_parts.h"

#define IS(text) (strcmp(command, text) == 0)

static bool open_sync(const char *command)
{
    ipc_sync_options options = {0};
    options.permits = (uint32_t)drive_option_number("permits", 1);
    options.manual_reset = drive_option_number("manual", 0) != 0;
    options.initially_set = drive_option_number("set", 0) != 0;
    options.lifetime = drive_lifetime();
    options.open_mode = drive_open_mode();
    options.access = drive_access();
    options.wait_mode = drive_wait_mode();
    options.deadline = drive_deadline();
    drive_object made = {.kind = NOTHING};
    ipc_status status;
    if (IS("open-mutex")) {
        ipc_shared_mutex *mutex = NULL;
        status = ipc_shared_mutex_open(drive_word(2), &options, &mutex);
        made = (drive_object){.kind = MUTEX, .handle = mutex};
    } else if (IS("open-semaphore")) {
        ipc_shared_semaphore *semaphore = NULL;
        status = ipc_shared_semaphore_open(drive_word(2), &options, &semaphore);
        made = (drive_object){.kind = SEMAPHORE, .handle = semaphore};
    } else if (IS("open-event")) {
        ipc_shared_event *event = NULL;
        status = ipc_shared_event_open(drive_word(2), &options, &event);
        made = (drive_object){.kind = EVENT, .handle = event};
    } else {
        return false;
    }
    if (status == IPC_OK)
        *drive_at(1) = made;
    drive_answer(status);
    return true;
}

static bool mutex_commands(const char *command, drive_object *o)
{
    if (IS("acquire"))
        drive_answer(ipc_shared_mutex_acquire(o->handle, drive_deadline(), NULL));
    else if (IS("release"))
        drive_answer(ipc_shared_mutex_release(o->handle));
    else if (IS("stop") || IS("resume")) {
        (IS("stop") ? ipc_shared_mutex_stop : ipc_shared_mutex_resume)(o->handle);
        drive_answer(IPC_OK);
    } else
        return false;
    return true;
}

static bool semaphore_commands(const char *command, drive_object *o)
{
    if (IS("acquire"))
        drive_answer(ipc_shared_semaphore_acquire(o->handle, drive_deadline(), NULL));
    else if (IS("release"))
        drive_answer(ipc_shared_semaphore_release(o->handle));
    else if (IS("available"))
        printf("0 available=%" PRIu32 "\n", ipc_shared_semaphore_available(o->handle));
    else if (IS("stop") || IS("resume")) {
        (IS("stop") ? ipc_shared_semaphore_stop : ipc_shared_semaphore_resume)(o->handle);
        drive_answer(IPC_OK);
    } else
        return false;
    return true;
}

static bool event_commands(const char *command, drive_object *o)
{
    if (IS("wait"))
        drive_answer(ipc_shared_event_wait(o->handle, drive_deadline(), NULL));
    else if (IS("set") || IS("reset")) {
        (IS("set") ? ipc_shared_event_set : ipc_shared_event_reset)(o->handle);
        drive_answer(IPC_OK);
    } else if (IS("stop") || IS("resume")) {
        (IS("stop") ? ipc_shared_event_stop : ipc_shared_event_resume)(o->handle);
        drive_answer(IPC_OK);
    } else
        return false;
    return true;
}

bool drive_sync(const char *command, drive_object *o)
{
    switch (o->kind) {
    case MUTEX:
        return mutex_commands(command, o);
    case SEMAPHORE:
        return semaphore_commands(command, o);
    case EVENT:
        return event_commands(command, o);
    default:
        return open_sync(command);
    }
}
