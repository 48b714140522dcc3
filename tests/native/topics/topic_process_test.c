/* Writers and readers in other processes, some of which are killed or stopped. */
#define _GNU_SOURCE
#include "ignore.h"
#include "topic_steps.h"

#include <unistd.h>

typedef struct child_plan {
    ipc_policy policy;     /* of a reader */
    bool writes;           /* a writer, otherwise a reader */
    uint32_t messages;     /* published, or read and released */
    uint32_t open_claims;  /* ... and then claimed, or read and not released */
    uint32_t claim_length; /* of the claims; 0: 8 */
    test_pipe ready;       /* written to when the plan is done */
} child_plan;

static ipc_status write_as_planned(const child_plan *plan, ipc_topic_writer *writer)
{
    ipc_status status = IPC_OK;
    for (uint64_t i = 0; i < plan->messages && status == IPC_OK; i++)
        status = publish(writer, i);
    for (uint32_t i = 0; i < plan->open_claims && status == IPC_OK; i++) {
        ipc_block block;
        status = ipc_topic_try_claim(writer, plan->claim_length == 0 ? 8 : plan->claim_length, &block);
        if (status == IPC_OK)
            memset(block.payload, 0xFF, block.length);
    }
    return status;
}

static ipc_status read_as_planned(const child_plan *plan, ipc_topic_reader *reader)
{
    ipc_status status = IPC_OK;
    for (uint32_t i = 0; i < plan->messages + plan->open_claims && status == IPC_OK; i++) {
        ipc_message message;
        status = ipc_topic_read(reader, SOON, NULL, &message);
        if (i < plan->messages && status == IPC_OK)
            status = ipc_topic_release(reader);
    }
    return status;
}

static int run_child(void *argument)
{
    const child_plan *plan = argument;
    ipc_topic_writer *writer = NULL;
    ipc_topic_reader *reader = NULL;
    const ipc_topic_options options = options_of(plan->policy, IPC_JOIN_OLDEST);
    ipc_status status =
        plan->writes ? ipc_topic_writer_open("t", &options, &writer) : ipc_topic_reader_open("t", &options, &reader);
    if (status == IPC_OK)
        status = plan->writes ? write_as_planned(plan, writer) : read_as_planned(plan, reader);
    test_say(&plan->ready, status == IPC_OK ? 'y' : 'n');
    test_stay();
}

static pid_t start_child(child_plan *plan)
{
    test_pipe_open(&plan->ready);
    pid_t pid = test_fork(run_child, plan, sizeof *plan);
    CHECK_EQUAL('y', test_hear(&plan->ready));
    test_pipe_close(&plan->ready);
    return pid;
}

static bool is_alone(const ipc_topic_writer *writer)
{
    for (uint32_t i = 0; i < writer->base.topic.participants; i++) {
        if ((i + 1 == writer->me) !=
            (ipc_load_acquire32(&ipc_region_participant(writer->base.place.region, i)->state) != 0))
            return false;
    }
    return true;
}

/* What a region of a topic must look like when everybody but `writer` has gone. The thread that watches clears up after
   the dead; their place in the table goes last, and what made us go on may have been the first of it. */
static void check_as_new(const ipc_topic_writer *writer)
{
    const ipc_topic *topic = &writer->base.topic;
    WAIT_FOR(is_alone(writer));
    for (uint32_t i = 0; i < IPC_TOPIC_ACTIVE_WORDS; i++)
        CHECK_EQUAL(0, ipc_load_acquire64(&topic->header->active[i]));
    for (uint32_t i = 0; i < topic->participants; i++)
        CHECK_EQUAL(IPC_READER_NONE, ipc_load_acquire32(&topic->entries[i].state) & IPC_READER_STATE);
    for (uint64_t i = 0; i < topic->slot_count; i++)
        CHECK(ipc_slot_phase(ipc_load_acquire64(&ipc_slot_at(&topic->ring, i)->state)) != IPC_PHASE_WRITING);
}

/* How many there are, with an eye on whoever is not watched yet. */
static uint32_t living_noticed(ipc_topic_writer *writer, uint32_t role)
{
    ignore(ipc_topic_writer_wait_for_readers(writer, 0, IPC_NOW, NULL));
    return ipc_topic_count_living(writer->base.place.region, role, NULL);
}

