/* drive: the commands of listeners and connections. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drive_parts.h"

enum { END_OF_SERVICE = 65535 };

static uint64_t id_of_lent(ipc_connection *connection)
{
    const drive_object *known = ipc_connection_context(connection);
    if (known != NULL)
        return (uint64_t)(known - drive_objects);
    for (uint64_t id = DRIVE_FIRST_LENT; id < DRIVE_OBJECTS; id++) {
        if (drive_objects[id].kind == NOTHING) {
            drive_objects[id] = (drive_object){ .kind = CONNECTION, .handle = connection };
            ipc_connection_set_context(connection, &drive_objects[id]);
            return id;
        }
    }
    return 0;
}

/* protocol=ID.VERSION.LEAST */
static ipc_protocol protocol_option(void)
{
    const char *text      = drive_option("protocol");
    unsigned long part[3] = { 0 };
    for (int i = 0; i < 3 && text != NULL && *text != '\0'; i++) {
        char *end = NULL;
        part[i]   = strtoul(text, &end, 10);
        text      = *end == '.' ? end + 1 : end;
    }
    return (ipc_protocol){ (uint16_t)part[0], (uint8_t)part[1], (uint8_t)part[2] };
}

static void open_listener(drive_object *o)
{
    ipc_listener_options options = { 0 };
    options.max_connections   = (uint32_t)drive_option_number("max", 0);
    options.max_ring_capacity = drive_option_number("limit", 0);
    options.max_loan_budget   = drive_option_number("budget_limit", 0);
    options.access            = drive_access();
    options.protocol          = protocol_option();
    options.wait_mode         = drive_wait_mode();
    options.take_over         = drive_option_number("follow", 0) != 0;
    ipc_listener *listener    = NULL;
    const ipc_status status   = ipc_listener_open(drive_word(2), &options, &listener);
    if (status == IPC_OK)
        *o = (drive_object){ .kind = LISTENER, .handle = listener };
    drive_answer(status);
}

static void next_event(drive_object *o)
{
    ipc_event event;
    const ipc_status status = ipc_listener_next(o->handle, drive_deadline(), NULL, &event);
    if (status != IPC_OK) {
        drive_answer(status);
        return;
    }
    if (event.kind == IPC_EVENT_FOLLOWED) {
        printf("0 kind=%d connection=0 followed=%d\n", event.kind, ipc_listener_is_followed(o->handle));
        return;
    }
    uint32_t length   = 0;
    const char *hello = ipc_connection_hello(event.connection, &length);
    printf("0 kind=%d connection=%" PRIu64 " slot=%" PRIu32 " pid=%" PRId32 " user=%" PRIu32 " version=%" PRIu32 " | %.*s\n",
           event.kind, id_of_lent(event.connection), ipc_connection_slot(event.connection),
           ipc_connection_peer_pid(event.connection), ipc_connection_peer_user(event.connection),
           ipc_connection_protocol_version(event.connection), (int)length, hello != NULL ? hello : "");
}

/* As an event loop does, without a thread that waits in the library. */
static ipc_status connect_in_steps(const ipc_connect_options *options, ipc_connection **connection)
{
    ipc_ready_handle *handle   = NULL;
    ipc_connecting *connecting = NULL;
    ipc_status status          = ipc_ready_handle_create(NULL, NULL, &handle);
    if (status == IPC_OK)
        status = ipc_connect_begin(drive_word(2), options, &connecting);
    while (status == IPC_OK && (status = ipc_connect_try(connecting, connection)) == IPC_EMPTY) {
        status = ipc_connect_arm(connecting, handle);
        if (status == IPC_EMPTY) {
            drive_await(handle);
            status = IPC_OK;
        }
    }
    ipc_connect_end(connecting);
    ipc_ready_handle_destroy(handle);
    return status;
}

/* steps=1: connects without a thread. */
static void connect_to(drive_object *o)
{
    ipc_connect_options options = { 0 };
    options.to_server_capacity = drive_option_number("to_server", 0);
    options.to_client_capacity = drive_option_number("to_client", 0);
    options.loan_budget        = drive_loan_budget();
    options.access             = drive_access();
    options.protocol           = protocol_option();
    options.wait_mode          = drive_wait_mode();
    options.deadline           = drive_deadline();
    options.hello              = drive_option("hello");
    options.hello_length       = options.hello != NULL ? (uint32_t)strlen(options.hello) : 0;
    ipc_connection *connection = NULL;
    const ipc_status status    = drive_option("steps") != NULL ? connect_in_steps(&options, &connection)
                                                               : ipc_connect(drive_word(2), &options, &connection);
    if (status == IPC_OK)
        *o = (drive_object){ .kind = CONNECTION, .handle = connection };
    drive_answer(status);
}

