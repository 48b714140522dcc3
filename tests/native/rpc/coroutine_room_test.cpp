// ipc/coroutines.hpp: room to send is awaited as what there is to receive is.
#include <chrono>
#include <string>
#include <thread>

#include "coroutine_held.hpp"
#include "rpc_check.hpp"

using namespace std::chrono_literals;

namespace
{

ipc_queue_options two_blocks()
{
    ipc_queue_options options = {};
    options.block_count = 2;
    options.lifetime = IPC_LIFETIME_WHILE_USED;
    return options;
}

ipc_ring_options small_ring()
{
    ipc_ring_options options = {};
    options.capacity = 4096;
    options.loan_budget = IPC_NO_LOANS;
    options.lifetime = IPC_LIFETIME_WHILE_USED; // what is unread at the end stays nowhere
    return options;
}

ipc_topic_options small_topic(ipc_policy policy)
{
    ipc_topic_options options = {};
    options.block_size = 64;
    options.block_count = 4;
    options.policy = policy;
    return options;
}

} // namespace

TEST(WhatHasRoomIsSentWithoutWaiting)
{
    ipc::queue queue("q", two_blocks());
    bool sent = false;
    auto run = [&]() -> held {
        CHECK_EQUAL(co_await queue.send_async("one", 7), IPC_OK);
        sent = true;
    };
    const held one = run();
    CHECK(sent && one.is_done());
    one.rethrow();
    ipc::queue_message message;
    CHECK_EQUAL(queue.try_receive(message), IPC_OK);
    CHECK_EQUAL(message.text(), "one");
    CHECK_EQUAL(message.type(), 7);
}

TEST(AQueuesRoomIsAwaited)
{
    ipc::queue queue("q", two_blocks()), other("q");
    ipc::run_loop loop;
    std::thread::id where;
    auto run = [&]() -> held {
        for (const char *text : {"a", "b", "c", "d"})
            CHECK_EQUAL(co_await queue.send_async(text, 1, 60s, nullptr, &loop), IPC_OK);
        ipc::queue_claim room;
        CHECK_EQUAL(co_await queue.claim_async(1, room, 60s, nullptr, &loop), IPC_OK);
        room.data()[0] = 'e';
        CHECK_EQUAL(room.commit(1, 1), IPC_OK);
        where = std::this_thread::get_id();
        loop.stop();
    };
    const held one = run();
    CHECK(!one.is_done());
    std::string got;
    std::thread receiver([&] {
        for (int i = 0; i < 5; i++) {
            ipc::queue_message message;
            CHECK_EQUAL(other.receive(message, 60s), IPC_OK);
            got += message.text();
        }
    });
    loop.run();
    receiver.join();
    one.rethrow();
    CHECK_EQUAL(got, "abcde");
    CHECK(where == std::this_thread::get_id());
}

TEST(ARingsRoomIsAwaitedAndItsReadersEndEndsThat)
{
    ipc::ring_writer writer("r", small_ring());
    ipc::ring_reader reader("r", small_ring());
    const std::string half(1500, 'x');
    ipc::run_loop loop;
    int steps = 0;
    auto run = [&]() -> held {
        while (writer.try_write(half) == IPC_OK)
            continue;
        steps = 1;
        CHECK_EQUAL(co_await writer.write_async(half, 2, 60s, nullptr, &loop), IPC_OK);
        uint8_t *place = nullptr;
        CHECK_EQUAL(co_await writer.claim_async(1500, place, 60s, nullptr, &loop), IPC_OK);
        CHECK(place != nullptr);
        CHECK_EQUAL(writer.commit(1500, 3), IPC_OK);
        while (writer.try_write(half) == IPC_OK)
            continue;
        steps = 2;
        CHECK_EQUAL(co_await writer.write_async(half, 4, 60s, nullptr, &loop), IPC_PEER_CLOSED);
        steps = 3;
    };
    const held one = run();
    CHECK_EQUAL(steps, 1);
    ipc::record next;
    run_until(loop, [&] {
        while (steps == 1 && reader.try_read(next) == IPC_OK)
            reader.release();
        return steps == 2;
    });
    reader.reset(nullptr);
    run_until(loop, [&] { return one.is_done(); });
    one.rethrow();
    CHECK_EQUAL(steps, 3);
}

