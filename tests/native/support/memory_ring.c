#include "memory_ring.h"

#include "test.h"

static ipc_peer_state writer_state(void *owner)
{
    return (ipc_peer_state)((memory_ring *)owner)->writer_state;
}

static ipc_peer_state reader_state(void *owner)
{
    return (ipc_peer_state)((memory_ring *)owner)->reader_state;
}

static bool attend(void *owner)
{
    (void)owner;
    return true;
}

static void corrupt(void *owner)
{
    ((memory_ring *)owner)->corruptions++;
}

static const ipc_ring_peer *peer_of_writer(memory_ring *memory, ipc_ring_peer *peer)
{
    *peer = (ipc_ring_peer){.state = reader_state, .attend = attend, .corrupt = corrupt, .owner = memory};
    return peer;
}

static const ipc_ring_peer *peer_of_reader(memory_ring *memory, ipc_ring_peer *peer)
{
    *peer = (ipc_ring_peer){.state = writer_state, .attend = attend, .corrupt = corrupt, .owner = memory};
    return peer;
}

void memory_ring_open(memory_ring *memory, uint64_t capacity, uint64_t position, ipc_wait_mode mode)
{
    ipc_ring_peer peer;
    memset(memory, 0, sizeof *memory);
    memory->ring.header = test_allocate(4096, IPC_RING_HEADER_SIZE * 4);
    memory->ring.data = test_allocate(4096, capacity);
    memset(memory->ring.header, 0, IPC_RING_HEADER_SIZE);
    memset(memory->ring.data, 0, capacity);
    memory->ring.capacity = capacity;
    memory->writer_state = IPC_PEER_LIVE;
    memory->reader_state = IPC_PEER_LIVE;
    ipc_ring_write_header(memory->ring.header, capacity, 0, 0);
    ipc_store_relaxed64(&memory->ring.header->read_position, position);
    ipc_store_relaxed64(&memory->ring.header->free_position, position);
    CHECK_OK(ipc_ring_writer_start(&memory->writer, &memory->ring, false, mode, peer_of_writer(memory, &peer)));
    CHECK_OK(ipc_ring_reader_start(&memory->reader, &memory->ring, false, mode, peer_of_reader(memory, &peer)));
}

void memory_ring_close(memory_ring *memory)
{
    test_free(memory->ring.header);
    test_free(memory->ring.data);
}

ipc_status memory_ring_restart_writer(memory_ring *memory)
{
    ipc_ring_peer peer;
    memset(&memory->writer, 0, sizeof memory->writer);
    return ipc_ring_writer_start(&memory->writer, &memory->ring, false, IPC_WAIT_ADAPTIVE,
                                 peer_of_writer(memory, &peer));
}

ipc_status memory_ring_restart_reader(memory_ring *memory, bool predecessor_died)
{
    ipc_ring_peer peer;
    memset(&memory->reader, 0, sizeof memory->reader);
    return ipc_ring_reader_start(&memory->reader, &memory->ring, predecessor_died, IPC_WAIT_ADAPTIVE,
                                 peer_of_reader(memory, &peer));
}

uint64_t memory_ring_word(const memory_ring *memory, uint64_t position)
{
    return ipc_load_acquire64(ipc_record_at(memory->ring.data, memory->ring.capacity, position));
}

void memory_ring_set_word(memory_ring *memory, uint64_t position, uint64_t word)
{
    ipc_store_release64(ipc_record_at(memory->ring.data, memory->ring.capacity, position), word);
}

void memory_ring_check_zeroes(const memory_ring *memory, uint64_t tail)
{
    const uint64_t end = ipc_load_acquire64(&memory->ring.header->free_position) + memory->ring.capacity;
    for (uint64_t position = tail; position < end; position += IPC_LINE) {
        if (memory_ring_word(memory, position) != 0)
            test_fail(__FILE__, __LINE__, "the line at %llu begins with %llx", (unsigned long long)position,
                      (unsigned long long)memory_ring_word(memory, position));
    }
}

void *memory_ring_claim(memory_ring *memory, uint32_t length)
{
    void *payload = NULL;
    CHECK_OK(ipc_ring_try_claim(&memory->writer, length, &payload));
    return payload;
}

void memory_ring_write(memory_ring *memory, uint32_t length, int byte, uint16_t type)
{
    memset(memory_ring_claim(memory, length), byte, length);
    CHECK_OK(ipc_ring_commit(&memory->writer, length, type));
}

ipc_record memory_ring_read(memory_ring *memory)
{
    ipc_record record;
    CHECK_OK(ipc_ring_try_read(&memory->reader, &record));
    return record;
}

void memory_ring_expect(memory_ring *memory, uint32_t length, int byte, uint16_t type)
{
    const ipc_record record = memory_ring_read(memory);
    CHECK_EQUAL(length, record.length);
    CHECK_EQUAL(type, record.type);
    for (uint32_t i = 0; i < length; i++)
        CHECK_EQUAL(byte, ((const uint8_t *)record.payload)[i]);
}

void memory_ring_expect_empty(memory_ring *memory)
{
    ipc_record record;
    CHECK_STATUS(IPC_EMPTY, ipc_ring_try_read(&memory->reader, &record));
}
