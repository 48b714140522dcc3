/*
 * peer storm-named-client, storm-named-server SERVER CLIENT NOTES SEED: one side of a named connection's storm: sends
 * rising numbers, checks those that it receives, acknowledges now and then, and is killed at any instruction. Its C#
 * twin is tests/peers/cs/Ipc.Peer/Storm/NamedWorker.cs, and the parent NamedStorm.cs.
 *
 * NOTES is a file of 4096 bytes that outlives the process: eight words of 8 bytes, as in `note`.
 */
#define _GNU_SOURCE
#include "ignore.h"
#include "peer.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

typedef enum note { TRIED, SENT, HANDLED, ACKNOWLEDGED, REPEATED, WRONG, LOST, FLAG, NOTES } note;
enum { RUN = 0, DRAIN = 1, END = 2 };
enum { NOTES_SIZE = 4096, MOST_AT_ONCE = 10 };

typedef struct worker {
    _Atomic uint64_t *notes;
    uint64_t seed;
    uint64_t batched; /* sent, and not published yet */
    bool is_busy;
    bool is_lazy; /* it sends and does not read: the rings fill up */
} worker;

static uint64_t dice(worker *it, uint64_t below)
{
    it->seed = it->seed * 6364136223846793005ull + 1442695040888963407ull;
    return (it->seed >> 33) % below;
}

static void raise_note(worker *it, note which, uint64_t value)
{
    if (value > it->notes[which])
        it->notes[which] = value;
}

