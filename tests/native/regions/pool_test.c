/* Pools of loans: geometry, a block's way through its states, the budget, memory that goes back, hostile bytes. */
#define _GNU_SOURCE
#include "pools/pool.h"
#include "test.h"

#include <pthread.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define BODY 4096u
#define KIB  1024ull
#define MIB  (1024ull * 1024)

static const ipc_region_kind plain = {.kind = IPC_KIND_RING};

typedef struct subject {
    ipc_region *region;
    ipc_pool pool;
} subject;

static ipc_status try_open(subject *made, uint64_t budget)
{
    char path[512];
    test_path("pool", path, sizeof path);
    const ipc_region_plan plan = {
        .participants = 1,
        .body_offset = BODY,
        .body_size = ipc_pool_size(budget),
        .total_size = BODY + ipc_pool_size(budget),
        .reserved_size = BODY + ipc_pool_reserve(budget),
    };
    ipc_status status = ipc_region_build(path, &plain, &plan, &made->region);
    if (status == IPC_OK) {
        ipc_pool_write_header(ipc_region_at(made->region, BODY), budget);
        status = ipc_pool_locate(made->region, BODY, &made->pool);
    }
    return status;
}

static void open_pool(subject *made, uint64_t budget)
{
    CHECK_OK(try_open(made, budget));
}

static void close_pool(subject *made)
{
    ipc_region_discard(made->region);
}

static uint64_t memory_behind(const subject *one)
{
    struct stat status;
    CHECK(fstat((int)one->region->file, &status) == 0);
    return (uint64_t)status.st_blocks * 512;
}

static uint64_t state_of(const subject *one, const ipc_loan *loan)
{
    return ipc_load_acquire64(&ipc_pool_block_at(&one->pool, loan->klass, loan->index)->state);
}

static ipc_loan take(subject *one, uint32_t owner, uint32_t length)
{
    ipc_loan loan;
    CHECK_OK(ipc_pool_take(&one->pool, owner, length, &loan));
    CHECK(loan.capacity >= length);
    memset(loan.bytes, (int)length, length);
    return loan;
}

/* ---- geometry ---------------------------------------------------------------------------------------- */

TEST(the_layout_is_section_11)
{
    const uint32_t magic = IPC_POOL_MAGIC;
    CHECK(memcmp("POOL", &magic, 4) == 0);
    CHECK_EQUAL(4, offsetof(ipc_pool_header, classes));
    CHECK_EQUAL(8, offsetof(ipc_pool_header, budget));
    CHECK_EQUAL(128, offsetof(ipc_pool_header, exhausted));
    CHECK_EQUAL(1024, offsetof(ipc_pool_header, free));
    CHECK_EQUAL(4096, sizeof(ipc_pool_header));
    CHECK_EQUAL(8, offsetof(ipc_pool_block, holder));
    CHECK_EQUAL(16, offsetof(ipc_pool_block, claimed));
    CHECK_EQUAL(20, offsetof(ipc_pool_block, present));
    CHECK_EQUAL(32, sizeof(ipc_pool_block));
    CHECK_EQUAL(16, sizeof(ipc_loan_descriptor));
    CHECK_EQUAL(4, offsetof(ipc_loan_descriptor, index));
    CHECK_EQUAL(8, offsetof(ipc_loan_descriptor, generation));
    CHECK_EQUAL(12, offsetof(ipc_loan_descriptor, length));
    CHECK_EQUAL(0x0000000700050001, ipc_block_word(7, 5, IPC_BLOCK_OWNED));
    CHECK_EQUAL(0x0000000700000002, ipc_block_word(7, 0, IPC_BLOCK_PUBLISHED));
}

/* From the page: count(k) = min(256, max(1, budget >> (12 + k))), the table rounded up to 4096. */
static void check_geometry(uint64_t budget, uint32_t classes)
{
    uint64_t blocks = 0;
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < classes; k++) {
        uint64_t count = budget >> (12 + k);
        count = count > 256 ? 256 : count < 1 ? 1 : count;
        blocks += count;
        bytes += count * (4096ull << k);
    }
    const uint64_t front = 4096 + (blocks * 32 + 4095) / 4096 * 4096;
    CHECK_EQUAL(front, ipc_pool_reserve(budget));
    CHECK_EQUAL(front + bytes, ipc_pool_size(budget));

    subject one;
    open_pool(&one, budget);
    CHECK_EQUAL(classes, one.pool.classes);
    CHECK_EQUAL(blocks, one.pool.block_count);
    uint64_t place = BODY + front;
    for (uint32_t k = 0; k < classes; k++) {
        CHECK_EQUAL(place, ipc_pool_place_of(&one.pool, k, 0));
        const uint32_t last = ipc_pool_class_count(budget, k) - 1;
        place = ipc_pool_place_of(&one.pool, k, last) + (4096ull << k);
    }
    CHECK_EQUAL(one.region->geometry.total_size, place);
    CHECK(memory_behind(&one) <= BODY + front);
    close_pool(&one);
}

