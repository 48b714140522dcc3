#include "waiting/waiter.h"

#include "platform/fault.h"
#include "platform/platform.h"

/* A peer that rewrites the word all the time cannot hold a signaller for longer than this many attempts. */
#define ATTEMPTS 128

/* A publish that missed the request to fence is visible after this long (docs/wire-format.md section 3). */
#define DOZE_FOR_NS 20000000u

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
    const uint64_t until = ipc_platform_now() + DOZE_FOR_NS;
    while (ipc_platform_now() < until)
        ipc_platform_yield();
    ipc_full_fence();
}

void ipc_waiter_arm(ipc_waiter *waiter)
{
    (void)ipc_or32(&waiter->word, IPC_WAITER_SLEEPING); /* [sleep] */
    if (!calls_barrier() && ipc_load_relaxed32(&waiter->fence_required) == 0)
        (void)ipc_exchange32(&waiter->fence_required, 1);
}

uint32_t ipc_waiter_announce(ipc_waiter *waiter, ipc_atomic64 *bounded_until)
{
    uint32_t armed = ipc_or32(&waiter->word, IPC_WAITER_SLEEPING) | IPC_WAITER_SLEEPING; /* [sleep] */
    IPC_FAULT_POINT("waiter.flag_set");
    if (!calls_barrier() || !barrier()) {
        if (ipc_exchange32(&waiter->fence_required, 1) == 0)
            ipc_store_relaxed64(bounded_until, ipc_platform_now() + DOZE_FOR_NS);
        ipc_full_fence();
    }
    return armed;
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
    return false;
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