static void show_state(drive_object *o)
{
    char text[256];
    (void)ipc_connection_close_text(o->handle, text, sizeof text);
    printf("0 open=%d code=%" PRIu32 " slot=%" PRIu32 " pid=%" PRId32 " user=%" PRIu32 " version=%" PRIu32 " | %s\n",
           ipc_connection_is_open(o->handle), ipc_connection_close_code(o->handle), ipc_connection_slot(o->handle),
           ipc_connection_peer_pid(o->handle), ipc_connection_peer_user(o->handle),
           ipc_connection_protocol_version(o->handle), text);
}

/* Echoes what is readable. Returns 1 when a record of type 65535 asked for the end, 0 when more may come, -1 when it broke. */
static int echo(ipc_connection *connection, ipc_deadline until)
{
    ipc_record record;
    ipc_status status;
    int end = 0;
    while ((status = ipc_ring_try_read(ipc_connection_reader(connection), &record)) == IPC_OK) {
        end |= record.type == END_OF_SERVICE;
        status = ipc_ring_write(ipc_connection_writer(connection), record.payload, record.length, record.type, until, NULL);
        if (status != IPC_OK)
            return -1;
        ipc_ring_release(ipc_connection_reader(connection));
    }
    return status < 0 ? -1 : end;
}

/* serve ID timeout=MS: an echo service until a client sends a record of type 65535. A broken connection ends, the others go on. */
static void serve(drive_object *o)
{
    const ipc_deadline until = drive_deadline();
    unsigned accepted = 0, closed = 0, broken = 0;
    for (int end = 0; !end;) {
        ipc_event event;
        const ipc_status status = ipc_listener_next(o->handle, until, NULL, &event);
        if (status != IPC_OK) {
            printf("%d accepted=%u closed=%u broken=%u | %s\n", status, accepted, closed, broken, ipc_last_error());
            return;
        }
        if (event.kind == IPC_EVENT_FOLLOWED)
            continue;
        if (event.kind == IPC_EVENT_CONNECT) {
            if (ipc_connection_accept(event.connection) == IPC_OK) {
                accepted++;
                ipc_listener_return(o->handle, event.connection);
            } else {
                broken++;
                ipc_connection_close(event.connection);
            }
            continue;
        }
        if (event.kind == IPC_EVENT_CLOSED) {
            closed++;
            ipc_connection_close(event.connection);
            continue;
        }
        const int outcome = echo(event.connection, until);
        end = outcome > 0;
        if (outcome >= 0) {
            ipc_listener_return(o->handle, event.connection);
        } else {
            broken++;
            ipc_connection_close(event.connection);
        }
    }
    printf("0 accepted=%u closed=%u broken=%u\n", accepted, closed, broken);
}

bool drive_connection(const char *command, drive_object *o)
{
#define IS(text) (strcmp(command, text) == 0)
    if (IS("listen"))
        open_listener(o);
    else if (IS("next"))
        next_event(o);
    else if (IS("accept"))
        drive_answer(ipc_connection_accept(o->handle));
    else if (IS("refuse")) {
        drive_answer(ipc_connection_refuse(o->handle, drive_rest(2)));
        *o = (drive_object){ .kind = NOTHING };
    } else if (IS("return")) {
        ipc_listener_return(o->handle, drive_at(2)->handle);
        drive_answer(IPC_OK);
    } else if (IS("shutdown")) {
        ipc_connection_shutdown(o->handle, (uint32_t)drive_number(2), drive_rest(3));
        drive_answer(IPC_OK);
    } else if (IS("connect"))
        connect_to(o);
    else if (IS("state"))
        show_state(o);
    else if (IS("serve"))
        serve(o);
    else if (IS("stop") || IS("resume")) {
        (IS("stop") ? ipc_listener_stop : ipc_listener_resume)(o->handle);
        drive_answer(IPC_OK);
    } else
        return false;
    return true;
#undef IS
}