TEST(the_geometry_follows_from_the_budget)
{
    check_geometry(4096, 1);
    check_geometry(8192, 2);
    check_geometry(12288, 3);
    check_geometry(MIB, 9);
    check_geometry(3 * MIB, 11);
    if (sizeof(void *) == 4)
        return; /* no such pool fits */
    check_geometry(256 * MIB, 17);
    check_geometry(3072 * MIB, 21);
    check_geometry(64 * KIB * MIB, 25);
}

TEST(a_budget_is_rounded_up_and_bounded)
{
    uint64_t budget = 1;
    CHECK_OK(ipc_pool_budget(0, &budget));
    CHECK_EQUAL(TEST_DEFAULT_BUDGET, budget);
    CHECK_OK(ipc_pool_budget(IPC_NO_LOANS, &budget));
    CHECK_EQUAL(0, budget);
    CHECK_EQUAL(0, ipc_pool_size(budget));
    CHECK_OK(ipc_pool_budget(4097, &budget));
    CHECK_EQUAL(8192, budget);
    CHECK_OK(ipc_pool_budget(1ull << 36, &budget));
    CHECK_STATUS(IPC_E_INVALID_ARGUMENT, ipc_pool_budget((1ull << 36) + 1, &budget));
    check_error_says("68719476737");
}

TEST(a_pool_that_is_none_is_refused)
{
    subject one;
    ipc_pool pool;
    open_pool(&one, MIB);
    ipc_pool_header *header = ipc_region_at(one.region, BODY);
    CHECK_OK(ipc_pool_locate(one.region, 0, &pool));
    CHECK(!ipc_pool_exists(&pool));
    CHECK_STATUS(IPC_E_CORRUPT, ipc_pool_locate(one.region, BODY + 128, &pool));
    CHECK_STATUS(IPC_E_CORRUPT, ipc_pool_locate(one.region, 1ull << 63, &pool));
    CHECK_STATUS(IPC_E_CORRUPT, ipc_pool_locate(one.region, BODY + 4096, &pool)); /* the table is no header */
    header->budget = 2 * MIB;
    header->classes = 10;
    CHECK_STATUS(IPC_E_CORRUPT, ipc_pool_locate(one.region, BODY, &pool)); /* larger than the body */
    header->budget = MIB + 1;
    CHECK_STATUS(IPC_E_CORRUPT, ipc_pool_locate(one.region, BODY, &pool));
    header->budget = 0;
    CHECK_STATUS(IPC_E_CORRUPT, ipc_pool_locate(one.region, BODY, &pool));
    header->budget = MIB;
    CHECK_STATUS(IPC_E_CORRUPT, ipc_pool_locate(one.region, BODY, &pool)); /* ten classes */
    CHECK(!ipc_pool_exists(&pool));
    close_pool(&one);
}

/* ---- a block's way ----------------------------------------------------------------------------------- */

