/*
 * The leader: what is the next thing to do, over all connections?
 *
 * A connection is lent to the application (then nobody looks at it), due (an event waits to be handed out), hot (the
 * leader looks at its ring while it spins) or cold (armed: the client's next publish sets its ready bit). Before the
 * leader sleeps it arms the hot ones too, and one barrier serves them and the doorbell; then it looks at everything
 * once more ([sleep], [ready]). What this look makes hot (it was given back, or its bit came, after the others were
 * armed) is not armed: it does not sleep then, and arms all anew. Whoever is armed has got back all the space of what
 * was read ([wanted]). A ready bit only means "look": it may be late, or about nothing.
 */
#include "connections/listener.h"

/* Clients that are not watched are asked for before each sleep, and no more often than this: who polls does not sleep. */
#define ASK_NS 10000000u
/* The longest sleep while somebody takes the name. */
#define UNSURE_NS 10000000u

static void put_due(ipc_listener *listener, ipc_connection *connection, ipc_event_kind kind)
{
    connection->place = PLACE_DUE;
    connection->due_event = kind;
    connection->next = NULL;
    *listener->due_last = connection;
    listener->due_last = &connection->next;
}

static ipc_connection *take_due(ipc_listener *listener)
{
    ipc_connection *connection = listener->due_first;
    if (connection == NULL)
        return NULL;
    listener->due_first = connection->next;
    if (listener->due_first == NULL)
        listener->due_last = &listener->due_first;
    return connection;
}

static void remove_due(ipc_listener *listener, const ipc_connection *connection)
{
    ipc_connection **link = &listener->due_first;
    while (*link != NULL && *link != connection)
        link = &(*link)->next;
    if (*link == NULL)
        return;
    *link = connection->next;
    if (listener->due_last == &connection->next)
        listener->due_last = link;
}

static bool is_shut_down(const ipc_connection *connection)
{
    return (ipc_load_relaxed32(&connection->reader.end.flags) & IPC_END_CLOSED) != 0;
}

/* Has it something to tell? */
static bool is_due(const ipc_connection *connection, ipc_event_kind *kind)
{
    *kind = IPC_EVENT_READABLE;
    if (ipc_ring_is_readable(connection->watched))
        return true;
    if (ipc_connection_peer_state((void *)(uintptr_t)connection) == IPC_PEER_LIVE && /* [close] */
        !is_shut_down(connection))
        return false;
    if (!ipc_ring_is_readable(connection->watched)) /* once more: published before the close */
        *kind = IPC_EVENT_CLOSED;
    return true;
}

/* ---- hot and cold ------------------------------------------------------------------------------------ */

static void remove_hot(ipc_listener *listener, uint32_t index)
{
    listener->hot_count--;
    for (uint32_t i = index; i < listener->hot_count; i++)
        listener->hot[i] = listener->hot[i + 1];
}

static uint32_t find_hot(const ipc_listener *listener, const ipc_connection *connection)
{
    uint32_t i = 0;
    while (i < listener->hot_count && listener->hot[i] != connection)
        i++;
    return i;
}

void ipc_listener_drop(ipc_listener *listener, const ipc_connection *connection)
{
    const uint32_t index = find_hot(listener, connection);
    if (index != listener->hot_count)
        remove_hot(listener, index);
    remove_due(listener, connection);
}

/* The least recently used make room, half of them at a time: one barrier serves them all, and costs more than a message.
   Armed, with the barrier paid and looked at once more, they are cold. */
static void cool_half(ipc_listener *listener)
{
    ipc_connection *oldest[IPC_HOT_MAX / 2];
    const uint32_t count = listener->hot_count / 2;
    uint32_t armed = 0;
    ipc_armed others = IPC_ARMED_SETTLED;
    bool settled = true;
    listener->hot_count -= count;
    for (uint32_t i = 0; i < count; i++) {
        oldest[i] = listener->hot[listener->hot_count + i];
        ipc_ring_return_all(oldest[i]->watched);
        ipc_waiter *waiter = &oldest[i]->watched->header->data;
        if (i + 1 == count)
            settled = ipc_waiter_announce(waiter, others, &armed); /* [sleep] */
        else
            others = ipc_armed_both(others, ipc_waiter_arm(waiter)); /* [sleep] */
    }
    if (!settled) { /* membarrier is forbidden, perhaps only by now: the others have counted on it. Nobody looks again */
        for (uint32_t i = 0; i + 1 < count; i++)
            (void)ipc_waiter_arm(&oldest[i]->watched->header->data); /* [sleep] */
        ipc_waiter_settle();
    }
    for (uint32_t i = 0; i < count; i++) {
        ipc_event_kind kind;
        oldest[i]->place = PLACE_COLD;
        if (is_due(oldest[i], &kind))
            put_due(listener, oldest[i], kind);
    }
}

static void put_hot(ipc_listener *listener, ipc_connection *connection)
{
    if (listener->hot_count == IPC_HOT_MAX)
        cool_half(listener);
    for (uint32_t i = listener->hot_count; i > 0; i--)
        listener->hot[i] = listener->hot[i - 1];
    listener->hot[0] = connection;
    listener->hot_count++;
    listener->hot_unarmed = true;
    connection->place = PLACE_HOT;
}

