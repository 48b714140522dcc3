/* The memory of a structure is in the process's tables when it is open: its first lap is no slower than the next. */
#define _GNU_SOURCE
#include "test.h"

#include "platform/platform.h"

#include <sys/resource.h>

#define LAP 4096 /* records of two lines: 512 KiB, twice the ring; messages of four to a page, all slots four times */

static long faults(void)
{
    struct rusage usage;
    CHECK(getrusage(RUSAGE_THREAD, &usage) == 0);
    return usage.ru_minflt + usage.ru_majflt;
}

/* Some pages belong to this program. Without the memory being entered there are at least 64. */
static void check_few_since(long before)
{
    const long met = faults() - before;
    if (met > 24)
        test_fail(__FILE__, __LINE__, "%ld page faults", met);
}

static void skip_where_impossible(void)
{
    if (ipc_platform_populate_needs_file())
        test_skip("this kernel cannot enter pages ahead of their use");
}

TEST(a_ring_meets_no_faults)
{
    skip_where_impossible();
    ipc_ring_writer *writer;
    ipc_ring_reader *reader;
    CHECK_OK(ipc_ring_writer_open("touched", &(ipc_ring_options){.capacity = 256 * 1024}, &writer));
    CHECK_OK(ipc_ring_reader_open("touched", NULL, &reader));
    const char bytes[64] = {0};
    const long before = faults();
    for (int i = 0; i < LAP; i++) {
        ipc_record record;
        CHECK_OK(ipc_ring_write(writer, bytes, sizeof bytes, 0, IPC_NOW, NULL));
        CHECK_OK(ipc_ring_read(reader, IPC_NOW, NULL, &record));
        ipc_ring_release(reader);
    }
    check_few_since(before);
    ipc_ring_reader_close(reader);
    ipc_ring_writer_close(writer);
}

TEST(a_queue_meets_no_faults)
{
    skip_where_impossible();
    ipc_queue *queue;
    CHECK_OK(ipc_queue_open("touched", NULL, &queue));
    const char bytes[64] = {0};
    const long before = faults();
    for (int i = 0; i < LAP; i++) {
        ipc_block block;
        CHECK_OK(ipc_queue_send(queue, bytes, sizeof bytes, 0, IPC_NOW, NULL));
        CHECK_OK(ipc_queue_receive(queue, IPC_NOW, NULL, &block));
        ipc_queue_release(queue, &block);
    }
    check_few_since(before);
    ipc_queue_close(queue);
}

TEST(a_topic_meets_no_faults)
{
    skip_where_impossible();
    ipc_topic_writer *writer;
    ipc_topic_reader *reader;
    CHECK_OK(ipc_topic_reader_open("touched", NULL, &reader));
    CHECK_OK(ipc_topic_writer_open("touched", NULL, &writer));
    const char bytes[64] = {0};
    const long before = faults();
    for (int i = 0; i < LAP; i++) {
        ipc_message message;
        CHECK_OK(ipc_topic_publish(writer, bytes, sizeof bytes, 0, 0, IPC_NOW, NULL));
        CHECK_OK(ipc_topic_read(reader, IPC_NOW, NULL, &message));
        CHECK_OK(ipc_topic_release(reader));
    }
    check_few_since(before);
    ipc_topic_reader_close(reader);
    ipc_topic_writer_close(writer);
}