TEST(a_block_goes_round_and_its_generation_grows)
{
    subject one;
    open_pool(&one, MIB);
    for (uint32_t round = 0; round < 5; round++) {
        ipc_loan read;
        ipc_loan loan = take(&one, 3, 5000);
        CHECK_EQUAL(1, loan.klass);
        CHECK_EQUAL(0, loan.index); /* the one freed last, its memory and all */
        CHECK_EQUAL(8192, loan.capacity);
        CHECK_EQUAL(ipc_block_word(round, 3, IPC_BLOCK_OWNED), state_of(&one, &loan));
        const ipc_loan_descriptor descriptor = ipc_pool_describe(&loan, 4999);
        CHECK_STATUS(IPC_E_CORRUPT, ipc_pool_resolve(&one.pool, &descriptor, &read)); /* not published yet */
        ipc_pool_free(&one.pool, &descriptor);                                        /* nor is it free for that */
        CHECK_EQUAL(ipc_block_word(round, 3, IPC_BLOCK_OWNED), state_of(&one, &loan));
        ipc_pool_publish(&one.pool, &loan, 77);
        CHECK_EQUAL(ipc_block_word(round, 0, IPC_BLOCK_PUBLISHED), state_of(&one, &loan));
        CHECK_OK(ipc_pool_resolve(&one.pool, &descriptor, &read));
        CHECK(read.bytes == loan.bytes);
        ipc_pool_give_back(&one.pool, &loan); /* too late */
        CHECK_EQUAL(ipc_block_word(round, 0, IPC_BLOCK_PUBLISHED), state_of(&one, &loan));
        ipc_pool_free(&one.pool, &descriptor);
        CHECK_EQUAL(ipc_block_word(round + 1, 0, IPC_BLOCK_FREE), state_of(&one, &loan));
        ipc_pool_free(&one.pool, &descriptor); /* a second time: quietly nothing */
        CHECK_EQUAL(ipc_block_word(round + 1, 0, IPC_BLOCK_FREE), state_of(&one, &loan));
    }
    close_pool(&one);
}

TEST(a_loan_grows_in_its_place)
{
    subject one;
    open_pool(&one, MIB);
    ipc_loan loan = take(&one, 1, 9000); /* three pages of four */
    CHECK_EQUAL(12288, loan.capacity);
    CHECK_OK(ipc_pool_extend(&one.pool, &loan, 16384));
    CHECK_EQUAL(16384, loan.capacity);
    CHECK_EQUAL((uint8_t)9000, loan.bytes[8999]);
    CHECK_STATUS(IPC_FULL, ipc_pool_extend(&one.pool, &loan, 16385));
    CHECK_EQUAL(16384, loan.capacity);
    ipc_pool_give_back(&one.pool, &loan);
    close_pool(&one);
}

TEST(exhausted_is_full_and_too_long_is_too_large)
{
    subject one;
    ipc_loan loan;
    ipc_pool_info info;
    open_pool(&one, MIB);
    CHECK_STATUS(IPC_E_TOO_LARGE, ipc_pool_take(&one.pool, 1, MIB + 1, &loan));
    const ipc_loan whole = take(&one, 1, MIB);
    CHECK_STATUS(IPC_FULL, ipc_pool_take(&one.pool, 1, 1, &loan));
    CHECK_STATUS(IPC_FULL, ipc_pool_take(&one.pool, 1, MIB, &loan));
    ipc_pool_get_info(&one.pool, &info);
    CHECK_EQUAL(2, info.exhausted);
    CHECK_EQUAL(MIB, info.present);
    CHECK_EQUAL(1, info.lent);
    ipc_pool_give_back(&one.pool, &whole);
    const ipc_loan small = take(&one, 1, 1); /* at the expense of the free one */
    CHECK_EQUAL(0, small.klass);
    CHECK_STATUS(IPC_FULL, ipc_pool_take(&one.pool, 1, MIB, &loan));
    ipc_pool_give_back(&one.pool, &small);
    (void)take(&one, 1, MIB);
    close_pool(&one);
}

TEST(a_class_without_free_blocks_borrows_from_the_next)
{
    subject one;
    open_pool(&one, 16 * KIB); /* 4, 2, 1 blocks */
    for (int i = 0; i < 4; i++)
        CHECK_EQUAL(i < 4 ? 0 : 1, take(&one, 1, 4096).klass);
    close_pool(&one);
    open_pool(&one, 2 * MIB); /* 256 blocks of a page, which is half of the budget */
    for (int i = 0; i < 300; i++)
        CHECK_EQUAL(i < 256 ? 0 : 1, take(&one, 1, 4096).klass);
    close_pool(&one);
}

/* ---- memory ------------------------------------------------------------------------------------------ */

TEST(trimming_gives_the_memory_of_free_blocks_back)
{
    subject one;
    open_pool(&one, 64 * MIB);
    const uint64_t before = memory_behind(&one);
    ipc_loan kept = take(&one, 1, 3 * MIB);
    const ipc_loan freed = take(&one, 1, 20 * MIB);
    CHECK_EQUAL(before + 23 * MIB, memory_behind(&one));
    ipc_pool_give_back(&one.pool, &freed);
    CHECK_EQUAL(before + 23 * MIB, memory_behind(&one));
    ipc_pool_trim(&one.pool, 1);
    CHECK_EQUAL(before + 3 * MIB, memory_behind(&one));
    for (uint32_t i = 0; i < 3 * MIB; i += 4096)
        CHECK_EQUAL((uint8_t)(3 * MIB), kept.bytes[i]);
    ipc_pool_give_back(&one.pool, &kept);
    ipc_pool_trim(&one.pool, 1);
    CHECK_EQUAL(before, memory_behind(&one));
    kept = take(&one, 1, 64 * MIB); /* and it is to be had again */
    close_pool(&one);
}

