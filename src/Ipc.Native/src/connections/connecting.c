/*
 * Connecting without a thread: the steps of connect.c, each as soon as it can be taken.
 *
 * Two of them may have to wait for something that nobody signals: a server that is not there, and the region lock of
 * its listener. They are tried again after a pause, for which a handle is armed at a word of our own that never moves.
 * The reply is waited for as ipc_connect waits for it.
 */
#include "connections/connect.h"

#include <stdlib.h>
#include <string.h>

#define LOOK_MIN_NS 1000000u
#define LOOK_MAX_NS 20000000u

typedef enum stage {
    STAGE_ENTER, /* has no entry in the listener's table */
    STAGE_ASK,   /* has a slot, and a region without a name */
    STAGE_REPLY, /* waits for the server's answer */
    STAGE_OVER   /* the caller has the connection, or its error; then what was made is left at the end */
} stage;

struct ipc_connecting {
    stage stage;
    ipc_connect_options options;
    ipc_connection_plan plan;
    uint8_t hello[IPC_CONNECTION_TEXT_MAX];
    char path[IPC_PATH_MAX];
    ipc_share share;
    ipc_deadline answer_deadline; /* of region locks and replies: also who gives no time gets some there */
    ipc_connection *made; /* from STAGE_ASK on, until the caller has it */
    ipc_connection *before; /* what was asked of servers that were followed meanwhile; left at the end */
    uint32_t pause_ns;    /* until the next look for what nobody signals */
    ipc_end end;          /* where a handle is armed for that */
    ipc_waiter never;     /* moves only for the end and the cancellation */
};

ipc_status ipc_connect_begin(const char *name, const ipc_connect_options *options, ipc_connecting **connecting)
{
    ipc_connecting *made = calloc(1, sizeof *made);
    if (made == NULL)
        return ipc_fail(IPC_E_NO_MEMORY, "no memory for a connection");
    if (options != NULL)
        made->options = *options;
    ipc_status status = ipc_connect_place(name, &made->options, made->path, sizeof made->path, &made->share);
    if (status == IPC_OK)
        status = ipc_connect_check(&made->options, &made->plan);
    if (status != IPC_OK) {
        free(made);
        return status;
    }
    if (made->plan.hello_length != 0)
        memcpy(made->hello, made->plan.hello, made->plan.hello_length); /* the caller's may be gone when it is sent */
    made->plan.hello = made->hello;
    made->answer_deadline = ipc_connect_answer_deadline(made->options.deadline);
    made->pause_ns = LOOK_MIN_NS;
    ipc_end_init(&made->end, IPC_WAIT_BLOCK);
    *connecting = made;
    return IPC_OK;
}

static ipc_status not_yet(ipc_connecting *of, ipc_deadline until, ipc_status late)
{
    if (ipc_cancel_is_triggered(of->options.cancel))
        return ipc_ended(IPC_CANCELLED);
    return ipc_platform_now() >= until ? late : IPC_EMPTY;
}

static ipc_status enter(ipc_connecting *of)
{
    ipc_region *listener = NULL;
    ipc_status status = ipc_region_attach(of->path, &of->share, &ipc_listener_kind, NULL, IPC_ROLE_CLIENT,
                                          IPC_LIFETIME_DEFAULT, IPC_NOW, &listener);
    if (status == IPC_E_NOT_FOUND) {
        status = not_yet(of, of->options.deadline, status);
        return status == IPC_E_NOT_FOUND ? ipc_region_not_found(&ipc_listener_kind, of->path) : status;
    }
    if (status == IPC_TIMEOUT)
        return not_yet(of, of->answer_deadline, status);
    if (status != IPC_OK)
        return status;
    of->made = ipc_connect_make(listener);
    if (of->made == NULL) {
        ipc_region_leave(listener);
        return ipc_fail(IPC_E_NO_MEMORY, "no memory for a connection");
    }
    of->stage = STAGE_ASK;
    of->pause_ns = LOOK_MIN_NS;
    return ipc_connect_prepare(of->made, &of->options, &of->plan);
}

static ipc_status request(ipc_connecting *of)
{
    ipc_status status = ipc_region_lock(of->made->view->region, IPC_NOW);
    if (status == IPC_TIMEOUT)
        return not_yet(of, of->answer_deadline, status);
    if (status == IPC_OK)
        status = ipc_connect_request(of->made);
    if (status != IPC_OK)
        return status;
    ipc_connect_ring(of->made, &of->options);
    of->stage = STAGE_REPLY;
    return IPC_OK;
}

/* A child made by fork has zeroes where what is being made is mapped; files of its parent's are not the child's to
   remove. */
static bool is_of_parent(const ipc_connecting *of)
{
    return of->made != NULL && of->made->region != NULL && of->made->region->forked;
}

/* Gives up what there is so far. Leaving may wait for the listener's region lock: that is left to the end. */
static void abandon(ipc_connecting *of)
{
    if (of->stage == STAGE_REPLY) {
        if (!is_of_parent(of))
            ipc_connect_withdraw(of->made);
        ipc_end_close(&of->made->session);
    }
    of->stage = STAGE_OVER;
}

/* One that has taken the name of the server that was asked. */
static bool go_to_successor(ipc_connecting *of, ipc_status status)
{
    if (of->made == NULL || is_of_parent(of) || !ipc_connect_has_successor(of->made, status) ||
        ipc_platform_now() >= of->answer_deadline)
        return false;
    abandon(of);
    of->made->next = of->before;
    of->before = of->made;
    of->made = NULL;
    of->stage = STAGE_ENTER;
    return true;
}

