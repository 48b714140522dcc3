/* docs/wire-format.md typed a second time: each number here was read from the page, not from the headers. */
#include "layout/connection_layout.h"
#include "layout/listener_layout.h"
#include "layout/named_layout.h"
#include "layout/queue_layout.h"
#include "layout/region_layout.h"
#include "layout/ring_layout.h"
#include "layout/topic_layout.h"
#include "platform/siphash.h"
#include "slots/slot.h"
#include "test.h"

#define AT(type, field, offset, size)                                                                                  \
    do {                                                                                                               \
        CHECK_EQUAL(offset, offsetof(type, field));                                                                    \
        CHECK_EQUAL(size, sizeof(((type *)NULL)->field));                                                              \
    } while (0)

TEST(the_region_header_is_section_2)
{
    AT(ipc_region_header, magic, 0, 8);
    AT(ipc_region_header, major, 8, 2);
    AT(ipc_region_header, minor, 10, 2);
    AT(ipc_region_header, kind, 12, 4);
    AT(ipc_region_header, total_size, 16, 8);
    AT(ipc_region_header, participant_offset, 24, 4);
    AT(ipc_region_header, participant_capacity, 28, 4);
    AT(ipc_region_header, body_offset, 32, 8);
    AT(ipc_region_header, body_size, 40, 8);
    AT(ipc_region_header, region_id, 48, 16);
    AT(ipc_region_header, created, 64, 8);
    AT(ipc_region_header, creator_pid, 72, 4);
    AT(ipc_region_header, lifetime, 76, 4);
    AT(ipc_region_header, state, 128, 4);
    AT(ipc_region_header, recoveries, 132, 4);
    AT(ipc_region_header, change, 256, 64);
    const uint64_t magic = IPC_REGION_MAGIC;
    CHECK(memcmp("IPCRGN1\n", &magic, 8) == 0);
    CHECK_EQUAL(0x4000000000000000, IPC_LOCK_PARTICIPANTS);
    CHECK_EQUAL(0x3FFFFFFFFFFFFFFF, IPC_LOCK_REGION);
}

TEST(the_participant_entry_is_section_2)
{
    CHECK_EQUAL(128, sizeof(ipc_participant));
    AT(ipc_participant, state, 0, 4);
    AT(ipc_participant, generation, 4, 4);
    AT(ipc_participant, pid, 8, 4);
    AT(ipc_participant, role, 12, 4);
    AT(ipc_participant, start_time, 16, 8);
    AT(ipc_participant, attached, 24, 8);
    AT(ipc_participant, pid_namespace, 32, 8);
    AT(ipc_participant, runtime, 40, 4);
    AT(ipc_participant, ended, 44, 4);
    AT(ipc_participant, spin, 64, 8);
    AT(ipc_participant, room_spin, 72, 8);
    CHECK_EQUAL(1024, IPC_PARTICIPANT_OFFSET);
}

TEST(the_waiter_is_section_3)
{
    CHECK_EQUAL(64, sizeof(ipc_waiter));
    AT(ipc_waiter, word, 0, 4);
    AT(ipc_waiter, fence_required, 4, 4);
    AT(ipc_waiter, wanted, 8, 4);
    AT(ipc_waiter, asleep, 16, 48);
}

TEST(the_named_header_is_section_14)
{
    CHECK_EQUAL(3072, sizeof(ipc_named_header));
    AT(ipc_named_header, magic, 0, 4);
    AT(ipc_named_header, to_server, 8, 8);
    AT(ipc_named_header, to_client, 16, 8);
    AT(ipc_named_header, server_length, 24, 4);
    AT(ipc_named_header, client_length, 28, 4);
    AT(ipc_named_header, server, 32, 120);
    AT(ipc_named_header, client, 160, 120);
    AT(ipc_named_header, client_is_bound, 288, 4);
    AT(ipc_named_header, server_is_bound, 292, 4);
    AT(ipc_named_header, client_bound, 296, 16);
    AT(ipc_named_header, server_bound, 312, 16);
    AT(ipc_named_header, identity_length, 384, 4);
    AT(ipc_named_header, reply_length, 388, 4);
    AT(ipc_named_header, identity, 392, 120);
    AT(ipc_named_header, reply, 512, 1024);
    AT(ipc_named_header, login_length, 1664, 4);
    AT(ipc_named_header, login, 1672, 1024);
    CHECK_EQUAL(0x444D414E, IPC_NAMED_MAGIC);
    CHECK_EQUAL(3072, IPC_NAMED_TO_SERVER);
    CHECK_EQUAL(4096, IPC_NAMED_TO_CLIENT);
    CHECK_EQUAL(10, IPC_KIND_NAMED);
}

