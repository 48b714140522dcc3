/* What the tests of topics are written in: small topics, numbered messages. Each step fails its test when it does not
   do what it says. */
#ifndef TOPIC_STEPS_H
#define TOPIC_STEPS_H

#include "topics/topic.h"
#include "test.h"

#define BLOCKS 16u

static inline ipc_topic_options options_of(ipc_policy policy, ipc_join join)
{
    const ipc_topic_options options = {.block_size = 64, .block_count = BLOCKS, .policy = policy, .join = join};
    return options;
}

static inline ipc_topic_writer *open_writer(void)
{
    ipc_topic_writer *writer = NULL;
    const ipc_topic_options options = options_of(IPC_RELIABLE, IPC_JOIN_NEWEST);
    CHECK_OK(ipc_topic_writer_open("t", &options, &writer));
    return writer;
}

static inline ipc_topic_reader *open_reader(ipc_policy policy, ipc_join join)
{
    ipc_topic_reader *reader = NULL;
    const ipc_topic_options options = options_of(policy, join);
    CHECK_OK(ipc_topic_reader_open("t", &options, &reader));
    return reader;
}

static inline ipc_status publish(ipc_topic_writer *writer, uint64_t value)
{
    return ipc_topic_publish(writer, &value, sizeof value, 7, value, IPC_NOW, NULL);
}

static inline void publish_all(ipc_topic_writer *writer, uint64_t from, uint64_t to)
{
    for (uint64_t value = from; value < to; value++)
        CHECK_OK(publish(writer, value));
}

static inline uint64_t value_of(const ipc_message *message)
{
    uint64_t value = 0;
    CHECK_EQUAL(sizeof value, message->length);
    CHECK_EQUAL(7, message->type);
    memcpy(&value, message->payload, sizeof value);
    CHECK_EQUAL(value, message->key);
    return value;
}

static inline void expect(ipc_topic_reader *reader, uint64_t value, uint64_t lost)
{
    ipc_message message;
    CHECK_OK(ipc_topic_try_read(reader, &message));
    CHECK_EQUAL(value, value_of(&message));
    CHECK_EQUAL(lost, message.lost);
}

static inline void expect_range(ipc_topic_reader *reader, uint64_t from, uint64_t to)
{
    for (uint64_t value = from; value < to; value++)
        expect(reader, value, 0);
}

static inline void expect_empty(ipc_topic_reader *reader)
{
    ipc_message message;
    CHECK_STATUS(IPC_EMPTY, ipc_topic_try_read(reader, &message));
}

static inline ipc_topic_info info_of(const ipc_topic_reader *reader)
{
    ipc_topic_info info;
    ipc_topic_reader_get_info(reader, &info);
    return info;
}

#endif
