/* drive: the commands of named connections. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "drive_parts.h"

enum { NAMED_TYPE = 7 };

static void open_named(drive_object *o)
{
    ipc_named_options options        = { 0 };
    ipc_named_connection *connection = NULL;
    options.to_server_capacity = drive_option_number("to_server", 0);
    options.to_client_capacity = drive_option_number("to_client", 0);
    options.loan_budget        = drive_loan_budget();
    options.wait_mode          = drive_wait_mode();
    options.no_reconnect       = drive_option_number("reconnect", 1) == 0;
    options.login              = drive_option("login");
    options.login_length       = options.login != NULL ? (uint32_t)strlen(options.login) : 0;
    const ipc_status status = ipc_named_open(drive_word(2), drive_word(3), &options, &connection);
    if (status == IPC_OK)
        *o = (drive_object){ .kind = NAMED, .handle = connection };
    drive_answer(status);
}

static void open_listener(drive_object *o)
{
    ipc_named_listener_options options = { 0 };
    ipc_named_listener *listener       = NULL;
    options.identity  = drive_option("identity");
    options.wait_mode = drive_wait_mode();
    const ipc_status status = ipc_named_listener_open(drive_word(2), &options, &listener);
    if (status == IPC_OK)
        *o = (drive_object){ .kind = NAMED_LISTENER, .handle = listener };
    drive_answer(status);
}

/* A connection that a listener hands out keeps its number. */
static uint64_t id_of(ipc_named_connection *connection)
{
    uint64_t free_id = 0;
    for (uint64_t id = 0; id < DRIVE_OBJECTS; id++) {
        if (drive_objects[id].kind == NAMED && drive_objects[id].handle == connection)
            return id;
        if (free_id == 0 && id >= DRIVE_FIRST_LENT && drive_objects[id].kind == NOTHING)
            free_id = id;
    }
    drive_objects[free_id] = (drive_object){ .kind = NAMED, .handle = connection };
    return free_id;
}

static void next_event(drive_object *o)
{
    ipc_named_event event;
    const ipc_status status = ipc_named_listener_next(o->handle, drive_deadline(), NULL, &event);
    if (status != IPC_OK) {
        drive_answer(status);
        return;
    }
    uint32_t length   = 0;
    const char *login = ipc_named_login(event.connection, &length);
    const int reason  = event.kind != IPC_NAMED_LOGOUT ? IPC_OK : event.code == 0 ? IPC_PEER_DIED : IPC_PEER_CLOSED;
    printf("0 kind=%d connection=%" PRIu64 " reason=%d code=%" PRIu32 " | %s %.*s\n", event.kind, id_of(event.connection),
           reason, event.code, ipc_named_client_name(event.connection), (int)length, login != NULL ? login : "");
}

static void attach(drive_object *o)
{
    ipc_named_connection *connection = NULL;
    const ipc_status status = ipc_named_listener_open_connection(o->handle, drive_word(2), &connection);
    if (status == IPC_OK)
        printf("0 connection=%" PRIu64 "\n", id_of(connection));
    else
        drive_answer(status);
}

/* named-send ID LENGTH: the content is the numbered one of its sequence. */
static void send_message(drive_object *o)
{
    void *payload         = NULL;
    uint64_t sequence     = 0;
    const uint32_t length = (uint32_t)drive_number(2);
    ipc_status status     = ipc_named_claim(o->handle, length, drive_deadline(), NULL, &payload);
    if (status == IPC_OK) {
        const uint64_t number = ipc_named_sent(o->handle) + 1;
        memcpy(payload, &number, sizeof number);
        for (uint32_t i = sizeof number; i < length; i++)
            ((uint8_t *)payload)[i] = (uint8_t)(number + i);
        status = ipc_named_commit(o->handle, length, NAMED_TYPE, &sequence);
    }
    if (status == IPC_OK)
        printf("0 sequence=%" PRIu64 "\n", sequence);
    else
        drive_answer(status);
}

static void receive_message(drive_object *o)
{
    ipc_named_message message;
    const ipc_status status = ipc_named_receive(o->handle, drive_deadline(), NULL, &message);
    if (status != IPC_OK) {
        drive_answer(status);
        return;
    }
    const uint8_t *bytes = message.payload;
    bool right           = message.length >= sizeof(uint64_t) && message.type == NAMED_TYPE &&
                 memcmp(bytes, &message.sequence, sizeof message.sequence) == 0;
    for (uint32_t i = sizeof(uint64_t); right && i < message.length; i++)
        right = bytes[i] == (uint8_t)(message.sequence + i);
    printf("%d sequence=%" PRIu64 " redelivered=%d length=%" PRIu32 "\n", right ? IPC_OK : DRIVE_WRONG_CONTENT, message.sequence,
           message.redelivered, message.length);
}

static void show_state(drive_object *o)
{
    char identity[IPC_NAMED_NAME_MAX + 1];
    uint32_t length   = 0;
    const char *reply = ipc_named_reply(o->handle, &length);
    (void)ipc_named_identity(o->handle, identity, sizeof identity);
    printf("0 connected=%d sent=%" PRIu64 " received=%" PRIu64 " acknowledged=%" PRIu64 " outstanding=%" PRIu64 " | %s %.*s\n",
           ipc_named_is_connected(o->handle), ipc_named_sent(o->handle), ipc_named_received(o->handle),
           ipc_named_acknowledged(o->handle), ipc_named_unacknowledged(o->handle), identity, (int)length,
           reply != NULL ? reply : "");
}

bool drive_named(const char *command, drive_object *o)
{
#define IS(text) (strcmp(command, text) == 0)
    if (IS("open-named"))
        open_named(o);
    else if (IS("open-named-listener"))
        open_listener(o);
    else if (IS("named-login"))
        drive_answer(ipc_named_connect(o->handle, drive_deadline(), NULL));
    else if (IS("named-next"))
        next_event(o);
    else if (IS("named-accept"))
        drive_answer(ipc_named_accept(o->handle, drive_rest(2), (uint32_t)strlen(drive_rest(2))));
    else if (IS("named-refuse")) {
        drive_answer(ipc_named_refuse(o->handle, drive_rest(2)));
        *o = (drive_object){ .kind = NOTHING };
    } else if (IS("named-return")) {
        ipc_named_return(o->handle, drive_at(2)->handle);
        drive_answer(IPC_OK);
    } else if (IS("named-attach"))
        attach(o);
    else if (IS("named-send"))
        send_message(o);
    else if (IS("named-receive"))
        receive_message(o);
    else if (IS("named-acknowledge")) {
        ipc_named_acknowledge(o->handle, drive_number(2));
        printf("0 acknowledged=%" PRIu64 "\n", ipc_named_acknowledged(o->handle));
    } else if (IS("named-state"))
        show_state(o);
    else if (IS("named-close")) {
        ipc_named_close(o->handle, (uint32_t)drive_number(2), drive_rest(3));
        *o = (drive_object){ .kind = NOTHING };
        drive_answer(IPC_OK);
    } else
        return false;
    return true;
#undef IS
}