ipc_status ipc_connect_try(ipc_connecting *connecting, ipc_connection **connection)
{
    ipc_status status = IPC_OK;
    if (connecting->stage == STAGE_OVER)
        return ipc_fail(IPC_E_INVALID_STATE, "this has become a connection, or failed, before");
    if (is_of_parent(connecting))
        status = ipc_ended(IPC_CLOSED);
    else if (connecting->stage == STAGE_ENTER)
        status = enter(connecting);
    if (status == IPC_OK && connecting->stage == STAGE_ASK)
        status = request(connecting);
    if (status == IPC_OK) {
        const ipc_wait wait =
            ipc_connect_reply(connecting->made, connecting->answer_deadline, connecting->options.cancel);
        (void)wait.attend(wait.subject);
        status = wait.check(wait.subject);
        if (status == IPC_EMPTY)
            status = not_yet(connecting, connecting->answer_deadline, IPC_TIMEOUT);
        if (status == IPC_TIMEOUT)
            status = ipc_connect_unanswered(connecting->made);
    }
    if (status == IPC_EMPTY)
        return status;
    if (status != IPC_OK) {
        if (go_to_successor(connecting, status))
            return IPC_EMPTY;
        abandon(connecting);
        return status;
    }
    ipc_connect_answered(connecting->made);
    ipc_end_close(&connecting->made->session); /* a handle that was armed there last is to forget it */
    *connection = connecting->made;
    connecting->made = NULL;
    connecting->stage = STAGE_OVER;
    return IPC_OK;
}

static ipc_status nothing(void *subject)
{
    (void)subject;
    return IPC_EMPTY;
}

static bool always(void *subject)
{
    (void)subject;
    return true;
}

/* The time until the next look, no longer than the time that is left. */
static uint32_t next_pause(ipc_connecting *of)
{
    const ipc_deadline until = of->answer_deadline; /* for a server, too: who gives it no time is not here */
    const ipc_deadline now = ipc_platform_now();
    const uint32_t pause = of->pause_ns;
    of->pause_ns = pause * 2 > LOOK_MAX_NS ? LOOK_MAX_NS : pause * 2;
    if (until <= now)
        return 1;
    return until - now < pause ? (uint32_t)(until - now) : pause;
}

ipc_status ipc_connect_arm(ipc_connecting *connecting, ipc_ready_handle *handle)
{
    if (connecting->stage == STAGE_OVER)
        return ipc_fail(IPC_E_INVALID_STATE, "this has become a connection, or failed, before");
    if (connecting->stage == STAGE_REPLY) {
        const ipc_wait wait =
            ipc_connect_reply(connecting->made, connecting->answer_deadline, connecting->options.cancel);
        const ipc_status status = ipc_wait_arm(&wait, handle);
        return status == IPC_EMPTY || status == IPC_E_SYSTEM_ERROR || status == IPC_E_NO_MEMORY ? status : IPC_OK;
    }
    const ipc_wait pause = {
        .end = &connecting->end,
        .waiter = &connecting->never,
        .check = nothing,
        .attend = always,
        .subject = connecting,
        .deadline = IPC_FOREVER,
        .cancel = connecting->options.cancel,
        .longest_sleep_ns = next_pause(connecting),
    };
    const ipc_status status = ipc_wait_arm(&pause, handle);
    return status == IPC_CANCELLED ? IPC_OK : status;
}

/* ---- for named connections ----------------------------------------------------------------------------- */

static bool has_reply(const void *subject)
{
    const ipc_connection *connection = subject;
    return ipc_load_relaxed32(&connection->body->reply) != IPC_REPLY_NONE;
}

ipc_waiter *ipc_connecting_waiter(const ipc_connecting *connecting)
{
    return connecting->stage == STAGE_REPLY ? &connecting->made->body->session : NULL;
}

ipc_status ipc_connecting_wait(ipc_connecting *connecting, ipc_end *end, ipc_deadline deadline, ipc_cancel *cancel)
{
    const ipc_deadline last = connecting->answer_deadline;
    ipc_wait wait = ipc_connect_reply(connecting->made, deadline < last ? deadline : last, cancel);
    wait.end = end;
    const ipc_status status = ipc_wait_until(&wait, has_reply);
    return status == IPC_STOPPED || status == IPC_CLOSED || status == IPC_CANCELLED ? status : IPC_EMPTY;
}

void ipc_connecting_notify(const ipc_connecting *connecting)
{
    if (connecting->stage == STAGE_REPLY)
        ipc_listener_notify(connecting->made->view, connecting->made->slot);
}

uint32_t ipc_connecting_close_code(const ipc_connecting *connecting)
{
    const ipc_connection *made = connecting->made;
    return made == NULL || made->body == NULL ? 0 : ipc_connection_close_code(made);
}

void ipc_connect_end(ipc_connecting *connecting)
{
    if (connecting == NULL)
        return;
    abandon(connecting);
    if (connecting->made != NULL)
        ipc_connect_leave(connecting->made);
    while (connecting->before != NULL) {
        ipc_connection *next = connecting->before->next;
        ipc_connect_leave(connecting->before);
        connecting->before = next;
    }
    ipc_end_close(&connecting->end);
    free(connecting);
}