typedef struct crowd {
    subject one;
    pthread_mutex_t growth;
    uint64_t front;
    _Atomic bool failed;
} crowd;

typedef struct member {
    crowd *all;
    uint32_t owner;
} member;

static bool lock_growth(void *owner)
{
    return pthread_mutex_lock(&((crowd *)owner)->growth) == 0;
}

static void unlock_growth(void *owner)
{
    (void)pthread_mutex_unlock(&((crowd *)owner)->growth);
}

static void *take_and_free(void *argument)
{
    const member *me = argument;
    crowd *all = me->all;
    uint32_t dice = me->owner * 2654435761u;
    ipc_loan held[4] = {{0}};
    for (int i = 0; i < 2000 && !all->failed; i++) {
        dice = dice * 1664525u + 1013904223u;
        ipc_loan *loan = &held[dice >> 30];
        if (loan->bytes != NULL) {
            const uint64_t *mark = (const uint64_t *)(const void *)loan->bytes;
            const uint64_t *end = (const uint64_t *)(const void *)(loan->bytes + loan->capacity - 8);
            all->failed = all->failed || *mark != me->owner || *end != me->owner;
            ipc_pool_publish(&all->one.pool, loan, 0);
            const ipc_loan_descriptor descriptor = ipc_pool_describe(loan, 8);
            ipc_pool_free(&all->one.pool, &descriptor);
            loan->bytes = NULL;
        }
        const uint32_t length = 1u << (3 + (dice >> 16) % 18);
        const ipc_status status = ipc_pool_take(&all->one.pool, me->owner, length, loan);
        if (status == IPC_OK) {
            memcpy(loan->bytes, &(uint64_t){me->owner}, 8);
            memcpy(loan->bytes + loan->capacity - 8, &(uint64_t){me->owner}, 8);
        } else {
            loan->bytes = NULL;
            all->failed = all->failed || status != IPC_FULL;
        }
        if (i % 16 == 0)
            all->failed = all->failed || memory_behind(&all->one) > all->front + all->one.pool.budget;
        if (i % 512 == 0)
            ipc_pool_trim(&all->one.pool, me->owner);
    }
    return NULL;
}

TEST(many_threads_never_share_a_block_nor_exceed_the_budget)
{
    crowd all = {.growth = PTHREAD_MUTEX_INITIALIZER};
    test_thread threads[6];
    member members[6];
    open_pool(&all.one, 2 * MIB);
    all.front = memory_behind(&all.one);
    all.one.pool.growth_lock = lock_growth;
    all.one.pool.growth_unlock = unlock_growth;
    all.one.pool.growth_owner = &all;
    for (uint32_t i = 0; i < 6; i++) {
        members[i] = (member){&all, i + 1};
        test_thread_start(&threads[i], take_and_free, &members[i]);
    }
    for (int i = 0; i < 6; i++)
        test_thread_join(&threads[i]);
    CHECK(!all.failed);
    ipc_pool_recover(&all.one.pool, 0, NULL, NULL); /* what they still hold */
    ipc_pool_info info;
    ipc_pool_get_info(&all.one.pool, &info);
    CHECK_EQUAL(0, info.lent);
    CHECK_EQUAL(all.front + info.present, memory_behind(&all.one));
    close_pool(&all.one);
}