TEST(the_ring_header_is_section_4)
{
    CHECK_EQUAL(1024, sizeof(ipc_ring_header));
    AT(ipc_ring_header, magic, 0, 4);
    AT(ipc_ring_header, capacity, 8, 8);
    AT(ipc_ring_header, data_offset, 16, 8);
    AT(ipc_ring_header, writer, 128, 4);
    AT(ipc_ring_header, writer_state, 132, 4);
    AT(ipc_ring_header, reader, 136, 4);
    AT(ipc_ring_header, reader_state, 140, 4);
    AT(ipc_ring_header, redeliver_until, 144, 8);
    AT(ipc_ring_header, read_position, 256, 8);
    AT(ipc_ring_header, acknowledged, 272, 8);
    AT(ipc_ring_header, free_position, 384, 8);
    AT(ipc_ring_header, data, 512, 64);
    AT(ipc_ring_header, space, 640, 64);
    AT(ipc_ring_header, reader_spin, 768, 8);
    AT(ipc_ring_header, writer_spin, 896, 8);
    const uint32_t magic = IPC_RING_MAGIC;
    CHECK(memcmp("RING", &magic, 4) == 0);
    CHECK_EQUAL(4096, IPC_RING_CAPACITY_MIN);
    CHECK_EQUAL(1073741824, IPC_RING_CAPACITY_MAX);
}

TEST(the_record_header_is_section_4)
{
    CHECK_EQUAL(0x8000000000000000, ipc_record_word(0, 0));
    CHECK_EQUAL(0x8000FFFFFFFFFFFF, ipc_record_word(UINT32_MAX, UINT16_MAX));
    CHECK_EQUAL(0xC000000000000038, ipc_record_padding(64));
    CHECK_EQUAL(64, ipc_record_size(0));
    CHECK_EQUAL(64, ipc_record_size(56));
    CHECK_EQUAL(128, ipc_record_size(57));
}

TEST(the_listener_is_section_5)
{
    AT(ipc_listener_body, magic, 0, 4);
    AT(ipc_listener_body, slot_count, 4, 4);
    AT(ipc_listener_body, slots_offset, 8, 8);
    AT(ipc_listener_body, ready_offset, 16, 8);
    AT(ipc_listener_body, max_ring_capacity, 24, 8);
    AT(ipc_listener_body, hands_over, 36, 4);
    AT(ipc_listener_body, server_state, 128, 4);
    AT(ipc_listener_body, doorbell, 256, 64);
    CHECK_EQUAL(128, sizeof(ipc_slot));
    AT(ipc_slot, word, 0, 8);
    CHECK_EQUAL(0x0123456789ABCD02, ipc_slot_of(0x0123456789ABCD, IPC_SLOT_REQUESTED));
    CHECK_EQUAL(0x0123456789ABCD, ipc_slot_id(0x0123456789ABCD02));
    CHECK_EQUAL(2, ipc_slot_state(0x0123456789ABCD02));
    const uint32_t magic = IPC_LISTENER_MAGIC;
    CHECK(memcmp("LSTN", &magic, 4) == 0);
}

TEST(the_connection_is_section_6)
{
    CHECK_EQUAL(1024, sizeof(ipc_connection_body));
    AT(ipc_connection_body, magic, 0, 4);
    AT(ipc_connection_body, slot, 4, 4);
    AT(ipc_connection_body, to_server, 8, 8);
    AT(ipc_connection_body, to_client, 16, 8);
    AT(ipc_connection_body, connection_id, 24, 8);
    AT(ipc_connection_body, reply, 128, 4);
    AT(ipc_connection_body, server_close, 132, 4);
    AT(ipc_connection_body, server_text_length, 136, 4);
    AT(ipc_connection_body, server_text, 144, 240);
    AT(ipc_connection_body, server_handled, 384, 8);
    AT(ipc_connection_body, client_close, 512, 4);
    AT(ipc_connection_body, hello_length, 516, 4);
    AT(ipc_connection_body, hello, 528, 240);
    AT(ipc_connection_body, session, 768, 64);
    const uint32_t magic = IPC_CONNECTION_MAGIC;
    CHECK(memcmp("CONN", &magic, 4) == 0);
}