TEST(a_killed_writer_leaves_what_it_published_and_a_gap)
{
    ipc_topic_reader *reader = open_reader(IPC_RELIABLE, IPC_JOIN_NEWEST);
    ipc_topic_writer *writer = open_writer();
    child_plan plan = {.writes = true, .messages = 3, .open_claims = 2};
    ipc_message message;
    pid_t pid = start_child(&plan);
    CHECK_OK(publish(writer, 77)); /* behind its claims */
    expect_range(reader, 0, 3);
    expect_empty(reader);
    CHECK_STATUS(IPC_TIMEOUT, ipc_topic_read(reader, ipc_deadline_after(5000000), NULL, &message)); /* it lives */
    test_kill(pid);
    CHECK_OK(ipc_topic_read(reader, SOON, NULL, &message));
    CHECK_EQUAL(77, value_of(&message));
    CHECK_EQUAL(0, info_of(reader).lost);
    ipc_topic_reader_close(reader);
    check_as_new(writer);
    ipc_topic_writer_close(writer);
}

TEST(a_killed_writer_is_noticed_by_who_only_polls)
{
    ipc_topic_reader *reader = open_reader(IPC_LOSSY, IPC_JOIN_NEWEST);
    ipc_topic_writer *writer = open_writer();
    child_plan plan = {.writes = true, .open_claims = 1};
    ipc_message message;
    pid_t pid = start_child(&plan);
    CHECK_OK(publish(writer, 1));
    expect_empty(reader);
    test_kill(pid);
    WAIT_FOR(ipc_topic_try_read(reader, &message) == IPC_OK);
    CHECK_EQUAL(1, value_of(&message));
    ipc_topic_reader_close(reader);
    ipc_topic_writer_close(writer);
}

TEST(a_killed_reader_holds_nobody_back_any_more)
{
    ipc_topic_writer *writer = open_writer();
    child_plan plan = {.policy = IPC_RELIABLE, .messages = 1, .open_claims = 2};
    publish_all(writer, 0, 4);
    pid_t pid = start_child(&plan);
    ipc_block block;
    CHECK_OK(publish(writer, 4)); /* it joined behind 3: from here on it counts */
    for (uint64_t i = 0; i < BLOCKS - 1; i++)
        CHECK_OK(publish(writer, i));
    CHECK_STATUS(IPC_FULL, ipc_topic_try_claim(writer, 8, &block));
    CHECK_STATUS(IPC_TIMEOUT, ipc_topic_claim(writer, 8, ipc_deadline_after(5000000), NULL, &block));
    test_send_kill(pid);
    CHECK_OK(ipc_topic_claim(writer, 8, SOON, NULL, &block)); /* woken by its death */
    CHECK_OK(ipc_topic_commit(writer, &block, 8, 7, 0));
    CHECK_EQUAL(128 + SIGKILL, test_wait_exit(pid));
    for (int i = 0; i < 20; i++)
        CHECK_OK(publish(writer, 1));
    check_as_new(writer);
    ipc_topic_writer_close(writer);
}

TEST(a_stopped_reader_keeps_what_is_its)
{
    ipc_topic_writer *writer = open_writer();
    child_plan plan = {.policy = IPC_RELIABLE};
    pid_t pid = start_child(&plan);
    test_stop(pid);
    publish_all(writer, 0, BLOCKS);
    CHECK_STATUS(IPC_TIMEOUT, ipc_topic_publish(writer, "x", 1, 0, 0, ipc_deadline_after(600000000), NULL));
    test_continue(pid);
    CHECK_STATUS(IPC_FULL, ipc_topic_try_claim(writer, 8, &(ipc_block){0}));
    test_kill(pid);
    CHECK_OK(ipc_topic_publish(writer, "x", 1, 0, 0, SOON, NULL));
    ipc_topic_writer_close(writer);
}