TEST(a_full_disk_is_full_and_never_a_fault)
{
    char path[512];
    subject one = {0};
    ipc_loan small = {0};
    ipc_loan loan;
    test_path("disk", path, sizeof path);
    CHECK(mkdir(path, 0700) == 0);
    if (geteuid() != 0 || mount("none", path, "tmpfs", 0, "size=1m") != 0) {
        CHECK(rmdir(path) == 0);
        test_skip("needs the right to mount a small file system");
    }
    char file[600];
    (void)snprintf(file, sizeof file, "%s/pool", path);
    const uint64_t budget = 16 * MIB;
    const ipc_region_plan plan = {
        .participants = 1,
        .body_offset = BODY,
        .body_size = ipc_pool_size(budget),
        .total_size = BODY + ipc_pool_size(budget),
        .reserved_size = BODY + ipc_pool_reserve(budget),
    };
    ipc_status built = ipc_region_build(file, &plain, &plan, &one.region);
    ipc_status first = IPC_FULL;
    ipc_status large = IPC_OK;
    ipc_status again = IPC_FULL;
    uint64_t before = 0;
    uint64_t after = 1;
    if (built == IPC_OK) {
        ipc_pool_write_header(ipc_region_at(one.region, BODY), budget);
        built = ipc_pool_locate(one.region, BODY, &one.pool);
        first = ipc_pool_take(&one.pool, 1, 100000, &small);
        before = memory_behind(&one);
        large = ipc_pool_take(&one.pool, 1, 4 * MIB, &loan);
        after = memory_behind(&one);
        if (first == IPC_OK)
            memset(small.bytes, 1, 100000);
        ipc_pool_give_back(&one.pool, &small);
        again = ipc_pool_take(&one.pool, 1, 500000, &loan); /* what the large one had been given went back */
        if (again == IPC_OK)
            memset(loan.bytes, 1, 500000);
    }
    ipc_region_discard(one.region);
    CHECK(umount(path) == 0);
    CHECK(rmdir(path) == 0);
    CHECK_STATUS(IPC_OK, built);
    CHECK_STATUS(IPC_OK, first);
    CHECK_STATUS(IPC_FULL, large);
    CHECK_EQUAL(before, after);
    CHECK_STATUS(IPC_OK, again);
}

/* ---- recovery ---------------------------------------------------------------------------------------- */

static bool names_even(void *context, uint64_t holder, const ipc_loan_descriptor *descriptor)
{
    (*(int *)context)++;
    return holder % 2 == 0 && descriptor->klass == 0;
}

TEST(the_sweep_frees_what_the_dead_owned_and_what_nobody_names)
{
    subject one;
    int asked = 0;
    open_pool(&one, MIB);
    const ipc_loan theirs = take(&one, 5, 100);
    const ipc_loan ours = take(&one, 6, 100);
    const ipc_loan named = take(&one, 6, 100);
    const ipc_loan lost = take(&one, 6, 100);
    ipc_pool_publish(&one.pool, &named, 64);
    ipc_pool_publish(&one.pool, &lost, 65);

    ipc_pool_recover(&one.pool, IPC_POOL_NOBODY, NULL, NULL);
    CHECK_EQUAL(IPC_BLOCK_OWNED, ipc_block_phase(state_of(&one, &theirs)));
    CHECK_EQUAL(IPC_BLOCK_PUBLISHED, ipc_block_phase(state_of(&one, &lost)));

    for (int turn = 0; turn < 2; turn++) { /* the second time it finds nothing to do */
        ipc_pool_recover(&one.pool, 5, names_even, &asked);
        CHECK_EQUAL(ipc_block_word(1, 0, IPC_BLOCK_FREE), state_of(&one, &theirs));
        CHECK_EQUAL(ipc_block_word(0, 6, IPC_BLOCK_OWNED), state_of(&one, &ours));
        CHECK_EQUAL(ipc_block_word(0, 0, IPC_BLOCK_PUBLISHED), state_of(&one, &named));
        CHECK_EQUAL(ipc_block_word(1, 0, IPC_BLOCK_FREE), state_of(&one, &lost));
        CHECK_EQUAL(2 + turn, asked);
    }
    ipc_pool_recover(&one.pool, 0, NULL, NULL);
    CHECK_EQUAL(ipc_block_word(1, 0, IPC_BLOCK_FREE), state_of(&one, &ours));
    close_pool(&one);
}

TEST(a_death_while_growing_leaks_neither_memory_nor_budget)
{
    subject one;
    ipc_pool_info info;
    open_pool(&one, MIB);
    const uint64_t before = memory_behind(&one);
    const ipc_loan loan = take(&one, 5, 20000); /* five pages */
    ipc_pool_block *block = ipc_pool_block_at(&one.pool, loan.klass, loan.index);
    /* As it is between populating and announcing, and between the two steps of giving pages away. */
    for (uint32_t announced = 0; announced <= 2; announced += 2) {
        ipc_store_relaxed64(&block->state, ipc_block_word(9, 5, IPC_BLOCK_OWNED));
        ipc_store_relaxed32(&block->claimed, 5);
        ipc_store_relaxed32(&block->present, announced);
        CHECK_OK(ipc_platform_populate(one.region->file, one.region->base,
                                       ipc_pool_place_of(&one.pool, loan.klass, loan.index), 20480));
        ipc_pool_recover(&one.pool, 5, NULL, NULL);
        CHECK_EQUAL(announced, ipc_load_relaxed32(&block->claimed));
        CHECK_EQUAL(before + announced * 4096, memory_behind(&one));
        ipc_pool_get_info(&one.pool, &info);
        CHECK_EQUAL(announced * 4096, info.present);
    }
    (void)take(&one, 5, MIB);
    close_pool(&one);
}

