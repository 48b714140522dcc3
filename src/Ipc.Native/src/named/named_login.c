/*
 * The client's session: looking for the server, again and again; and beginning anew with another one.
 *
 * One thread at a time tries (`logging_in`); the others go on, or look again soon. An attempt goes in steps of which
 * none waits (connecting.c), so that who only sends is never held up by a server that does not answer. Who has nothing
 * to do but to wait for the session waits for the answer.
 *
 * A publish that finds the server asleep notifies the session's slot. Without a session it may be that the server has
 * accepted, and we have not looked: then the slot of the attempt is notified, by whoever has `logging_in` now, or by the
 * publisher (`notify_due`: set before it tries the lock, looked at after each unlock).
 */
#include "named/named.h"
#include "platform/fault.h"

#include <stdio.h>
#include <string.h>

#define SESSION_RING     4096u
#define PAUSE_MIN_NS     1000000ull
#define PAUSE_MAX_NS     1000000000ull
#define LOOK_NS          20000000ull   /* for what nobody signals */
#define ANSWER_NS        5000000000ull /* for who gives no time: see connect.c */
#define HELLO_ID_SIZE    16u
#define LOCK_DEADLINE_NS 5000000000ull

/* ---- who tries ---------------------------------------------------------------------------------------- */

static void unlock(ipc_named_connection *connection)
{
    ipc_mutex_unlock(&connection->logging_in);
    while (ipc_exchange32(&connection->notify_due, 0) != 0) {
        if (!ipc_mutex_try_lock(&connection->logging_in)) {
            (void)ipc_exchange32(&connection->notify_due, 1); /* who has it looks when it is through */
            return;
        }
        if (connection->connecting != NULL)
            ipc_connecting_notify(connection->connecting);
        ipc_mutex_unlock(&connection->logging_in);
    }
}

void ipc_named_notify_login(ipc_named_connection *connection)
{
    if (!connection->is_client)
        return;
    (void)ipc_exchange32(&connection->notify_due, 1);
    if (ipc_mutex_try_lock(&connection->logging_in))
        unlock(connection);
}

static bool is_due(const ipc_named_connection *connection)
{
    return ipc_platform_now() >= ipc_load_relaxed64(&connection->next_attempt);
}

/* At random between half of it and all of it, so that the clients of a server that comes do not come at once. */
static void pause_attempts(ipc_named_connection *connection)
{
    uint32_t dice = 0;
    ipc_platform_random(&dice, sizeof dice);
    uint64_t pause = PAUSE_MAX_NS;
    if (connection->attempts < 10)
        pause = PAUSE_MIN_NS << connection->attempts++;
    pause = pause / 2 + pause / 2 * dice / UINT32_MAX;
    ipc_store_relaxed64(&connection->next_attempt, ipc_platform_now() + pause);
}

/* Another attempt may succeed without anybody's doing anything about it. */
static bool is_passing(ipc_status status)
{
    return status == IPC_E_NOT_FOUND || status == IPC_TIMEOUT || status == IPC_PEER_CLOSED || status == IPC_PEER_DIED ||
           status == IPC_E_TABLE_FULL;
}

/* ---- the session -------------------------------------------------------------------------------------- */

bool ipc_named_is_settled(const ipc_named_connection *connection, const ipc_named_ends *ends)
{
    /* The sending thread's last look: who has our other end is who the session is with. */
    const uint32_t word = ipc_load_relaxed32(&ends->writer.header->reader);
    if (word == 0 || word > ends->region->geometry.participant_capacity ||
        ipc_load_relaxed32(&connection->server_word) != word)
        return false;
    return ipc_load_relaxed32(&ends->writer.header->reader_state) == IPC_OWNER_LIVE &&
           ipc_load_relaxed32(&ipc_region_participant(ends->region, word - 1)->generation) ==
               ipc_load_relaxed32(&connection->server_generation);
}

