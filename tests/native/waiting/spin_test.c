/* What an end learns about spinning. Twin: SpinBudgetTests.cs. */
#include "test.h"

#include "waiting/wait.h"

#define LONG 50000u
#define LOOK 1000u

static void begin(ipc_end *end)
{
    if (ipc_platform_has_one_processor())
        test_skip("with one processor there is no spinning at all");
    ipc_end_init(end, IPC_WAIT_ADAPTIVE);
}

static uint64_t budget(const ipc_end *end)
{
    return ipc_end_spin_budget(end);
}

static void check_misses(ipc_end *end, const uint64_t *left, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ipc_end_learn(end, false);
        CHECK_EQUAL(budget(end), left[i]);
    }
}

static void miss(ipc_end *end, int times)
{
    for (int i = 0; i < times; i++)
        ipc_end_learn(end, false);
}

TEST(spins_that_find_nothing_end_soon)
{
    ipc_end end;
    begin(&end);
    CHECK_EQUAL(budget(&end), LONG / 2);
    check_misses(&end, (const uint64_t[]){12500, 6250, 3125, 1562, 0, 0}, 6);
}

TEST(a_probe_comes_more_seldom_when_it_finds_nothing)
{
    static const int expected[] = {8, 24, 56, 120, 248, 504, 1016, 2040, 4088, 8184, 12280, 16376};
    ipc_end end;
    begin(&end);
    int misses = 0;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        do {
            miss(&end, 1);
            misses++;
        } while (budget(&end) != LONG);
        CHECK_EQUAL(misses, expected[i]);
        miss(&end, 1); /* back to none at once, not by halves */
        misses++;
        CHECK_EQUAL(budget(&end), 0);
    }
}

TEST(what_is_found_brings_spinning_back)
{
    static const uint64_t found[] = {2000, 4000, 8000, 16000, 32000, LONG};
    ipc_end end;
    begin(&end);
    miss(&end, 1000);
    CHECK_EQUAL(budget(&end), 0);
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        ipc_end_learn(&end, true);
        CHECK_EQUAL(budget(&end), found[i]);
    }
    check_misses(&end, (const uint64_t[]){25000, 12500, 6250, 3125, 1562, 0, 0, LONG}, 8); /* the probes begin anew */
}

TEST(after_a_pause_one_look_is_worth_it)
{
    ipc_end end;
    begin(&end);
    miss(&end, 7);
    ipc_end_slept(&end, 499999);
    CHECK_EQUAL(budget(&end), 0);
    ipc_end_slept(&end, 500000);
    CHECK_EQUAL(budget(&end), LOOK);
    miss(&end, 1);
    CHECK_EQUAL(budget(&end), LONG); /* the eighth: a pause of that length is no reason to forget */
}

TEST(after_a_long_pause_probes_begin_anew)
{
    ipc_end end;
    begin(&end);
    miss(&end, 600);
    ipc_end_slept(&end, 20000000);
    CHECK_EQUAL(budget(&end), LOOK);
    check_misses(&end, (const uint64_t[]){0, 0, 0, 0, 0, 0, 0, LONG}, 8);
}

TEST(nothing_spins_for_longer_than_its_limit)
{
    ipc_end end;
    begin(&end);
    ipc_end_limit_spin(&end, 3000);
    CHECK_EQUAL(budget(&end), 3000);
    check_misses(&end, (const uint64_t[]){1500, 0, 0, 0, 0, 0, 0, 3000}, 8);
    ipc_end_learn(&end, true);
    CHECK_EQUAL(budget(&end), 3000);
    begin(&end);
    ipc_end_limit_spin(&end, 500);
    miss(&end, 3);
    ipc_end_slept(&end, 1000000);
    CHECK_EQUAL(budget(&end), 500);
}

static ipc_atomic64 shown;

static void check_shown(uint32_t mode, uint32_t interval, uint32_t nanoseconds)
{
    const uint64_t expected = (uint64_t)mode << 48 | (uint64_t)interval << 32 | nanoseconds;
    CHECK_EQUAL(expected, ipc_load_relaxed64(&shown));
}

TEST(what_is_learnt_is_shown)
{
    ipc_end end;
    begin(&end);
    ipc_end_show_spin(&end, &shown);
    check_shown(1, 8, LONG / 2);
    miss(&end, 1);
    check_shown(1, 8, 12500);
    ipc_end_learn(&end, true);
    check_shown(1, 8, 25000);
    miss(&end, 7);
    check_shown(1, 8, 0);
    miss(&end, 1);
    check_shown(1, 16, LONG);
    miss(&end, 1);
    check_shown(1, 16, 0);
    ipc_end_slept(&end, 500000);
    check_shown(1, 16, LOOK);
    ipc_end_slept(&end, 20000000);
    check_shown(1, 8, LOOK);
    ipc_store_relaxed64(&shown, UINT64_MAX); /* whoever does that has it for as long as nothing is learnt */
    CHECK_EQUAL(budget(&end), LOOK);
    ipc_end_learn(&end, true);
    check_shown(1, 8, 2 * LOOK);
}

TEST(a_mode_that_learns_nothing_is_shown_alone)
{
    ipc_end end;
    ipc_end_init(&end, IPC_WAIT_SPIN);
    ipc_end_show_spin(&end, &shown);
    check_shown(2, 0, 0);
    miss(&end, 3);
    check_shown(2, 0, 0);
    ipc_end_init(&end, IPC_WAIT_BLOCK);
    ipc_end_show_spin(&end, &shown);
    check_shown(3, 0, 0);
    miss(&end, 3);
    check_shown(3, 0, 0);
}