/* ---- hostile bytes ----------------------------------------------------------------------------------- */

TEST(a_descriptor_is_believed_in_range_only)
{
    subject one;
    ipc_loan read;
    open_pool(&one, MIB);
    const ipc_loan loan = take(&one, 1, 5000);
    ipc_pool_publish(&one.pool, &loan, 0);
    const ipc_loan_descriptor good = ipc_pool_describe(&loan, 8192);
    CHECK_OK(ipc_pool_resolve(&one.pool, &good, &read));
    const ipc_loan_descriptor bad[] = {
        {.klass = 9, .index = 0, .generation = 0, .length = 1},
        {.klass = UINT16_MAX, .index = 0, .generation = 0, .length = 1},
        {.klass = 1, .index = 128, .generation = 0, .length = 1},
        {.klass = 1, .index = UINT32_MAX, .generation = 0, .length = 1},
        {.klass = 1, .index = 0, .generation = 1, .length = 1},
        {.klass = 1, .index = 1, .generation = 0, .length = 1},
        {.klass = 1, .index = 0, .generation = 0, .length = 8193},
        {.klass = 1, .index = 0, .generation = 0, .length = UINT32_MAX},
        {.klass = 1, .reserved = 1, .index = 0, .generation = 0, .length = 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK_STATUS(IPC_E_CORRUPT, ipc_pool_resolve(&one.pool, &bad[i], &read));
        if (bad[i].length == 1)
            ipc_pool_free(&one.pool, &bad[i]);
    }
    CHECK_OK(ipc_pool_resolve(&one.pool, &good, &read)); /* none of them freed it */
    close_pool(&one);
}

TEST(any_bytes_in_the_table_are_survived)
{
    subject one;
    uint32_t dice = 7;
    open_pool(&one, 128 * KIB);
    const size_t size = (size_t)one.pool.block_count * sizeof(ipc_pool_block);
    for (int round = 0; round < 300; round++) {
        uint8_t *table = (uint8_t *)one.pool.blocks;
        for (size_t i = 0; i < size; i++) {
            dice = dice * 1664525u + 1013904223u;
            /* now and then any byte; often something that looks like a block */
            table[i] = round % 3 == 0 ? (uint8_t)(dice >> 24) : i % 32 < 2 ? (uint8_t)((dice >> 24) % 3) : 0;
            if (round % 3 == 1 && i % 32 >= 16)
                table[i] = (uint8_t)(dice >> 24);
        }
        for (uint32_t k = 0; k < one.pool.classes; k++)
            ipc_store_relaxed64(&one.pool.header->free[k][dice % 4], (uint64_t)dice << k);
        ipc_loan loan;
        ipc_loan read;
        ipc_pool_info info;
        int asked = 0;
        for (uint32_t length = 0; length <= 128 * KIB; length = length * 3 + 1) {
            const ipc_loan_descriptor descriptor = {
                .klass = (uint16_t)(dice % 7), .index = dice % 40, .length = length};
            if (ipc_pool_resolve(&one.pool, &descriptor, &read) == IPC_OK)
                CHECK(read.capacity <= ipc_pool_class_size(descriptor.klass) && read.capacity >= length);
            ipc_pool_free(&one.pool, &descriptor);
            if (ipc_pool_take(&one.pool, 1, length, &loan) != IPC_OK)
                continue;
            CHECK(loan.capacity >= length && loan.capacity <= ipc_pool_class_size(loan.klass));
            memset(loan.bytes, 1, loan.capacity);
            ipc_pool_publish(&one.pool, &loan, 0);
        }
        ipc_pool_trim(&one.pool, 1);
        ipc_pool_get_info(&one.pool, &info);
        ipc_pool_recover(&one.pool, 1, names_even, &asked);
        ipc_pool_recover(&one.pool, 0, names_even, &asked);
    }
    CHECK(memory_behind(&one) <= BODY + ipc_pool_size(one.pool.budget));
    close_pool(&one);
}