static void look_at(ipc_listener *listener, ipc_connection *connection)
{
    ipc_event_kind kind;
    const bool due = is_due(connection, &kind);
    if (due && connection->place == PLACE_HOT)
        remove_hot(listener, find_hot(listener, connection));
    if (due)
        put_due(listener, connection, kind);
    else if (connection->place != PLACE_HOT)
        put_hot(listener, connection);
}

/* ---- what others have to say ------------------------------------------------------------------------- */

void ipc_listener_drain_returned(ipc_listener *listener)
{
    if (ipc_load_acquire_pointer(&listener->returned) == NULL)
        return;
    ipc_connection *connection = ipc_exchange_pointer(&listener->returned, NULL);
    while (connection != NULL) {
        ipc_connection *next = connection->next;
        connection->given_back = false;
        look_at(listener, connection);
        connection = next;
    }
}

static void look_at_slot(ipc_listener *listener, uint32_t slot)
{
    ipc_mutex_lock(&listener->mutex);
    ipc_connection *connection = listener->table[slot];
    const bool ours = connection != NULL && (connection->place == PLACE_HOT || connection->place == PLACE_COLD);
    const bool has_leavers = listener->leavers != NULL;
    ipc_mutex_unlock(&listener->mutex);
    if (ours)
        look_at(listener, connection); /* not lent, so nobody else can close it */
    if (connection != NULL || slot == IPC_LISTENER_SERVER)
        return;
    if (has_leavers)
        ipc_listener_forget_gone(listener);

    connection = ipc_listener_take_request(listener, slot);
    if (connection == NULL)
        return;
    ipc_listener_add(listener, connection);
    put_due(listener, connection, IPC_EVENT_CONNECT);
}

static void take_ready(ipc_listener *listener, uint32_t words)
{
    for (uint32_t word = 0; word < words; word++) {
        if (ipc_load_relaxed64(&listener->view.ready[word]) == 0)
            continue;
        uint64_t bits = ipc_exchange64(&listener->view.ready[word], 0); /* [ready] */
        for (uint32_t bit = 0; bits != 0; bit++, bits >>= 1) {
            if ((bits & 1) != 0)
                look_at_slot(listener, word * 64 + bit);
        }
    }
}

static void poll_hot(ipc_listener *listener)
{
    for (uint32_t i = 0; i < listener->hot_count;) {
        ipc_connection *connection = listener->hot[i];
        if (!ipc_ring_is_readable(connection->watched)) {
            if (ipc_ring_owes_space(connection->watched))
                ipc_ring_return_all(connection->watched);
            i++;
            continue;
        }
        remove_hot(listener, i);
        put_due(listener, connection, IPC_EVENT_READABLE);
    }
}

/* Whose is the name, when somebody says that he has it? */
static void look_for_successor(ipc_listener *listener)
{
    bool followed = false;
    if (!listener->hands_over || ipc_load_relaxed32(&listener->followed) != 0 ||
        ipc_load_acquire32(&listener->view.body->server_state) != IPC_SERVER_FOLLOWED) { /* [follow] */
        listener->unsure = false;
        return;
    }
    listener->unsure = !ipc_listener_look_for_successor(&listener->view, &followed);
    if (followed)
        ipc_store_release32(&listener->followed, 1);
}

static bool has_to_tell_of_successor(const ipc_listener *listener)
{
    return ipc_load_relaxed32(&listener->followed) != 0 && !listener->told_of_followed;
}

/* ---- the wait ---------------------------------------------------------------------------------------- */

static ipc_status collect(void *subject)
{
    ipc_listener *listener = subject;
    look_for_successor(listener); /* before a request is taken */
    ipc_listener_drain_returned(listener);
    poll_hot(listener);
    /* Who calls all the time should not have the bits of a thousand slots looked through for each call. The first
       clients' are in one word. */
    const bool all = listener->due_first == NULL || ++listener->passed_over >= IPC_PASSED_OVER_MAX;
    take_ready(listener, all ? listener->view.slot_count / 64 : 1);
    if (all)
        listener->passed_over = 0;
    return listener->due_first == NULL && !has_to_tell_of_successor(listener) ? IPC_EMPTY : IPC_OK;
}

static bool has_work(const void *subject)
{
    const ipc_listener *listener = subject;
    if (ipc_load_acquire_pointer(&listener->returned) != NULL) /* [return] it came back while the others were armed */
        return true;
    if (listener->hands_over && !listener->unsure && ipc_load_relaxed32(&listener->followed) == 0 &&
        ipc_load_relaxed32(&listener->view.body->server_state) == IPC_SERVER_FOLLOWED) /* [follow] */
        return true;
    for (uint32_t i = 0; i < listener->hot_count; i++) {
        if (ipc_ring_is_readable(listener->hot[i]->watched) || ipc_ring_owes_space(listener->hot[i]->watched))
            return true;
    }
    for (uint32_t word = 0; word < listener->view.slot_count / 64; word++) {
        if (ipc_load_relaxed64(&listener->view.ready[word]) != 0)
            return true;
    }
    return false;
}

