#include "waiting/wait.h"

#include "platform/error.h"

/* With a peer that is not being watched (none has attached yet, or the system does not allow it) a sleeper looks
   around this often. */
#define LOOK_AROUND_NS 250000000u
/* While publishers may not know yet that they must fence. */
#define DOZE_NS 10000000u
/* Spinning for longer than this lets others have the processor now and then. */
#define POLITE_AFTER_NS 50000u
/* Rounds between two looks at the peer's state. */
#define PEER_ROUNDS 16

void ipc_end_init(ipc_end *end, ipc_wait_mode mode)
{
    ipc_waiter_prepare_process();
    ipc_store_relaxed32(&end->flags, 0);
    ipc_store_relaxed32(&end->inside, 0);
    end->mode = mode;
    end->single_threaded = false;
    end->one_waits = false;
    end->spin_max_ns = ipc_platform_has_one_processor() ? 0 : IPC_SPIN_MAX_NS;
    ipc_store_relaxed32(&end->budget_ns, end->spin_max_ns / 2);
    ipc_store_relaxed32(&end->misses, 0);
    ipc_store_relaxed32(&end->interval, IPC_SPIN_FIRST_PROBE);
    ipc_store_relaxed32(&end->probe, 0);
    ipc_store_relaxed32(&end->beside, 0);
    end->shown = NULL;
    ipc_store_relaxed64(&end->bounded_until, 0);
    ipc_store_relaxed32(&end->asked, 0);
    for (int i = 0; i < IPC_END_WAKES; i++)
        end->wakes[i] = NULL;
    end->handles = NULL;
}

void ipc_end_one_waits(ipc_end *end)
{
    end->one_waits = !ipc_waiter_process_fences();
}

void ipc_end_limit_spin(ipc_end *end, uint64_t longest_ns)
{
    if (longest_ns == 0 || end->spin_max_ns == 0)
        return;
    end->spin_max_ns = longest_ns > UINT32_MAX ? UINT32_MAX : (uint32_t)longest_ns;
    ipc_store_relaxed32(&end->budget_ns, end->spin_max_ns);
}

void ipc_end_show_spin(ipc_end *end, ipc_atomic64 *word)
{
    if (end->mode != IPC_WAIT_ADAPTIVE) {
        ipc_store_relaxed64(word, ipc_spin_word(end->mode == IPC_WAIT_SPIN ? IPC_SPIN_ALWAYS : IPC_SPIN_NEVER, 0, 0));
        return; /* nothing that it learns is used */
    }
    end->shown = word;
    ipc_end_say_spin(end);
}

void ipc_end_say_spin(const ipc_end *end)
{
    const uint32_t interval = end->spin_max_ns == 0 ? 0 : ipc_load_relaxed32(&end->interval);
    const uint64_t word = ipc_spin_word(IPC_SPIN_ADAPTS, interval, ipc_load_relaxed32(&end->budget_ns));
    if (ipc_load_relaxed64(end->shown) != word)
        ipc_store_relaxed64(end->shown, word);
}

void ipc_end_wake(ipc_end *end)
{
    for (int i = 0; i < IPC_END_WAKES; i++) {
        if (end->wakes[i] != NULL)
            ipc_waiter_wake(end->wakes[i]);
    }
}

void ipc_end_stop(ipc_end *end)
{
    (void)ipc_or32(&end->flags, IPC_END_STOPPED);
    ipc_end_wake(end);
}

void ipc_end_resume(ipc_end *end)
{
    (void)ipc_and32(&end->flags, ~IPC_END_STOPPED);
}

void ipc_end_mark_closed(ipc_end *end)
{
    (void)ipc_or32(&end->flags, IPC_END_CLOSED);
    ipc_end_wake(end);
}

void ipc_end_close(ipc_end *end)
{
    ipc_end_mark_closed(end);
    ipc_end_drain(end);
}

void ipc_end_drain(ipc_end *end)
{
    if (end->one_waits)
        ipc_waiter_fence_everybody(); /* who counted itself before is seen; who does so from now on sees the flag */
    for (uint32_t turn = 0; ipc_load_acquire32(&end->inside) != 0; turn++) {
        if (turn < 100)
            ipc_platform_yield();
        else
            ipc_cancel_pause(NULL, ipc_deadline_after(100000)); /* it is being scheduled: do not take its processor */
    }
    ipc_ready_handle_close_all(end);
}

ipc_status ipc_wait_ended(const ipc_wait *wait)
{
    const uint32_t flags = ipc_load_acquire32(&wait->end->flags);
    if ((flags & IPC_END_CLOSED) != 0)
        return ipc_ended(IPC_CLOSED);
    if ((flags & IPC_END_STOPPED) != 0)
        return ipc_ended(IPC_STOPPED);
    return ipc_cancel_is_triggered(wait->cancel) ? ipc_ended(IPC_CANCELLED) : IPC_EMPTY;
}

ipc_status ipc_wait_once(const ipc_wait *wait)
{
    (void)wait->attend(wait->subject);
    ipc_status status = wait->check(wait->subject);
    if (status == IPC_EMPTY)
        status = ipc_wait_ended(wait);
    return status == IPC_EMPTY ? ipc_ended(IPC_TIMEOUT) : status;
}