static bool open_notes(worker *it, const char *path, const char *seed)
{
    const int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return false;
    void *base = mmap(NULL, NOTES_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    (void)close(file);
    if (base == MAP_FAILED)
        return false;
    it->notes = base;
    it->seed = strtoull(seed, NULL, 10);
    return true;
}

/* What is there is what the notes say: no more was sent than was tried, and no less than was done. */
static void begin(worker *it, const ipc_named_connection *connection)
{
    const uint64_t sent = ipc_named_sent(connection);
    const uint64_t done = it->notes[SENT];
    const uint64_t tried = it->notes[TRIED];
    if (sent < done || sent > (tried > done ? tried : done)) {
        it->notes[LOST]++;
        fprintf(stderr, "%llu messages were sent, %llu were noted as sent, %llu as tried\n", (unsigned long long)sent,
                (unsigned long long)done, (unsigned long long)tried);
    }
    if (ipc_named_acknowledged(connection) < it->notes[ACKNOWLEDGED]) {
        it->notes[WRONG]++;
        fprintf(stderr, "%llu are acknowledged, %llu were noted\n",
                (unsigned long long)ipc_named_acknowledged(connection), (unsigned long long)it->notes[ACKNOWLEDGED]);
    }
}

static void publish(worker *it, ipc_named_connection *connection)
{
    if (it->batched == 0)
        return;
    ipc_named_flush(connection);
    it->notes[SENT] = it->batched;
    it->batched = 0;
}

/* IPC_FULL is no failure. */
static ipc_status send_one(worker *it, ipc_named_connection *connection)
{
    const uint64_t number = ipc_named_sent(connection) + 1;
    const uint32_t most = ipc_named_max_payload(connection);
    const uint32_t wanted = (uint32_t)(dice(it, 100) == 0 ? 5000 + dice(it, 35000) : 8 + dice(it, 192));
    const uint32_t length = wanted < most ? wanted : most;
    void *payload = NULL;
    uint64_t sequence = 0;
    ipc_status status = ipc_named_try_claim(connection, length, &payload);
    if (status != IPC_OK) {
        publish(it, connection);
        return status == IPC_FULL ? IPC_OK : status;
    }
    it->is_busy = true;
    memcpy(payload, &number, 8);
    for (uint32_t i = 8; i < length; i++)
        ((uint8_t *)payload)[i] = (uint8_t)(number + i);
    it->notes[TRIED] = number;
    if (dice(it, 8) == 0) {
        status = ipc_named_commit_batched(connection, length, 0, &sequence);
        it->batched = sequence;
        return status;
    }
    status = ipc_named_commit(connection, length, 0, &sequence);
    if (status == IPC_OK)
        it->notes[SENT] = sequence;
    it->batched = 0;
    return status;
}

static void check(worker *it, const ipc_named_connection *connection, const ipc_named_message *message)
{
    const char *who = ipc_named_client_name(connection);
    const uint64_t sequence = message->sequence;
    const uint8_t *bytes = message->payload;
    uint64_t number = 0;
    it->is_busy = true;
    if (sequence <= it->notes[HANDLED] && !message->redelivered) {
        it->notes[REPEATED]++;
        fprintf(stderr, "%s: %llu came again and was not marked\n", who, (unsigned long long)sequence);
    }
    if (sequence <= it->notes[ACKNOWLEDGED]) {
        it->notes[WRONG]++;
        fprintf(stderr, "%s: %llu came again, %llu was acknowledged\n", who, (unsigned long long)sequence,
                (unsigned long long)it->notes[ACKNOWLEDGED]);
    }
    if (message->length >= 8)
        memcpy(&number, bytes, 8);
    bool right = number == sequence;
    for (uint32_t i = 8; right && i < message->length; i++)
        right = bytes[i] == (uint8_t)(sequence + i);
    if (!right) {
        it->notes[WRONG]++;
        fprintf(stderr, "%s: message %llu has the content of another one\n", who, (unsigned long long)sequence);
    }
    raise_note(it, HANDLED, sequence);
}

static void acknowledge(worker *it, ipc_named_connection *connection, uint64_t sequence)
{
    if (sequence == 0)
        return;
    ipc_named_acknowledge(connection, sequence);
    raise_note(it, ACKNOWLEDGED, sequence);
}

static ipc_status turn(worker *it, ipc_named_connection *connection)
{
    ipc_named_message message;
    ipc_status status = IPC_OK;
    const bool drains = it->notes[FLAG] == DRAIN;
    it->is_busy = false;
    it->is_lazy = !drains && dice(it, 100) == 0 ? !it->is_lazy : it->is_lazy && !drains;
    if (drains)
        publish(it, connection);
    else if (dice(it, 4) != 0)
        status = send_one(it, connection);
    for (int i = 0; i < MOST_AT_ONCE && !it->is_lazy && status == IPC_OK; i++) {
        status = ipc_named_try_receive(connection, &message);
        if (status == IPC_OK)
            check(it, connection, &message);
    }
    if (status != IPC_OK && status != IPC_EMPTY)
        return status;
    const uint64_t received = ipc_named_received(connection);
    const uint64_t done = ipc_named_acknowledged(connection);
    if (drains)
        acknowledge(it, connection, received);
    else if (received > done && dice(it, 2) == 0)
        acknowledge(it, connection, dice(it, 2) == 0 ? received : done + 1 + dice(it, received - done));
    return IPC_OK;
}

/* What it comes to. */
static int verdict(worker *it, ipc_status status)
{
    if (it->notes[FLAG] == END && status == IPC_OK)
        return 0;
    if (status == IPC_E_CORRUPT)
        it->notes[WRONG]++;
    fprintf(stderr, "%s %s\n", ipc_status_name(status), ipc_last_error());
    return 3;
}

static void pause_shortly(void)
{
    const struct timespec pause = {0, 1000000};
    (void)nanosleep(&pause, NULL);
}

static ipc_deadline moment(worker *it)
{
    return ipc_deadline_after((1 + dice(it, 9)) * 1000000u);
}

int peer_storm_named_client(char **arguments, int count)
{
    (void)count;
    worker it = {0};
    ipc_named_connection *connection = NULL;
    if (!open_notes(&it, arguments[2], arguments[3]))
        return 2;
    ipc_status status = ipc_named_open(arguments[0], arguments[1], NULL, &connection);
    if (status != IPC_OK)
        return verdict(&it, status);
    begin(&it, connection);
    while (status == IPC_OK && it.notes[FLAG] != END) {
        ipc_named_message message;
        status = turn(&it, connection);
        if (status == IPC_OK && it.is_lazy && !it.is_busy)
            pause_shortly();
        if (status != IPC_OK || it.is_busy || it.is_lazy)
            continue;
        status = ipc_named_receive(connection, moment(&it), NULL, &message);
        if (status == IPC_OK)
            check(&it, connection, &message);
        else if (status == IPC_TIMEOUT)
            status = IPC_OK;
    }
    const int result = verdict(&it, status);
    ipc_named_close(connection, 0, NULL);
    return result;
}

static ipc_status handle(worker *it, ipc_named_listener *listener, const ipc_named_event *event,
                         ipc_named_connection **connection)
{
    ipc_status status = IPC_OK;
    if (event->kind == IPC_NAMED_LOGIN) {
        if (*connection == NULL)
            begin(it, event->connection);
        *connection = event->connection;
        status = ipc_named_accept(event->connection, NULL, 0);
    } else if (event->kind == IPC_NAMED_READABLE) {
        status = turn(it, event->connection);
        ipc_named_return(listener, event->connection);
    }
    return status;
}

int peer_storm_named_server(char **arguments, int count)
{
    (void)count;
    worker it = {0};
    ipc_named_listener *listener = NULL;
    ipc_named_connection *connection = NULL;
    if (!open_notes(&it, arguments[2], arguments[3]))
        return 2;
    ipc_status status = ipc_named_listener_open(arguments[0], NULL, &listener);
    if (status != IPC_OK)
        return verdict(&it, status);
    while (status == IPC_OK && it.notes[FLAG] != END) {
        ipc_named_event event;
        if (it.is_lazy && !it.is_busy)
            pause_shortly(); /* what it does not read is reported all the time */
        if (connection == NULL && ipc_named_listener_open_connection(listener, arguments[1], &connection) == IPC_OK)
            begin(&it, connection);
        it.is_busy = false;
        if (connection != NULL)
            status = turn(&it, connection);
        if (status != IPC_OK)
            break;
        status = ipc_named_listener_next(listener, it.is_busy ? IPC_NOW : moment(&it), NULL, &event);
        if (status == IPC_OK)
            status = handle(&it, listener, &event, &connection);
        else if (status == IPC_TIMEOUT)
            status = IPC_OK;
    }
    const int result = verdict(&it, status);
    ipc_named_close(connection, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    return result;
}