/* What is held back goes with the arming: from then on nobody looks whether a client waits for it. */
static ipc_armed arm_hot(void *subject)
{
    ipc_listener *listener = subject;
    ipc_armed armed = IPC_ARMED_SETTLED;
    for (uint32_t i = 0; i < listener->hot_count; i++) {
        ipc_ring_return_all(listener->hot[i]->watched);
        armed = ipc_armed_both(armed, ipc_waiter_arm(&listener->hot[i]->watched->header->data)); /* [sleep] */
    }
    listener->hot_unarmed = false;
    return armed;
}

/* Who takes the name, and has not done so yet, may be killed before it rings. */
static uint64_t longest_sleep(const void *subject)
{
    const ipc_listener *listener = subject;
    if (listener->hot_unarmed)
        return 0;
    return listener->unsure ? UNSURE_NS : IPC_SLEEP_UNBOUNDED;
}

/* No descriptors, no thread: the leader asks the locks of those clients himself. The mutex keeps them from being closed
   meanwhile. */
static void ask_unwatched(ipc_listener *listener)
{
    const uint64_t now = ipc_platform_now();
    if (now - listener->asked_at < ASK_NS)
        return;
    listener->asked_at = now;
    ipc_mutex_lock(&listener->mutex);
    for (uint32_t i = 1; i < listener->view.slot_count; i++) {
        ipc_connection *connection = listener->table[i];
        if (connection != NULL && ipc_load_relaxed32(&connection->peer_gone) == 0)
            (void)ipc_connection_attend(connection);
    }
    ipc_mutex_unlock(&listener->mutex);
}

/* Of a client whose process is watched, the death sets its ready bit. */
static bool attend(void *subject)
{
    ipc_listener *listener = subject;
    if (ipc_load_relaxed32(&listener->unwatched) == 0)
        return true;
    ask_unwatched(listener);
    return false;
}

static ipc_wait wait_of(ipc_listener *listener, ipc_deadline deadline, ipc_cancel *cancel)
{
    const ipc_processors none = {NULL, NULL};
    const ipc_wait wait = {
        .end = &listener->end,
        .waiter = &listener->view.body->doorbell,
        .arm = arm_hot,
        .check = collect,
        .attend = attend,
        .longest_sleep = longest_sleep,
        .subject = listener,
        .deadline = deadline,
        .cancel = cancel,
        /* The first one was lent last: with more of them, there is none whose processor it is. */
        .processors = listener->hot_count != 0 ? listener->hot[0]->watched->peer.processors : none,
    };
    return wait;
}

ipc_status ipc_listener_arm_nowhere(ipc_listener *listener, ipc_ready_handle *handle)
{
    const ipc_wait wait = wait_of(listener, IPC_FOREVER, NULL);
    ipc_ready_handle_begin(handle, wait.end, wait.waiter, IPC_FOREVER, NULL); /* wherever it was before */
    ipc_ready_handle_skip(handle);
    return IPC_OK;
}

ipc_status ipc_listener_arm(ipc_listener *listener, ipc_deadline deadline, ipc_cancel *cancel, ipc_ready_handle *handle)
{
    if (listener->due_first != NULL)
        return ipc_listener_arm_nowhere(listener, handle);
    const ipc_wait wait = wait_of(listener, deadline, cancel);
    return ipc_wait_arm(&wait, handle);
}

ipc_status ipc_listener_next(ipc_listener *listener, ipc_deadline deadline, ipc_cancel *cancel, ipc_event *event)
{
    ipc_status status = listener->due_first != NULL ? IPC_OK : collect(listener);
    if (status != IPC_OK) {
        const ipc_wait wait = wait_of(listener, deadline, cancel);
        status = ipc_wait_until(&wait, has_work);
    }
    if (status != IPC_OK)
        return status;

    ipc_connection *connection = take_due(listener);
    if (connection == NULL) {
        listener->told_of_followed = true;
        event->kind = IPC_EVENT_FOLLOWED;
        event->connection = NULL;
        return IPC_OK;
    }
    event->kind = connection->due_event;
    event->connection = connection;
    (void)ipc_processors_note(&connection->watched->peer.processors);
    connection->place = PLACE_LENT;
    return IPC_OK;
}

void ipc_listener_push_returned(ipc_listener *listener, ipc_connection *connection)
{
    void *head = ipc_load_acquire_pointer(&listener->returned);
    do {
        connection->next = head;
    } while (!ipc_cas_pointer(&listener->returned, &head, connection));
}

void ipc_listener_return(ipc_listener *listener, ipc_connection *connection)
{
    ipc_mutex_lock(&listener->mutex);
    const bool closed = listener->closed;
    if (!closed) {
        connection->given_back = true;
        ipc_listener_push_returned(listener, connection); /* [return] */
        ipc_waiter_signal(&listener->view.body->doorbell, listener->view.process_fences);
    }
    ipc_mutex_unlock(&listener->mutex);
    if (closed)
        ipc_listener_forget(connection);
}