TEST(the_slot_is_section_8)
{
    CHECK_EQUAL(32, sizeof(ipc_block_slot));
    AT(ipc_block_slot, state, 0, 8);
    AT(ipc_block_slot, length, 8, 4);
    AT(ipc_block_slot, type, 12, 2);
    AT(ipc_block_slot, flags, 14, 2);
    AT(ipc_block_slot, key, 16, 8);
    AT(ipc_block_slot, loan_lap, 24, 4);
    AT(ipc_block_slot, fetched, 28, 4);
    CHECK_EQUAL(128, ipc_block_stride(8));
    CHECK_EQUAL(128, ipc_block_stride(96));
    CHECK_EQUAL(256, ipc_block_stride(104));
    CHECK_EQUAL(0x0000000700050102, ipc_slot_word(7, 5, IPC_SLOT_SEALED, IPC_PHASE_READY));
    CHECK_EQUAL(0xFFFFFFFFFFFF0203, ipc_slot_word(UINT32_MAX, 0xFFFF, IPC_SLOT_REDELIVERED, IPC_PHASE_READING));
    CHECK_EQUAL(0x0000000300000404, ipc_slot_word(3, 0, IPC_SLOT_RECLAIMED, IPC_PHASE_GAP));
    CHECK(ipc_slot_ahead(ipc_slot_word(0, 0, 0, IPC_PHASE_FREE), UINT32_MAX) == 1);
    CHECK(ipc_slot_ahead(ipc_slot_word(UINT32_MAX, 0, 0, IPC_PHASE_FREE), 0) == -1);
}

TEST(the_queue_is_section_9)
{
    CHECK_EQUAL(1024, sizeof(ipc_queue_header));
    AT(ipc_queue_header, magic, 0, 4);
    AT(ipc_queue_header, block_size, 4, 4);
    AT(ipc_queue_header, slot_count, 8, 4);
    AT(ipc_queue_header, segment_limit, 12, 4);
    AT(ipc_queue_header, stride, 16, 8);
    AT(ipc_queue_header, segments_offset, 24, 8);
    AT(ipc_queue_header, segment_stride, 32, 8);
    AT(ipc_queue_header, flags, 40, 4);
    AT(ipc_queue_header, min_expansion_distance, 44, 4);
    AT(ipc_queue_header, pool_offset, 48, 8);
    AT(ipc_queue_header, segments, 128, 4);
    AT(ipc_queue_header, growth_failures, 132, 4);
    AT(ipc_queue_header, send, 256, 8);
    AT(ipc_queue_header, receive, 384, 8);
    AT(ipc_queue_header, data, 512, 64);
    AT(ipc_queue_header, space, 640, 64);
    AT(ipc_queue_header, orphans, 768, 8);
    AT(ipc_queue_header, orphans_cleared, 776, 8);
    AT(ipc_queue_header, redelivered, 896, 8);
    AT(ipc_queue_header, dropped, 904, 8);
    CHECK_EQUAL(384, sizeof(ipc_queue_segment));
    AT(ipc_queue_segment, tail, 0, 8);
    AT(ipc_queue_segment, head, 128, 8);
    AT(ipc_queue_segment, next, 256, 8);
    const uint32_t magic = IPC_QUEUE_MAGIC;
    CHECK(memcmp("QUEU", &magic, 4) == 0);
}

TEST(the_topic_is_section_10)
{
    AT(ipc_topic_header, magic, 0, 4);
    AT(ipc_topic_header, block_size, 4, 4);
    AT(ipc_topic_header, slot_count, 8, 4);
    AT(ipc_topic_header, max_readers, 12, 4);
    AT(ipc_topic_header, stride, 16, 8);
    AT(ipc_topic_header, slots_offset, 24, 8);
    AT(ipc_topic_header, readers_offset, 32, 8);
    AT(ipc_topic_header, flags, 40, 4);
    AT(ipc_topic_header, pool_offset, 48, 8);
    AT(ipc_topic_header, tail, 128, 8);
    AT(ipc_topic_header, evictions, 136, 8);
    AT(ipc_topic_header, data, 256, 64);
    AT(ipc_topic_header, space, 384, 64);
    AT(ipc_topic_header, active, 512, 512);
    CHECK_EQUAL(1024, sizeof(ipc_topic_header));
    CHECK_EQUAL(0x43504F54, IPC_TOPIC_MAGIC);
    AT(ipc_topic_entry, state, 0, 4);
    AT(ipc_topic_entry, policy, 4, 4);
    AT(ipc_topic_entry, cursor, 8, 8);
    AT(ipc_topic_entry, lost, 16, 8);
    AT(ipc_topic_entry, joined, 24, 8);
    AT(ipc_topic_entry, evicted_at, 32, 8);
    CHECK_EQUAL(128, sizeof(ipc_topic_entry));
    CHECK_EQUAL(0, IPC_RELIABLE);
    CHECK_EQUAL(1, IPC_EVICT);
    CHECK_EQUAL(2, IPC_LOSSY);
    CHECK_EQUAL(3, IPC_LATEST);
}

/* docs/wire-format/windows.md section 5, and the table of SipHash's authors. */
TEST(the_names_of_events_are_hashed_as_the_page_says)
{
    uint8_t key[16];
    uint64_t message[2];
    for (uint8_t i = 0; i < 16; i++)
        key[i] = i;
    memcpy(message, key, sizeof message);
    CHECK_EQUAL(0x3f2acc7f57c29bdb, ipc_siphash_of(key, message[0], message[1]));
}
