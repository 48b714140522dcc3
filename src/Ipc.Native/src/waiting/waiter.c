#include "waiting/waiter.h"

#include "platform/fault.h"
#include "platform/platform.h"

/* A peer that rewrites the word all the time cannot hold a signaller for longer than this many attempts. */
#define ATTEMPTS 128
/* So many fences in vain cost less than the membarriers of the sleeps that come before them. */
#define SLEEPS_BEFORE_ASKING 4
#define FENCES_IN_VAIN       16

static ipc_once prepare_once = IPC_ONCE_INIT;
static bool registered;
static ipc_atomic32 cannot_call; /* a membarrier has failed here: our sleepers ask for fences from then on */

static void register_again(void)
{
    registered = ipc_platform_barrier_register();
}

static void nothing(void)
{
}

static void prepare(void)
{
    registered = ipc_platform_barrier_register();
    ipc_at_fork(nothing, nothing,
                register_again); /* a registration belongs to the address space, and the child has a new one */
}

void ipc_waiter_prepare_process(void)
{
    ipc_once_run(&prepare_once, prepare);
}

bool ipc_waiter_process_fences(void)
{
    ipc_waiter_prepare_process();
    return !registered;
}

static bool calls_barrier(void)
{
    return registered && ipc_load_relaxed32(&cannot_call) == 0;
}

/* It is allowed when a process starts, and may be forbidden later. */
static bool barrier(void)
{
    if (ipc_platform_barrier())
        return true;
    ipc_store_relaxed32(&cannot_call, 1);
    return false;
}

void ipc_waiter_fence_everybody(void)
{
    if ((calls_barrier() && barrier()) || ipc_platform_barrier_here())
        return;
    ipc_waiter_settle();
    ipc_full_fence();
}

bool ipc_waiter_process_asks(void)
{
    return !calls_barrier();
}

void ipc_waiter_ask_early(ipc_waiter *waiter)
{
    if (!calls_barrier())
        ipc_store_relaxed32(&waiter->fence_required, 1);
}

void ipc_waiter_settle(void)
{
    const uint64_t until = ipc_platform_now() + IPC_WAITER_DOUBT_NS;
    while (ipc_platform_now() < until)
        ipc_platform_yield();
}

/* ---- asking for fences for now [ask] ----------------------------------------------------------------- */

/* The sleeper's bit is set. Who published without a fence is seen by the look that follows, all others see the bit. */
static bool is_settled(const ipc_waiter *waiter)
{
    if (!ipc_waiter_is_settled(ipc_load_relaxed32(&waiter->fence_required)))
        return false;
    ipc_full_fence(); /* a read-modify-write is none everywhere */
    return ipc_waiter_is_settled(ipc_load_acquire32(&waiter->fence_required)); /* [ask] */
}

/* What the next membarrier settles; 0: nothing. Who asked for what is found here may have been killed before it was. */
static uint32_t ask(ipc_waiter *waiter)
{
    uint32_t seen = ipc_load_relaxed32(&waiter->fence_required);
    if ((seen & IPC_WAITER_FENCE) != 0)
        return (seen & IPC_WAITER_FOR_NOW) != 0 ? seen : 0;
    const uint32_t sleeps = ipc_load_relaxed32(&waiter->fence_count) + 1;
    ipc_store_relaxed32(&waiter->fence_count, sleeps < SLEEPS_BEFORE_ASKING ? sleeps : 0);
    if (sleeps < SLEEPS_BEFORE_ASKING)
        return 0;
    const uint32_t asked =
        (seen & ~(IPC_WAITER_ASKING - 1)) + IPC_WAITER_ASKING + IPC_WAITER_FENCE + IPC_WAITER_FOR_NOW;
    if (!ipc_cas32(&waiter->fence_required, &seen, asked)) /* [ask] */
        return 0;
    IPC_FAULT_POINT("waiter.asked");
    return asked;
}

/* If it is that asking still: another one has had no membarrier yet. */
static void settle(ipc_waiter *waiter, uint32_t asked)
{
    if (asked != 0)
        (void)ipc_cas32(&waiter->fence_required, &asked, asked | IPC_WAITER_SETTLED); /* [ask] */
}

/* For good. True: whoever publishes knows. */
static bool ask_for_good(ipc_waiter *waiter)
{
    if (ipc_load_relaxed32(&waiter->fence_required) == IPC_WAITER_FENCE)
        return true;
    const uint32_t before = ipc_exchange32(&waiter->fence_required, IPC_WAITER_FENCE);
    return before == IPC_WAITER_FENCE || ipc_waiter_is_settled(before);
}