static void install(ipc_named_connection *connection, ipc_connection *session)
{
    ipc_named_ends *ends = ipc_named_current(connection);
    (void)ipc_ring_role_attend(&ends->writing); /* also who only sends learns of its death */
    ipc_mutex_lock(&connection->mutex);
    const uint32_t word = ipc_load_acquire32(&ends->writer.header->reader);
    if (word != 0 && word <= ends->region->geometry.participant_capacity)
        ipc_store_relaxed32(&connection->server_generation,
                            ipc_load_relaxed32(&ipc_region_participant(ends->region, word - 1)->generation));
    ipc_store_relaxed32(&connection->server_word, word);
    ipc_named_put_session(connection, session);
    ipc_mutex_unlock(&connection->mutex);
    ipc_connection_ring_doorbell(session); /* who published since the server looked, and found no session to notify */
    connection->attempts = 0;
    ipc_named_wake_threads(connection); /* which look for it */
}

/* Under `logging_in`. */
static void lose(ipc_named_connection *connection)
{
    ipc_store_relaxed32(&connection->server_word, 0);
    ipc_connection *session = ipc_named_take_session(connection, NULL);
    if (session == NULL)
        return;
    ipc_store_relaxed64(&connection->next_attempt, 0);
    ipc_connection_close(session);
    ipc_named_wake_threads(connection); /* which sleep as if it were there: they look for the next one */
}

void ipc_named_lose(ipc_named_connection *connection, const ipc_named_ends *ends)
{
    /* Another thread has seen it already, and waits for a server's answer: for longer than this one may. */
    if (!ipc_mutex_try_lock(&connection->logging_in))
        return;
    /* Another thread may have found a server again. */
    if (ends == ipc_named_current(connection) &&
        (!ipc_named_is_connected(connection) ||
         ipc_load_acquire32(&ends->writer.header->reader_state) != IPC_OWNER_LIVE || /* [close] */
         ipc_load_acquire32(&ends->reader.header->writer_state) != IPC_OWNER_LIVE)) /* [close] */
        lose(connection);
    unlock(connection);
}

void ipc_named_end_login(ipc_named_connection *connection, uint32_t code, const char *text)
{
    ipc_mutex_lock(&connection->logging_in);
    ipc_connecting *connecting = connection->connecting;
    connection->connecting = NULL;
    ipc_connection *session = ipc_named_take_session(connection, NULL);
    ipc_mutex_unlock(&connection->logging_in);
    ipc_connect_end(connecting);
    if (session == NULL)
        return;
    if (!session->region->forked)
        ipc_connection_shutdown(session, code, text);
    ipc_connection_close(session);
}

/* ---- another server ------------------------------------------------------------------------------------ */

static ipc_status open_anew(ipc_named_connection *connection)
{
    ipc_named_ends *ends = NULL;
    ipc_status status = ipc_named_ends_open(connection, IPC_NOW, &ends);
    if (status != IPC_OK)
        return status;
    connection->begins_anew = false;
    ipc_named_install(connection, ends);
    return IPC_OK;
}

static void note_reset(ipc_named_connection *connection, const ipc_named_ends *ends, const char *identity)
{
    ipc_named_reset *reset = &connection->reset;
    uint8_t former[IPC_NAMED_NAME_MAX];
    const uint32_t length = ipc_named_read_identity(ends, former);
    ipc_mutex_lock(&connection->mutex);
    reset->count++;
    memset(reset->old_identity, 0, sizeof reset->old_identity);
    memset(reset->new_identity, 0, sizeof reset->new_identity);
    memcpy(reset->old_identity, former, length);
    (void)snprintf(reset->new_identity, sizeof reset->new_identity, "%.*s", (int)IPC_NAMED_NAME_MAX, identity);
    reset->unacknowledged_sent = ipc_named_ends_outstanding(ends);
    reset->unacknowledged_received = ipc_named_ends_unacknowledged(ends);
    ipc_mutex_unlock(&connection->mutex);
}

/* Under `logging_in`. Nobody commits or acknowledges in the former ends any more when it is counted. The lock comes
   first: where it cannot be had nothing has changed, and the next attempt does it all. Who is inside the ends, and is
   waited for, never waits for that lock: to recover a peer, and on the watch thread, it is only tried. */