TEST(a_stopped_evictable_reader_is_evicted)
{
    ipc_topic_writer *writer = open_writer();
    child_plan plan = {.policy = IPC_EVICT};
    pid_t pid = start_child(&plan);
    test_stop(pid);
    publish_all(writer, 0, BLOCKS);
    CHECK_OK(ipc_topic_publish(writer, "x", 1, 0, 0, ipc_deadline_after(1000000), NULL));
    ipc_topic_info info;
    ipc_topic_writer_get_info(writer, &info);
    CHECK_EQUAL(1, info.evictions);
    CHECK_EQUAL(0, info.readers);
    test_kill(pid);
    WAIT_FOR(living_noticed(writer, IPC_ROLE_READER) == 0);
    check_as_new(writer);
    ipc_topic_writer_close(writer);
}

TEST(the_hundredth_kill_changes_nothing)
{
    ipc_topic_reader *reader = open_reader(IPC_RELIABLE, IPC_JOIN_NEWEST);
    ipc_topic_writer *writer = open_writer();
    for (uint32_t i = 0; i < 100; i++) {
        ipc_message message;
        child_plan plan = {.writes = i % 2 == 0, .policy = (ipc_policy)(i / 2 % 4)};
        if (plan.writes) {
            plan.messages = i % 3;
            plan.open_claims = 1 + i % 4;
            plan.claim_length = i % 8 == 0 ? 5000 : 0;
        }
        pid_t pid = start_child(&plan);
        CHECK_OK(publish(writer, 1000 + i));
        test_kill(pid);
        do
            CHECK_OK(ipc_topic_read(reader, SOON, NULL, &message));
        while (value_of(&message) != 1000 + i);
        CHECK_OK(ipc_topic_release(reader));
    }
    CHECK_EQUAL(0, info_of(reader).lost);
    WAIT_FOR(living_noticed(writer, IPC_ROLE_READER) == 1);
    WAIT_FOR(living_noticed(writer, IPC_ROLE_WRITER) == 1);
    ipc_topic_reader_close(reader);
    check_as_new(writer);
    ipc_pool_info loans;
    ipc_pool_get_info(writer->pool, &loans);
    CHECK_EQUAL(0, loans.lent);
    ipc_topic_writer_close(writer);
}

TEST(changes_tell_who_comes_leaves_and_dies)
{
    ipc_topic_writer *writer = open_writer();
    ipc_change change;
    CHECK_STATUS(IPC_TIMEOUT, ipc_topic_writer_next_change(writer, IPC_NOW, NULL, &change));
    child_plan plan = {.policy = IPC_LOSSY};
    pid_t pid = start_child(&plan);
    CHECK_OK(ipc_topic_writer_next_change(writer, SOON, NULL, &change));
    CHECK_EQUAL(IPC_CHANGE_ATTACHED, change.kind);
    CHECK_EQUAL(pid, change.participant.pid);
    CHECK_EQUAL(IPC_ROLE_READER, change.participant.role);
    CHECK_EQUAL(2, ipc_topic_writer_participants(writer, NULL, 0));
    test_kill(pid);
    CHECK_OK(ipc_topic_writer_next_change(writer, SOON, NULL, &change));
    CHECK_EQUAL(IPC_CHANGE_DIED, change.kind);
    CHECK_EQUAL(pid, change.participant.pid);
    ipc_topic_reader *reader = open_reader(IPC_RELIABLE, IPC_JOIN_NEWEST);
    CHECK_OK(ipc_topic_writer_next_change(writer, SOON, NULL, &change));
    CHECK_EQUAL(IPC_CHANGE_ATTACHED, change.kind);
    ipc_participant_info both[3];
    CHECK_EQUAL(2, ipc_topic_reader_participants(reader, both, 3));
    ipc_topic_reader_close(reader);
    CHECK_OK(ipc_topic_writer_next_change(writer, SOON, NULL, &change));
    CHECK_EQUAL(IPC_CHANGE_LEFT, change.kind);
    ipc_topic_writer_close(writer);
}

/* ---- dying at every step ----------------------------------------------------------------------------- */

#define POINTS 12
static const char *const writer_points[POINTS] = {
    "topic.claim.writing", "topic.claim.tail",  "topic.commit.before_ready", "topic.commit.after_ready",
    "topic.abandon.done",  "topic.reclaim.gap", "pool.take.owned",           "pool.publish.before",
    "pool.publish.after",  "pool.free.before",  "topic.claim.writing:40",    "topic.commit.before_ready:33",
};
static const ipc_topic_options small_pool = {.block_size = 64, .block_count = BLOCKS, .loan_budget = 8 * 4096};

