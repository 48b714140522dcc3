/*
 * Litmus tests: one small program per sync point of docs/memory-ordering.md. Two threads run it many times, each time
 * on fresh words, through the same atomic.h as the library; every outcome is counted and printed, and a forbidden one
 * must not occur.
 *
 * What this shows depends on the machine. x86 lets only a store pass a later load, so there [join] and [sleep] are put
 * to the test (the row "no fence" shows whether they were: it counts the outcome that the fences forbid), the others
 * against the compiler alone; on arm64 all of them are. What the payload is stands in plain variables where the order
 * is one of acquire and release: ThreadSanitizer, which knows the rules and not the machine, reports a weakened one.
 */
#include "atomic.h"
#include "test.h"

#define BATCH    256u
#define BATCHES  400u
#define OUTCOMES 4u

typedef struct cell {
    _Alignas(128) ipc_atomic64 word;
    _Alignas(128) ipc_atomic64 other;
    _Alignas(128) uint64_t plain; /* ordered by `word` */
    ipc_atomic64 bytes[2];        /* relaxed: may be read while they are written */
    _Alignas(128) unsigned seen[2];
} cell;

typedef struct litmus {
    const char *label;
    uint64_t word; /* at the start */
    unsigned (*actors[2])(cell *);
    unsigned (*outcome)(const cell *);
    const char *outcomes[OUTCOMES]; /* what it means; '!' first: forbidden */
} litmus;

typedef struct stage {
    const litmus *of;
    cell *cells;
    uint32_t number;
    ipc_atomic32 *arrived;
} stage;

static uint64_t counts[OUTCOMES];

static void wipe(const litmus *of, cell *cells)
{
    for (uint32_t i = 0; i < BATCH; i++) {
        memset(&cells[i], 0, sizeof cells[i]);
        ipc_store_relaxed64(&cells[i].word, of->word);
    }
}

static void count(const litmus *of, cell *cells)
{
    for (uint32_t i = 0; i < BATCH; i++)
        counts[of->outcome(&cells[i]) % OUTCOMES]++;
    wipe(of, cells);
}

static void meet(ipc_atomic32 *arrived, uint32_t turn)
{
    (void)ipc_add32(arrived, 1);
    for (int i = 0; i < 20000 && ipc_load_acquire32(arrived) < 2 * turn; i++)
        ; /* so that both set off together */
    WAIT_FOR(ipc_load_acquire32(arrived) >= 2 * turn);
}

static void *act(void *argument)
{
    const stage *me = argument;
    const uint32_t batches = BATCHES * (test_is_long() ? 20 : 1);
    for (uint32_t batch = 0; batch < batches; batch++) {
        meet(me->arrived, 3 * batch + 1);
        for (uint32_t i = 0; i < BATCH; i++)
            me->cells[i].seen[me->number] = me->of->actors[me->number](&me->cells[i]);
        meet(me->arrived, 3 * batch + 2); /* the referee counts and wipes, which is the first actor */
        if (me->number == 0)
            count(me->of, me->cells);
        meet(me->arrived, 3 * batch + 3);
    }
    return NULL;
}

static void run(const litmus *of)
{
    cell *cells = test_allocate(128, BATCH * sizeof *cells);
    ipc_atomic32 arrived = 0;
    stage stages[2] = {{of, cells, 0, &arrived}, {of, cells, 1, &arrived}};
    test_thread threads[2];
    memset(counts, 0, sizeof counts);
    wipe(of, cells);
    test_thread_start(&threads[0], act, &stages[0]);
    test_thread_start(&threads[1], act, &stages[1]);
    test_thread_join(&threads[0]);
    test_thread_join(&threads[1]);
    test_free(cells);
    printf("%s\n", of->label);
    for (uint32_t i = 0; i < OUTCOMES && of->outcomes[i] != NULL; i++) {
        const bool forbidden = of->outcomes[i][0] == '!';
        printf("  %9llu  %-9s  %s\n", (unsigned long long)counts[i], forbidden ? "forbidden" : "allowed",
               of->outcomes[i] + forbidden);
        if (forbidden && counts[i] != 0)
            test_fail(__FILE__, __LINE__, "%s: %llu times: %s", of->label, (unsigned long long)counts[i],
                      of->outcomes[i] + 1);
    }
}

/* ---- message passing: what was written before the word is there when the word is -------------------------- */

#define NOT_YET 0u
#define WHOLE   1u
#define BROKEN  2u

static unsigned second_alone(const cell *one)
{
    return one->seen[1];
}

static unsigned store_word(cell *one)
{
    one->plain = 7;
    ipc_store_release64(&one->word, 1);
    return 0;
}

static unsigned load_word(cell *one)
{
    if (ipc_load_acquire64(&one->word) == 0)
        return NOT_YET;
    return one->plain == 7 ? WHOLE : BROKEN;
}