static ipc_status begin_anew(ipc_named_connection *connection, const char *identity)
{
    ipc_named_ends *former = ipc_named_current(connection);
    ipc_status status = ipc_region_lock(former->region, ipc_deadline_after(LOCK_DEADLINE_NS));
    if (status != IPC_OK)
        return status;
    connection->begins_anew = true;
    ipc_named_ends_shut(former);
    note_reset(connection, former, identity);
    ipc_region_retire(former->region);
    ipc_region_unlock(former->region);
    IPC_FAULT_POINT("named.reset.unlinked");
    ipc_named_ends_leave(former);
    return open_anew(connection);
}

/* ---- an attempt ---------------------------------------------------------------------------------------- */

static ipc_status begin(ipc_named_connection *connection)
{
    const ipc_named_ends *ends = ipc_named_current(connection);
    uint8_t hello[HELLO_ID_SIZE + IPC_NAMED_NAME_MAX];
    const uint32_t name_length = (uint32_t)strlen(connection->client);
    memcpy(hello, ends->region->geometry.region_id, HELLO_ID_SIZE);
    memcpy(hello + HELLO_ID_SIZE, connection->client, name_length);
    ipc_named_write_data(ipc_named_current(connection), true, connection->login, connection->options.login_length);
    IPC_FAULT_POINT("named.login.written");
    const ipc_connect_options options = {
        .to_server_capacity = SESSION_RING,
        .to_client_capacity = SESSION_RING,
        .loan_budget = IPC_NO_LOANS,
        .wait_mode = connection->wait_mode,
        .spin_ns = connection->spin_ns,
        .deadline = IPC_NOW,
        .hello = hello,
        .hello_length = HELLO_ID_SIZE + name_length,
        .protocol = {.id = IPC_PROTOCOL_NAMED, .version = 1, .least_version = 1},
    };
    return ipc_connect_begin(connection->server, &options, &connection->connecting);
}

/* The attempt is over, and has failed. */
static ipc_status fail(ipc_named_connection *connection, ipc_status status, bool *is_reset)
{
    char identity[IPC_NAMED_TEXT_MAX + 1] = "";
    const bool is_another =
        status == IPC_E_REFUSED && ipc_connecting_close_code(connection->connecting) == IPC_CLOSE_IDENTITY;
    if (is_another)
        (void)snprintf(identity, sizeof identity, "%s", ipc_last_error());
    ipc_connect_end(connection->connecting);
    connection->connecting = NULL;
    if (is_another && !*is_reset) {
        *is_reset = true;
        status = begin_anew(connection, identity);
        if (status == IPC_OK)
            return IPC_OK;
    }
    pause_attempts(connection);
    return status;
}

/* As far as it goes without waiting, under `logging_in`. IPC_OK: there is a session. IPC_EMPTY: it is not time yet, or,
   where `connecting` is there, the server has not answered. */
static ipc_status step(ipc_named_connection *connection, bool is_asked)
{
    bool is_reset = false;
    if (ipc_named_is_connected(connection))
        return IPC_OK;
    if (ipc_named_is_closed(connection))
        return ipc_ended(IPC_CLOSED);
    lose(connection);
    if (connection->connecting == NULL && !is_asked && !is_due(connection))
        return IPC_EMPTY;
    for (;;) {
        ipc_connection *session = NULL;
        ipc_status status = connection->begins_anew ? open_anew(connection) : IPC_OK;
        if (status == IPC_OK && connection->connecting == NULL)
            status = begin(connection);
        if (status != IPC_OK) {
            pause_attempts(connection);
            return status;
        }
        status = ipc_connect_try(connection->connecting, &session);
        if (status == IPC_EMPTY)
            return status;
        if (status == IPC_OK) {
            ipc_connect_end(connection->connecting);
            connection->connecting = NULL;
            install(connection, session);
            return IPC_OK;
        }
        status = fail(connection, status, &is_reset);
        if (status != IPC_OK)
            return status;
    }
}

void ipc_named_push_login(ipc_named_connection *connection)
{
    if (ipc_named_is_connected(connection) || !ipc_mutex_try_lock(&connection->logging_in))
        return;
    (void)step(connection, false); /* not this message's affair while there is room for it */
    unlock(connection);
}