bool ipc_wait_spins_on(const ipc_wait *wait, uint32_t round, uint64_t *started, ipc_status *result)
{
    *result = ipc_wait_ended(wait);
    if (*result != IPC_EMPTY)
        return false;

    const uint64_t now = ipc_platform_now();
    if (*started == 0)
        *started = now;
    if (now >= wait->deadline) {
        *result = wait->check(wait->subject);
        if (*result == IPC_EMPTY)
            *result = ipc_ended(IPC_TIMEOUT);
        return false;
    }
    if (ipc_wait_is_beside(wait) || now - *started >= ipc_end_spin_budget(wait->end))
        return false;
    if (round % PEER_ROUNDS == 0) {
        (void)wait->attend(wait->subject);
        *result = wait->check(wait->subject);
        if (*result != IPC_EMPTY)
            return false;
    }
    if (now - *started >= POLITE_AFTER_NS || wait->end->spin_max_ns == 0)
        ipc_platform_yield();
    return true;
}

static ipc_deadline earlier(ipc_deadline a, ipc_deadline b)
{
    return a < b ? a : b;
}

/* That somebody else has asked for fences there may be news, too: who missed it sees us no more than him, and he may be
   gone, or take something else. */
static bool asks_first(ipc_end *end, const ipc_waiter *waiter)
{
    if (!ipc_waiter_process_asks())
        return false;
    uint32_t place = 0;
    while (place < IPC_END_WAKES && end->wakes[place] != waiter)
        place++;
    return (ipc_or32(&end->asked, 1u << place) & 1u << place) == 0;
}

static void announce(const ipc_wait *wait, uint32_t *armed)
{
    const ipc_armed others = wait->arm == NULL ? IPC_ARMED_SETTLED : wait->arm(wait->subject);
    const bool announced = ipc_waiter_announce(wait->waiter, others, armed);
    if (asks_first(wait->end, wait->waiter) || !announced)
        ipc_store_relaxed64(&wait->end->bounded_until, ipc_platform_now() + IPC_WAITER_DOUBT_NS);
}

/* IPC_EMPTY: there is nothing, and `armed` may be slept on until then at the latest. */
static ipc_status before_sleep(const ipc_wait *wait, uint32_t *armed, ipc_deadline *latest)
{
    const bool attended = wait->attend(wait->subject);
    announce(wait, armed);

    ipc_status status = wait->check(wait->subject); /* [sleep] */
    if (status == IPC_EMPTY)
        status = ipc_wait_ended(wait);
    if (status != IPC_EMPTY)
        return status;

    const uint64_t now = ipc_platform_now();
    if (now >= wait->deadline)
        return ipc_ended(IPC_TIMEOUT);
    ipc_deadline until = wait->deadline;
    if (!attended)
        until = earlier(until, now + LOOK_AROUND_NS);
    if (now < ipc_load_relaxed64(&wait->end->bounded_until))
        until = earlier(until, now + DOZE_NS);
    if (wait->longest_sleep_ns != 0)
        until = earlier(until, now + wait->longest_sleep_ns);
    const uint64_t longest = wait->longest_sleep == NULL ? IPC_SLEEP_UNBOUNDED : wait->longest_sleep(wait->subject);
    if (longest != IPC_SLEEP_UNBOUNDED)
        until = earlier(until, now + longest);
    *latest = until;
    return IPC_EMPTY;
}

static ipc_status sleep_once(const ipc_wait *wait)
{
    uint32_t armed = 0;
    ipc_deadline until = IPC_NOW;
    ipc_status status = before_sleep(wait, &armed, &until);
    if (status != IPC_EMPTY)
        return status;
    ipc_waiter_sleep(wait->waiter, armed, until);
    if (wait->processors.here != NULL)
        (void)ipc_processors_note(&wait->processors); /* it may have woken on another one */
    return wait->check(wait->subject); /* before arming again: a busy peer should not have to wake us once more */
}

ipc_status ipc_wait_asleep(const ipc_wait *wait)
{
    ipc_cancel_link link;
    ipc_status status;

    const uint64_t began = ipc_platform_now();
    ipc_cancel_link_waiter(wait->cancel, &link, wait->waiter);
    do {
        status = sleep_once(wait);
    } while (status == IPC_EMPTY);
    ipc_cancel_unlink_waiter(wait->cancel, &link);

    if (ipc_load_relaxed32(&wait->end->beside) == 0) { /* else it did not spin because of that */
        ipc_end_learn(wait->end, false);
        ipc_end_slept(wait->end, ipc_platform_now() - began);
    }
    return status;
}

ipc_status ipc_wait_arm(const ipc_wait *wait, ipc_ready_handle *handle)
{
    uint32_t armed = 0;
    ipc_deadline until = IPC_NOW;
    if (ipc_ready_handle_stays(handle, wait->end, wait->waiter, wait->length, wait->deadline, wait->cancel))
        return IPC_EMPTY;
    ipc_ready_handle_begin(handle, wait->end, wait->waiter, wait->deadline, wait->cancel);
    ipc_status status = before_sleep(wait, &armed, &until);
    if (status == IPC_EMPTY) {
        status = ipc_ready_handle_start(handle, armed, wait->length, until);
        return status == IPC_OK ? IPC_EMPTY : status;
    }
    ipc_ready_handle_skip(handle);
    return status;
}