static uint32_t length_of(uint64_t i)
{
    return i % 2 == 0 ? 5000 : 8;
}

static int write_until_the_fault(void)
{
    ipc_topic_writer *writer = NULL;
    if (ipc_topic_writer_open("t", &small_pool, &writer) != IPC_OK)
        return 1;
    for (uint64_t i = 0; i < 1000; i++) {
        ipc_block block;
        if (ipc_topic_claim(writer, length_of(i), SOON, NULL, &block) != IPC_OK)
            return 2;
        memset(block.payload, (int)(i & 0xFF), block.length);
        if (i % 5 == 4)
            ipc_topic_abandon(writer, &block);
        else if (ipc_topic_commit(writer, &block, block.length, 9, i) != IPC_OK)
            return 3;
    }
    return 4; /* the point was never passed */
}

static int read_until_the_fault(void)
{
    ipc_topic_reader *reader = NULL;
    ipc_message message;
    if (ipc_topic_reader_open("t", &small_pool, &reader) != IPC_OK)
        return 1;
    for (int i = 0; i < 100; i++) {
        if (ipc_topic_read(reader, SOON, NULL, &message) != IPC_OK || ipc_topic_release(reader) != IPC_OK)
            return 2;
    }
    ipc_topic_reader_close(reader);
    return 4;
}

static int act(const char *role)
{
    return strcmp(role, "writer") == 0 ? write_until_the_fault() : read_until_the_fault();
}

/* The points are read from the environment once per process: so this program is started anew. */
__attribute__((constructor)) static void be_the_child(void)
{
    const char *role = getenv("TOPIC_TEST_CHILD");
    if (role != NULL)
        _exit(act(role));
}

typedef struct doomed {
    const char *role;
    const char *point;
} doomed;

static int start_anew(void *argument)
{
    const doomed *one = argument;
    test_set_environment("IPC_FAULT", one->point);
#ifdef _WIN32
    return act(one->role); /* it has been */
#else
    test_set_environment("TOPIC_TEST_CHILD", one->role);
    char path[4096] = "";
    if (readlink("/proc/self/exe", path, sizeof path - 1) > 0)
        test_execute(path, (char *[]){path, NULL});
    return 127;
#endif
}

/* Reads all that is there: whole, in order, nothing left out but what was abandoned. */
static void read_whole(ipc_topic_reader *reader, uint64_t *next)
{
    ipc_message message;
    while (ipc_topic_try_read(reader, &message) == IPC_OK) {
        if (message.type == 9) {
            *next += *next % 5 == 4;
            CHECK_EQUAL(*next, message.key);
            CHECK_EQUAL(length_of(message.key), message.length);
            for (uint32_t i = 0; i < message.length; i++)
                CHECK_EQUAL(message.key & 0xFF, ((const uint8_t *)message.payload)[i]);
            ++*next;
        }
        CHECK_OK(ipc_topic_release(reader));
    }
}

TEST(a_writer_may_die_at_every_step)
{
    for (size_t point = 0; point < POINTS; point++) {
        ipc_topic_writer *writer = NULL;
        ipc_topic_reader *reader = NULL;
        uint64_t next = 0;
        CHECK_OK(ipc_topic_writer_open("t", &small_pool, &writer));
        CHECK_OK(ipc_topic_reader_open("t", &small_pool, &reader));
        doomed one = {.role = "writer", .point = writer_points[point]};
        const pid_t pid = test_fork(start_anew, &one, sizeof one);
        WAIT_FOR((read_whole(reader, &next), test_has_ended(pid)));
        CHECK_EQUAL(128 + SIGKILL, test_wait_exit(pid));
        /* What we publish is behind what it left: reading it shows that the gap was passed over. */
        const uint64_t mark = 12345;
        CHECK_OK(ipc_topic_publish(writer, &mark, sizeof mark, 8, 0, SOON, NULL));
        const uint64_t behind = ipc_load_acquire64(&writer->header->tail);
        WAIT_FOR((read_whole(reader, &next), reader->position == behind));
        CHECK_EQUAL(0, info_of(reader).lost);
        for (uint64_t i = 0; i < BLOCKS; i++) { /* what it took is all back */
            CHECK_OK(ipc_topic_publish(writer, &mark, sizeof mark, 8, 0, SOON, NULL));
            read_whole(reader, &next);
        }
        ipc_topic_reader_close(reader);
        WAIT_FOR(living_noticed(writer, IPC_ROLE_WRITER) == 1);
        check_as_new(writer);
        ipc_pool_info loans;
        ipc_pool_get_info(writer->pool, &loans);
        CHECK_EQUAL(0, loans.lent);
        ipc_topic_writer_close(writer);
    }
}