/* The answer, or until then. Under `logging_in`; a stop finds the waiter under the mutex. */
static ipc_status wait_for_answer(ipc_named_connection *connection, ipc_deadline deadline, ipc_cancel *cancel)
{
    ipc_waiter *waiter = ipc_connecting_waiter(connection->connecting);
    if (waiter == NULL) {
        const ipc_deadline soon = ipc_deadline_after(PAUSE_MIN_NS); /* for the lock of the listener */
        ipc_cancel_pause(cancel, soon < deadline ? soon : deadline);
        return IPC_EMPTY;
    }
    ipc_mutex_lock(&connection->mutex);
    connection->logins.wakes[1] = waiter;
    ipc_mutex_unlock(&connection->mutex);
    const ipc_status status = ipc_connecting_wait(connection->connecting, &connection->logins, deadline, cancel);
    ipc_mutex_lock(&connection->mutex);
    connection->logins.wakes[1] = NULL;
    ipc_mutex_unlock(&connection->mutex);
    return status;
}

/* IPC_OK; IPC_EMPTY: somebody else tries, or it was not time; else what the attempt came to. */
static ipc_status attempt(ipc_named_connection *connection, bool is_asked, ipc_deadline deadline, ipc_cancel *cancel,
                          ipc_deadline *again)
{
    *again = ipc_deadline_after(LOOK_NS);
    if (!ipc_mutex_try_lock(&connection->logging_in))
        return IPC_EMPTY;
    ipc_status status = step(connection, is_asked);
    while (status == IPC_EMPTY && connection->connecting != NULL) {
        status = wait_for_answer(connection, deadline, cancel);
        if (status != IPC_EMPTY)
            break;
        status = step(connection, is_asked);
        if (status == IPC_EMPTY && ipc_platform_now() >= deadline)
            break;
    }
    *again = ipc_load_relaxed64(&connection->next_attempt);
    unlock(connection);
    return status;
}

ipc_status ipc_named_attend(ipc_named_connection *connection, ipc_deadline deadline, ipc_cancel *cancel,
                            ipc_deadline *again)
{
    const ipc_status status = attempt(connection, false, deadline, cancel, again);
    return is_passing(status) ? IPC_EMPTY : status;
}

/* ---- connecting on purpose ------------------------------------------------------------------------------ */

static bool is_connected(const void *subject)
{
    return ipc_named_is_connected(subject);
}

static ipc_status check_connected(void *subject)
{
    return ipc_named_is_connected(subject) ? IPC_OK : IPC_EMPTY;
}

static bool attend_nobody(void *subject)
{
    (void)subject;
    return true;
}

static ipc_status nap(ipc_named_connection *connection, ipc_deadline until, ipc_cancel *cancel)
{
    const ipc_wait wait = {
        .end = &connection->logins,
        .waiter = &connection->naps,
        .check = check_connected,
        .attend = attend_nobody,
        .subject = connection,
        .deadline = until,
        .cancel = cancel,
    };
    return ipc_wait_until(&wait, is_connected);
}

static ipc_status connect_until(ipc_named_connection *connection, ipc_deadline deadline, ipc_cancel *cancel)
{
    const bool once = deadline == IPC_NOW;
    ipc_deadline again = IPC_NOW;
    if (once)
        deadline = ipc_deadline_after(ANSWER_NS);
    for (;;) {
        ipc_status status = attempt(connection, true, deadline, cancel, &again);
        if (status != IPC_EMPTY && (once || !is_passing(status)))
            return status;
        if (ipc_platform_now() >= deadline)
            return status == IPC_EMPTY ? ipc_ended(IPC_TIMEOUT) : status;
        const ipc_status napped = nap(connection, again < deadline ? again : deadline, cancel);
        if (napped != IPC_TIMEOUT)
            return napped;
        if (ipc_platform_now() >= deadline && status != IPC_EMPTY)
            return status;
    }
}

ipc_status ipc_named_connect(ipc_named_connection *connection, ipc_deadline deadline, ipc_cancel *cancel)
{
    if (!connection->is_client)
        return ipc_fail(IPC_E_INVALID_STATE, "only a client logs in");
    ipc_end_enter(&connection->logins);
    ipc_named_ask_for_server(connection);
    const ipc_status status = connect_until(connection, deadline, cancel);
    ipc_end_leave(&connection->logins);
    return status;
}