TEST(ATopicsRoomIsAwaited)
{
    ipc::topic_writer writer("t", small_topic(IPC_RELIABLE));
    ipc::topic_reader reader("t", small_topic(IPC_RELIABLE));
    ipc::run_loop loop;
    std::string got;
    auto run = [&]() -> held {
        for (const char *text : {"a", "b", "c", "d", "e", "f"})
            CHECK_EQUAL(co_await writer.publish_async(text, 1, 0, 60s, nullptr, &loop), IPC_OK);
        ipc::topic_claim room;
        CHECK_EQUAL(co_await writer.claim_async(1, room, 60s, nullptr, &loop), IPC_OK);
        room.data()[0] = 'g';
        CHECK_EQUAL(room.commit(1, 1, 0), IPC_OK);
    };
    const held one = run();
    CHECK(!one.is_done());
    run_until(loop, [&] {
        ipc_message message;
        while (reader.try_read(message) == IPC_OK) {
            got += ipc::text_of(message);
            CHECK_EQUAL(reader.release(), IPC_OK);
        }
        return got.size() == 7;
    });
    one.rethrow();
    CHECK(one.is_done());
    CHECK_EQUAL(got, "abcdefg");
}

// As publish_until() does: the deadline is when a reader that may be cut off is.
TEST(WhenTheTimeIsOverATopicsWriterCutsOffWhoAllowsIt)
{
    ipc::topic_writer writer("t", small_topic(IPC_EVICT));
    ipc::topic_reader slow("t", small_topic(IPC_EVICT));
    ipc::run_loop loop;
    auto run = [&]() -> held {
        while (writer.try_publish("x") == IPC_OK)
            continue;
        CHECK_EQUAL(co_await writer.publish_async("last", 1, 0, 1ms, nullptr, &loop), IPC_OK);
    };
    const held one = run();
    run_until(loop, [&] { return one.is_done(); });
    one.rethrow();
    ipc_message message;
    CHECK_EQUAL(slow.try_read(message), IPC_EVICTED);
}

TEST(AWaitForRoomEndsAsTheSynchronousOne)
{
    ipc::queue queue("q", two_blocks());
    ipc::run_loop loop;
    ipc::cancel_source stop;
    int ended = 0;
    while (queue.try_send("x") == IPC_OK)
        continue;
    auto run = [&]() -> held {
        CHECK_EQUAL(co_await queue.send_async("y", 1, ipc::deadline::now()), IPC_TIMEOUT);
        CHECK_EQUAL(co_await queue.send_async("y", 1, 1ms, nullptr, &loop), IPC_TIMEOUT);
        ended = 1;
        CHECK_EQUAL(co_await queue.send_async("y", 1, 60s, stop.get(), &loop), IPC_CANCELLED);
        ended = 2;
        CHECK_EQUAL(co_await queue.send_async("y", 1, 60s, nullptr, &loop), IPC_STOPPED);
    };
    const held one = run();
    run_until(loop, [&] { return ended == 1; });
    stop.trigger();
    run_until(loop, [&] { return ended == 2; });
    queue.stop();
    run_until(loop, [&] { return one.is_done(); });
    one.rethrow();
}

TEST(ACoroutineThatGoesWhileItWaitsForRoomHasSentNothing)
{
    ipc::queue queue("q", two_blocks());
    ipc::run_loop loop;
    while (queue.try_send("x") == IPC_OK)
        continue;
    auto run = [&]() -> held { CHECK_EQUAL(co_await queue.send_async("y", 1, 60s, nullptr, &loop), IPC_OK); };
    {
        const held gone = run();
        CHECK(!gone.is_done());
    }
    ipc::queue_message message;
    while (queue.try_receive(message) == IPC_OK)
        CHECK_EQUAL(message.text(), "x");
    loop.poll();
    CHECK_EQUAL(queue.try_receive(message), IPC_EMPTY);
}
