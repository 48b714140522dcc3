/* Lagging behind a stream: when it begins, when it ends, who never does it. Times are lower bounds only. */
#include "platform/platform.h"
#include "test.h"
#include "waiting/lag.h"

#define SLOTS 1024u
#define SPIN  50000u

static void learn(ipc_lag *lag, bool at_once, int times)
{
    for (int i = 0; i < times; i++)
        ipc_lag_learn(lag, at_once);
}

TEST(waits_that_are_over_at_once_become_a_stream)
{
    ipc_lag lag;
    ipc_lag_init(&lag, IPC_WAIT_ADAPTIVE, SPIN, SLOTS);
    learn(&lag, true, IPC_LAG_STREAM - 1);
    CHECK(!ipc_lag_is_due(&lag));
    learn(&lag, true, 1);
    CHECK(ipc_lag_is_due(&lag));
}

TEST(a_real_wait_takes_a_step_back)
{
    ipc_lag lag;
    ipc_lag_init(&lag, IPC_WAIT_ADAPTIVE, SPIN, SLOTS);
    learn(&lag, true, IPC_LAG_STREAM - 1);
    learn(&lag, false, 1);
    learn(&lag, true, 1);
    CHECK(!ipc_lag_is_due(&lag));
    learn(&lag, true, 1);
    CHECK(ipc_lag_is_due(&lag));
    learn(&lag, false, 1); /* the stream has ended */
    learn(&lag, true, IPC_LAG_STREAM - 1);
    CHECK(!ipc_lag_is_due(&lag));
}

TEST(a_lag_lasts_its_time_and_goes_on_while_portions_come)
{
    ipc_lag lag;
    ipc_lag_init(&lag, IPC_WAIT_ADAPTIVE, SPIN, SLOTS);
    learn(&lag, true, IPC_LAG_STREAM);
    for (uint64_t i = 0; i < 100; i++) {
        const uint64_t began = ipc_platform_now();
        ipc_lag_behind(&lag, i * IPC_LAG_PORTION, IPC_FOREVER);
        CHECK(ipc_platform_now() - began >= IPC_LAG_MAX_NS);
        learn(&lag, true, 1);
        CHECK(ipc_lag_is_due(&lag));
    }
}

TEST(a_lag_in_which_no_portion_came_is_the_last_for_a_long_time)
{
    ipc_lag lag;
    ipc_lag_init(&lag, IPC_WAIT_ADAPTIVE, SPIN, SLOTS);
    learn(&lag, true, IPC_LAG_STREAM);
    ipc_lag_behind(&lag, 1000, IPC_FOREVER);
    ipc_lag_behind(&lag, 1000 + IPC_LAG_PORTION - 1, IPC_FOREVER);
    CHECK(!ipc_lag_is_due(&lag));
    learn(&lag, true, IPC_LAG_PENALTY + IPC_LAG_STREAM - 1);
    CHECK(!ipc_lag_is_due(&lag));
    learn(&lag, true, 1);
    CHECK(ipc_lag_is_due(&lag));
}

TEST(a_lag_ends_at_the_deadline)
{
    ipc_lag lag;
    ipc_lag_init(&lag, IPC_WAIT_ADAPTIVE, SPIN, SLOTS);
    lag.longest_ns = UINT32_MAX; /* four seconds: the test would show */
    learn(&lag, true, IPC_LAG_STREAM);
    const uint64_t began = ipc_platform_now();
    ipc_lag_behind(&lag, 0, began + 1000);
    CHECK(ipc_platform_now() - began < 2000000000u);
}

TEST(who_must_not_lag_never_does)
{
    static const struct {
        ipc_wait_mode mode;
        uint32_t spin, slots;
    } cases[] = {
        {IPC_WAIT_SPIN, SPIN, SLOTS},
        {IPC_WAIT_BLOCK, SPIN, SLOTS},
        {IPC_WAIT_ADAPTIVE, IPC_LAG_MAX_NS - 1, SLOTS},
        {IPC_WAIT_ADAPTIVE, SPIN, 32},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ipc_lag lag;
        ipc_lag_init(&lag, cases[i].mode, cases[i].spin, cases[i].slots);
        learn(&lag, true, 10 * IPC_LAG_STREAM);
        CHECK(!ipc_lag_is_due(&lag));
    }
}
