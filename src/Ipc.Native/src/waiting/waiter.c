#include "waiting/waiter.h"

#include "platform/fault.h"
#include "platform/platform.h"

/* A peer that rewrites the word all the time cannot hold a signaller for longer than this many attempts. */
#define ATTEMPTS 128

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

bool ipc_waiter_arm(ipc_waiter *waiter)
{
    (void)ipc_or32(&waiter->word, IPC_WAITER_SLEEPING); /* [sleep] */
    return calls_barrier() || ipc_load_relaxed32(&waiter->fence_required) != 0 ||
           ipc_exchange32(&waiter->fence_required, 1) != 0;
}

bool ipc_waiter_announce(ipc_waiter *waiter, uint32_t *armed)
{
    *armed = ipc_or32(&waiter->word, IPC_WAITER_SLEEPING) | IPC_WAITER_SLEEPING; /* [sleep] */
    IPC_FAULT_POINT("waiter.flag_set");
    const bool refused = calls_barrier() && !barrier(); /* now: what was armed counted on it */
    if (!refused && calls_barrier())
        return true;
    const bool news = ipc_exchange32(&waiter->fence_required, 1) == 0;
    ipc_full_fence();
    return !news && !refused;
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