TEST(a_reader_may_die_at_every_step)
{
    static const char *const points[] = {
        "topic.join.entry",           "topic.join.cursor",       "topic.read.done", "topic.release.before_cursor",
        "topic.release.after_cursor", "region.leave.entry_freed"};
    for (size_t point = 0; point < sizeof points / sizeof points[0]; point++) {
        ipc_topic_writer *writer = NULL;
        CHECK_OK(ipc_topic_writer_open("t", &small_pool, &writer));
        doomed one = {.role = "reader", .point = points[point]};
        const pid_t pid = test_fork(start_anew, &one, sizeof one);
        const ipc_deadline until = SOON;
        while (!test_has_ended(pid)) {
            CHECK(ipc_deadline_after(0) < until);
            ipc_status status = ipc_topic_publish(writer, "x", 1, 0, 0, ipc_deadline_after(1000000), NULL);
            if (status != IPC_TIMEOUT)
                CHECK_OK(status);
        }
        CHECK_EQUAL(128 + SIGKILL, test_wait_exit(pid));
        for (uint64_t i = 0; i < 3 * BLOCKS; i++)
            CHECK_OK(ipc_topic_publish(writer, "x", 1, 0, 0, SOON, NULL));
        WAIT_FOR(living_noticed(writer, IPC_ROLE_READER) == 0);
        check_as_new(writer);
        ipc_topic_writer_close(writer);
    }
}

/* ---- fork without exec ------------------------------------------------------------------------------- */

#ifndef _WIN32
static ipc_topic_writer *inherited_writer;
static ipc_topic_reader *inherited_readers[4];

static int use_inherited(void *argument)
{
    (void)argument;
    ipc_block block;
    ipc_message message;
    if (ipc_topic_try_claim(inherited_writer, 8, &block) != IPC_CLOSED)
        return 1;
    if (ipc_topic_try_claim(inherited_writer, 8000, &block) != IPC_CLOSED)
        return 2;
    if (ipc_topic_claim(inherited_writer, 8, IPC_FOREVER, NULL, &block) != IPC_CLOSED)
        return 3;
    for (int i = 0; i < 4; i++) {
        if (ipc_topic_try_read(inherited_readers[i], &message) != IPC_CLOSED)
            return 10 + i;
        if (ipc_topic_read(inherited_readers[i], IPC_FOREVER, NULL, &message) != IPC_CLOSED)
            return 20 + i;
        if (ipc_topic_rejoin(inherited_readers[i], IPC_JOIN_OLDEST) != IPC_CLOSED)
            return 30 + i;
        ipc_topic_reader_close(inherited_readers[i]);
    }
    ipc_topic_writer_trim_loans(inherited_writer);
    ipc_topic_writer_close(inherited_writer);
    return 0;
}

POSIX_TEST(a_forked_child_has_nothing_of_the_parents)
{
    inherited_writer = open_writer();
    for (int i = 0; i < 4; i++)
        inherited_readers[i] = open_reader((ipc_policy)i, IPC_JOIN_NEWEST);
    CHECK_EQUAL(0, test_wait_exit(test_fork(use_inherited, NULL, 0)));
    CHECK_OK(publish(inherited_writer, 1));
    for (int i = 0; i < 4; i++) {
        expect(inherited_readers[i], 1, 0);
        ipc_topic_reader_close(inherited_readers[i]);
    }
    ipc_topic_writer_close(inherited_writer);
}
#endif
