/* What the tests of long records have in common. */
#ifndef RING_LOAN_PARTS_H
#define RING_LOAN_PARTS_H

#include "rings/ring.h"
#include "test.h"

#define KIB  1024u
#define LONG (100 * KIB)

static const ipc_ring_options tight = {.capacity = 4096, .loan_budget = 1024 * KIB};

typedef struct both {
    ipc_ring_writer *writer;
    ipc_ring_reader *reader;
} both;

static inline void open_both(both *ends, const ipc_ring_options *options)
{
    CHECK_OK(ipc_ring_writer_open("r", options, &ends->writer));
    CHECK_OK(ipc_ring_reader_open("r", options, &ends->reader));
}

static inline void close_both(both *ends)
{
    ipc_ring_writer_close(ends->writer);
    ipc_ring_reader_close(ends->reader);
}

static inline uint8_t byte_of(uint32_t seed, uint32_t i)
{
    return (uint8_t)(seed + i * 7 + (i >> 8));
}

static inline void fill(void *payload, uint32_t length, uint32_t seed)
{
    for (uint32_t i = 0; i < length; i++)
        ((uint8_t *)payload)[i] = byte_of(seed, i);
}

static inline void write_one(ipc_ring_writer *writer, uint32_t length, uint32_t seed)
{
    void *payload = NULL;
    CHECK_OK(ipc_ring_try_claim(writer, length, &payload));
    fill(payload, length, seed);
    CHECK_OK(ipc_ring_commit(writer, length, (uint16_t)seed));
}

static inline void expect(const ipc_record *record, uint32_t length, uint32_t seed)
{
    CHECK_EQUAL(length, record->length);
    CHECK_EQUAL((uint16_t)seed, record->type);
    for (uint32_t i = 0; i < length; i++) {
        if (((const uint8_t *)record->payload)[i] != byte_of(seed, i))
            test_fail(__FILE__, __LINE__, "byte %u of %u is wrong", i, length);
    }
}

static inline ipc_record read_one(ipc_ring_reader *reader, uint32_t length, uint32_t seed)
{
    ipc_record record;
    CHECK_OK(ipc_ring_try_read(reader, &record));
    expect(&record, length, seed);
    return record;
}

static inline uint32_t lent(const ipc_ring *ring)
{
    ipc_pool_info info;
    ipc_pool_get_info(&ring->pool, &info);
    return info.lent;
}

static inline uint64_t word_at(const ipc_ring_reader *reader, uint64_t position)
{
    return ipc_load_acquire64(ipc_record_at(reader->data, reader->capacity, position));
}

#endif