static unsigned cas_word(cell *one)
{
    uint64_t expected = 0;
    one->plain = 7;
    (void)ipc_cas64(&one->word, &expected, 1);
    return 0;
}

static unsigned take_word(cell *one)
{
    uint64_t expected = 1;
    if (!ipc_cas64(&one->word, &expected, 2))
        return NOT_YET;
    return one->plain == 7 ? WHOLE : BROKEN;
}

static unsigned count_after(cell *one)
{
    uint64_t expected = 0;
    (void)ipc_cas64(&one->other, &expected, 7);
    (void)ipc_add64(&one->word, 1);
    return 0;
}

static unsigned look_after_count(cell *one)
{
    if (ipc_load_acquire64(&one->word) == 0)
        return NOT_YET;
    return ipc_load_relaxed64(&one->other) == 7 ? WHOLE : BROKEN;
}

TEST(publish)
{
    static const litmus one = {
        "[publish]", 0, {store_word, load_word}, second_alone, {"not yet", "whole", "!a header without its payload"}};
    run(&one);
}

TEST(ready_slot)
{
    static const litmus one = {
        "[ready-slot]", 0, {cas_word, load_word}, second_alone, {"not yet", "whole", "!Ready without its message"}};
    run(&one);
}

TEST(loan)
{
    static const litmus one = {
        "[loan]", 0, {cas_word, take_word}, second_alone, {"not yet", "whole", "!a block without what was done to it"}};
    run(&one);
}

TEST(present)
{
    static const litmus one = {
        "[present]", 0, {store_word, load_word}, second_alone, {"not yet", "whole", "!announced, but not there"}};
    run(&one);
}

TEST(seal)
{
    static const litmus one = {
        "[seal]", 0, {cas_word, load_word}, second_alone, {"not yet", "whole", "!SEALED without `next`"}};
    run(&one);
}

TEST(orphans)
{
    static const litmus one = {"[orphans]",
                               0,
                               {count_after, look_after_count},
                               second_alone,
                               {"not yet", "whole", "!counted, but the slot is not Ready again"}};
    run(&one);
}

/* ---- giving back: what was read before the word is not overwritten by who sees the word -------------------- */

static unsigned read_then_store(cell *one)
{
    const uint64_t value = one->plain;
    ipc_store_release64(&one->word, 1);
    return value == 0 ? WHOLE : BROKEN;
}

static unsigned overwrite_after_load(cell *one)
{
    if (ipc_load_acquire64(&one->word) == 0)
        return 0;
    one->plain = 9;
    return 1;
}

static unsigned read_then_cas(cell *one)
{
    uint64_t expected = 0;
    const uint64_t value = one->plain;
    (void)ipc_cas64(&one->word, &expected, 1);
    return value == 0 ? WHOLE : BROKEN;
}

static unsigned overwrite_after_cas(cell *one)
{
    uint64_t expected = 1;
    if (!ipc_cas64(&one->word, &expected, 2))
        return 0;
    one->plain = 9;
    return 1;
}

static unsigned given_back(const cell *one)
{
    return one->seen[0] == BROKEN ? 2 : one->seen[1];
}

TEST(cursor)
{
    static const litmus one = {"[cursor]",
                               0,
                               {read_then_store, overwrite_after_load},
                               given_back,
                               {"not passed yet", "read, then overwritten", "!read what came later"}};
    run(&one);
}

TEST(free_slot)
{
    static const litmus one = {"[free-slot]",
                               0,
                               {read_then_cas, overwrite_after_cas},
                               given_back,
                               {"not free yet", "read, then overwritten", "!read what came later"}};
    run(&one);
}

/* ---- store, then load, on both sides: at least one sees the other ------------------------------------------ */

static unsigned fenced_or(cell *one)
{
    (void)ipc_or64(&one->word, 1);
    ipc_full_fence();
    return (unsigned)ipc_load_relaxed64(&one->other);
}

static unsigned fenced_store(cell *one)
{
    ipc_store_release64(&one->other, 1);
    ipc_full_fence();
    return (unsigned)ipc_load_relaxed64(&one->word);
}

static unsigned enter_then_tail(cell *one)
{
    ipc_store_release64(&one->word, 1);
    ipc_full_fence();
    return (unsigned)ipc_load_acquire64(&one->other);
}

static unsigned bare_store(cell *one)
{
    ipc_store_release64(&one->other, 1);
    return (unsigned)ipc_load_relaxed64(&one->word);
}

static unsigned bare_store_of_word(cell *one)
{
    ipc_store_release64(&one->word, 1);
    return (unsigned)ipc_load_relaxed64(&one->other);
}

static unsigned both_seen(const cell *one)
{
    return one->seen[0] + 2 * one->seen[1] == 0 ? 3 : one->seen[0] + 2 * one->seen[1] - 1;
}

TEST(sleep)
{
    static const litmus one = {
        "[sleep]",
        0,
        {fenced_or, fenced_store},
        both_seen,
        {"the sleeper sees the data", "the publisher sees the sleeper", "both", "!neither: a lost wake-up"}};
    run(&one);
}