/* Nothing but speed follows from the count, so it may lose some, and anybody may write anything there. */
static void count_fence(ipc_waiter *waiter, uint32_t seen, bool met_somebody)
{
    const uint32_t in_vain = met_somebody ? 0 : ipc_load_relaxed32(&waiter->fence_count) + 1;
    if (in_vain >= FENCES_IN_VAIN)
        (void)ipc_cas32(&waiter->fence_required, &seen, seen & ~(IPC_WAITER_ASKING - 1)); /* [ask] */
    ipc_store_relaxed32(&waiter->fence_count, in_vain < FENCES_IN_VAIN ? in_vain : 0);
}

bool ipc_waiter_is_armed_here(ipc_waiter *waiter)
{
    const uint32_t seen = ipc_load_relaxed32(&waiter->fence_required);
    ipc_full_fence(); /* [sleep] */
    const bool is_armed = ipc_waiter_is_marked(waiter);
    if (ipc_waiter_is_settled(seen))
        count_fence(waiter, seen, is_armed);
    return is_armed;
}

/* ---- sleeping ---------------------------------------------------------------------------------------- */

ipc_armed ipc_waiter_arm(ipc_waiter *waiter)
{
    (void)ipc_or32(&waiter->word, IPC_WAITER_SLEEPING); /* [sleep] */
    if (calls_barrier()) {
        if (is_settled(waiter))
            return IPC_ARMED_SETTLED;
        const uint32_t asked = ask(waiter);
        if (asked == 0)
            return IPC_ARMED_FOR_BARRIER;
        if (!barrier())
            return IPC_ARMED_DOUBTFUL; /* what was armed before counted on it, too */
        settle(waiter, asked);
        return IPC_ARMED_SETTLED;
    }
    return ask_for_good(waiter) ? IPC_ARMED_SETTLED : IPC_ARMED_DOUBTFUL;
}

bool ipc_waiter_announce(ipc_waiter *waiter, ipc_armed others, uint32_t *armed)
{
    *armed = ipc_or32(&waiter->word, IPC_WAITER_SLEEPING) | IPC_WAITER_SLEEPING; /* [sleep] */
    IPC_FAULT_POINT("waiter.flag_set");
    bool refused = false;
    if (calls_barrier()) {
        if (others == IPC_ARMED_SETTLED && is_settled(waiter))
            return true;
        const uint32_t asked = ask(waiter);
        if (barrier()) {
            settle(waiter, asked);
            return others != IPC_ARMED_DOUBTFUL;
        }
        refused = true; /* now: what was armed counted on it */
    }
    const bool is_known = ask_for_good(waiter);
    ipc_full_fence();
    return is_known && !refused && others != IPC_ARMED_DOUBTFUL;
}

void ipc_waiter_sleep(ipc_waiter *waiter, uint32_t armed, ipc_deadline deadline)
{
    ipc_platform_futex_wait(&waiter->word, waiter->asleep, armed, deadline); /* [signal] */
}

bool ipc_waiter_disarm(ipc_waiter *waiter)
{
    uint32_t word = ipc_load_relaxed32(&waiter->word);
    for (int i = 0; i < ATTEMPTS && (word & IPC_WAITER_SLEEPING) != 0; i++) {
        if (ipc_cas32(&waiter->word, &word, (word & ~IPC_WAITER_SLEEPING) + IPC_WAITER_SIGNAL)) { /* [signal] */
            IPC_FAULT_POINT("waiter.signal.word_changed");
            return true;
        }
    }
    return (word & IPC_WAITER_SLEEPING) != 0; /* whoever rewrites it all the time; a wake too many is no harm */
}

void ipc_waiter_wake_disarmed(ipc_waiter *waiter)
{
    ipc_platform_futex_wake(&waiter->word, waiter->asleep);
}

void ipc_waiter_signal_sleeper(ipc_waiter *waiter)
{
    if (ipc_waiter_disarm(waiter))
        ipc_waiter_wake_disarmed(waiter);
}

void ipc_waiter_wake(ipc_waiter *waiter)
{
    uint32_t word = ipc_load_relaxed32(&waiter->word);
    for (int i = 0; i < ATTEMPTS; i++) {
        if (ipc_cas32(&waiter->word, &word, (word & ~IPC_WAITER_SLEEPING) + IPC_WAITER_SIGNAL)) /* [signal] */
            break;
    }
    ipc_platform_futex_wake(&waiter->word, waiter->asleep);
}