/* Two messages: with a fence, which meets nobody and so ends the asking, and then without one. */
static unsigned end_asking(cell *one)
{
    ipc_store_release64(&one->other, 1);
    ipc_full_fence();
    uint64_t asked = 0;
    unsigned saw = (unsigned)ipc_load_relaxed64(&one->word);
    (void)ipc_cas64(&one->bytes[0], &asked, 1);
    ipc_store_release64(&one->other, 2);
    if (ipc_load_acquire64(&one->bytes[0]) == 1)
        saw |= (unsigned)ipc_load_relaxed64(&one->word);
    return saw;
}

/* Without a membarrier where it finds *settled*, which is 0 here. */
static unsigned trust_asking(cell *one)
{
    (void)ipc_or64(&one->word, 1);
    ipc_full_fence();
    if (ipc_load_acquire64(&one->bytes[0]) != 0)
        return 3;
    return (unsigned)ipc_load_relaxed64(&one->other);
}

static unsigned asked_and_ended(const cell *one)
{
    if (one->seen[0] == 3)
        return 0;
    return one->seen[0] == 2 ? 1 : one->seen[1] != 0 ? 2 : 3;
}

TEST(ask)
{
    static const litmus one = {"[ask]",
                               0,
                               {trust_asking, end_asking},
                               asked_and_ended,
                               {"ended before the sleeper looks", "the sleeper sees all of the data",
                                "the publisher sees the sleeper", "!neither: a lost wake-up"}};
    run(&one);
}

TEST(join)
{
    static const litmus one = {
        "[join]",
        0,
        {enter_then_tail, fenced_store},
        both_seen,
        {"the reader sees the tail", "the writer sees the entry", "both", "!neither: the writer overwrites"}};
    run(&one);
}

TEST(no_fence)
{
    static const litmus one = {"no fence",
                               0,
                               {bare_store_of_word, bare_store},
                               both_seen,
                               {"the first sees the second", "the second sees the first", "both",
                                "neither: this is what the fences of [sleep] and [join] forbid"}};
    run(&one);
}

/* ---- one of two ------------------------------------------------------------------------------------------- */

static unsigned first_takes(cell *one)
{
    uint64_t expected = 0;
    return ipc_cas64(&one->word, &expected, 1);
}

static unsigned second_takes(cell *one)
{
    uint64_t expected = 0;
    return ipc_cas64(&one->word, &expected, 2);
}

static unsigned who_has_it(const cell *one)
{
    const uint64_t owner = ipc_load_relaxed64(&one->word);
    if (one->seen[0] + one->seen[1] != 1)
        return 2;
    return owner == (one->seen[0] != 0 ? 1u : 2u) ? one->seen[1] : 3;
}

TEST(take)
{
    static const litmus one = {"[take]",
                               0,
                               {first_takes, second_takes},
                               who_has_it,
                               {"the first", "the second", "!both or neither", "!in the name of who has it not"}};
    run(&one);
}

/* A lock held for one addition: what is plain is its business. */
static unsigned add_locked(cell *one, uint64_t me)
{
    uint64_t expected = 0;
    while (!ipc_cas64(&one->word, &expected, me)) {
        expected = 0;
        test_yield();
    }
    one->plain++;
    expected = me;
    return ipc_cas64(&one->word, &expected, 0);
}

static unsigned first_adds(cell *one)
{
    return add_locked(one, 1);
}

static unsigned second_adds(cell *one)
{
    return add_locked(one, 2);
}

static unsigned both_added(const cell *one)
{
    return one->plain == 2 && one->seen[0] + one->seen[1] == 2 ? 0 : 1;
}

TEST(owner)
{
    static const litmus one = {
        "[owner]", 0, {first_adds, second_adds}, both_added, {"one after the other", "!both at once"}};
    run(&one);
}

/* ---- reading what may be overwritten ------------------------------------------------------------------------ */

static unsigned overwrite(cell *one)
{
    uint64_t expected = 1;
    (void)ipc_cas64(&one->word, &expected, 2);
    ipc_release_fence();
    ipc_store_relaxed64(&one->bytes[0], 9);
    ipc_store_relaxed64(&one->bytes[1], 9);
    return 0;
}

static unsigned copy_and_check(cell *one)
{
    if (ipc_load_acquire64(&one->word) != 1)
        return 0;
    const uint64_t sum = ipc_load_relaxed64(&one->bytes[1]) + ipc_load_relaxed64(&one->bytes[0]);
    ipc_acquire_fence();
    if (ipc_load_relaxed64(&one->word) != 1)
        return 0;
    return sum == 0 ? 1 : 2;
}

TEST(overwritten)
{
    static const litmus one = {"[overwrite]",
                               1,
                               {overwrite, copy_and_check},
                               second_alone,
                               {"noticed", "the old message, whole", "!torn, and taken for whole"}};
    run(&one);
}
