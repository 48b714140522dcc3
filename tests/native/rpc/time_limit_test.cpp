// How long a call of ipc.hpp may wait: a duration costs no look at the clock where there is nothing to wait for.
#include <atomic>
#include <chrono>
#include <limits>
#include <string>
#include <thread>

#include "ipc.hpp"
#include "ipc/coroutines.hpp"
#include "rpc_check.hpp"

using namespace std::chrono_literals;

extern "C" unsigned clock_reads(void); // of this thread: support/counted_clock.c
extern "C" unsigned clock_reads_of_all(void);

namespace
{

// How often this thread asks for the time meanwhile.
template <class Code> unsigned reads_of(Code &&code)
{
    const unsigned before = clock_reads();
    code();
    return clock_reads() - before;
}

template <class Code> void lasts(std::chrono::milliseconds at_least, Code &&code)
{
    const auto began = std::chrono::steady_clock::now();
    CHECK_EQUAL(code(), IPC_TIMEOUT);
    CHECK(std::chrono::steady_clock::now() - began >= at_least);
}

ipc_topic_options eight_slots(ipc_policy policy)
{
    ipc_topic_options options{};
    options.block_size = 64;
    options.block_count = 8;
    options.loan_budget = IPC_NO_LOANS;
    options.policy = policy;
    return options;
}

} // namespace

TEST(TheClockIsCounted)
{
    ipc::ring_reader reader("ring");
    ipc::record got;
    CHECK(reads_of([&] { CHECK_EQUAL(reader.read(got, 1ns), IPC_TIMEOUT); }) > 0);
    CHECK_EQUAL(reads_of([&] { (void)ipc::deadline(1h); }), 1u);
    CHECK_EQUAL(reads_of([&] { (void)ipc::time_limit(1h); }), 0u);
}

TEST(WhatNeedNotWaitReadsNoClock)
{
    ipc::ring_writer writer("ring");
    ipc::ring_reader reader("ring");
    ipc::queue queue("queue");
    ipc::topic_writer publisher("topic");
    ipc::topic_reader subscriber("topic");
    ipc::shared_mutex mutex("mutex");
    ipc::shared_semaphore semaphore("semaphore");
    ipc::shared_event event("event");
    event.set();
    CHECK_EQUAL(reads_of([&] {
                    uint8_t *place = nullptr;
                    ipc::record record;
                    writer.write("one", 1, 1h);
                    CHECK_EQUAL(writer.write_until("two", 1, 1h), IPC_OK);
                    CHECK_EQUAL(writer.claim(1, place, 1h), IPC_OK);
                    CHECK_EQUAL(writer.commit(1), IPC_OK);
                    CHECK_EQUAL(writer.wait_for_peer(1h), IPC_OK);
                    CHECK_EQUAL(reader.wait_for_peer(1h), IPC_OK);
                    CHECK_EQUAL(reader.wait(1h), IPC_OK);
                    CHECK_EQUAL(reader.read(record, 1h), IPC_OK);
                    CHECK_EQUAL(record.text(), "one");
                    CHECK_EQUAL(reader.read(record, 1h), IPC_OK);
                    CHECK_EQUAL(reader.read(record, 1h), IPC_OK);
                    reader.release();
                    CHECK_EQUAL(reader.read(record, 0h), IPC_TIMEOUT);
                }),
                0u);
    CHECK_EQUAL(reads_of([&] {
                    ipc::queue_claim claim;
                    ipc::queue_message message;
                    queue.send("one", 1, 1h);
                    CHECK_EQUAL(queue.send_until("two", 1, 1h), IPC_OK);
                    CHECK_EQUAL(queue.claim(1, claim, 1h), IPC_OK);
                    CHECK_EQUAL(claim.commit(), IPC_OK);
                    CHECK_EQUAL(queue.wait(1h), IPC_OK);
                    for (int i = 0; i < 3; i++)
                        CHECK_EQUAL(queue.receive(message, 1h), IPC_OK);
                    message.release();
                }),
                0u);
    CHECK_EQUAL(reads_of([&] {
                    ipc::topic_claim claim;
                    ipc::topic_message message;
                    CHECK_EQUAL(publisher.wait_for_readers(1, 1h), IPC_OK);
                    publisher.publish("one", 1, 7, 1h);
                    CHECK_EQUAL(publisher.publish_until("two", 1, 7, 1h), IPC_OK);
                    CHECK_EQUAL(publisher.claim(1, claim, 1h), IPC_OK);
                    CHECK_EQUAL(claim.commit(1), IPC_OK);
                    CHECK_EQUAL(subscriber.wait(1h), IPC_OK);
                    for (int i = 0; i < 3; i++)
                        CHECK_EQUAL(subscriber.read(message, 1h), IPC_OK);
                    CHECK_EQUAL(subscriber.release(), IPC_OK);
                }),
                0u);
    CHECK_EQUAL(reads_of([&] {
                    CHECK_EQUAL(mutex.acquire(1h), IPC_OK);
                    mutex.release();
                    CHECK_EQUAL(semaphore.acquire(1h), IPC_OK);
                    semaphore.release();
                    CHECK_EQUAL(event.wait(1h), IPC_OK);
                }),
                0u);
}

TEST(AnEventThatIsThereReadsNoClock)
{
    ipc::listener listener("echo");
    ipc::connection client;
    std::thread connecting([&] {
        ipc_connect_options options{};
        options.deadline = ipc_deadline_after(60'000'000'000);
        CHECK_EQUAL(ipc::connection::try_connect("echo", options, client), IPC_OK);
    });
    ipc_event event{};
    CHECK_EQUAL(listener.next(event, 60s), IPC_OK);
    CHECK_EQUAL(ipc_connection_accept(event.connection), IPC_OK);
    listener.give_back(event.connection);
    connecting.join();
    client.writer().write("question", 3, 1h);
    CHECK_EQUAL(reads_of([&] { CHECK_EQUAL(listener.next(event, 1h), IPC_OK); }), 0u);
    CHECK_EQUAL(event.kind, IPC_EVENT_READABLE);
    ipc::connection server(event.connection);
    ipc::record got;
    CHECK_EQUAL(reads_of([&] { CHECK_EQUAL(server.reader().read(got, 1h), IPC_OK); }), 0u);
    server.reader().release();
}

TEST(AMessageOfANamedConnectionThatIsThereReadsNoClock)
{
    ipc::named_listener listener("exchange");
    ipc::named_connection client("exchange", "trader");
    std::thread logging_in([&client] { client.connect(60s); });
    ipc_named_event event;
    CHECK_EQUAL(listener.next(event, 60s), IPC_OK);
    ipc::named_ref server(event.connection);
    CHECK_EQUAL(server.accept(), IPC_OK);
    logging_in.join();
    client.send("one");
    CHECK_EQUAL(reads_of([&] { CHECK_EQUAL(listener.next(event, 1h), IPC_OK); }), 0u);
    ipc::named_message message;
    CHECK_EQUAL(reads_of([&] { CHECK_EQUAL(server.receive(message, 1h), IPC_OK); }), 0u);
    CHECK_EQUAL(message.text(), "one");
    server.acknowledge();
    listener.give_back(server);
    lasts(20ms, [&] { return client.receive(message, 20ms); });
    lasts(20ms, [&] { return listener.next(event, 20ms); });
    client.close();
    listener.close();
    CHECK_EQUAL(ipc::named_connection::try_remove("exchange", "trader"), IPC_OK);
}

TEST(AWaitLastsAsLongAsItsDurationEachTime)
{
    ipc_ring_options small{};
    small.capacity = 4096;
    small.loan_budget = IPC_NO_LOANS;
    ipc::ring_writer writer("ring", small);
    const ipc::time_limit limit = 20ms;
    lasts(20ms, [&] { return writer.wait_for_peer(limit); });
    ipc::ring_reader reader("ring", small);
    ipc::record record;
    lasts(20ms, [&] { return reader.read(record, limit); });
    lasts(20ms, [&] { return reader.wait(limit); });
    const std::string large(1000, 'x');
    while (writer.try_write(large) == IPC_OK) {
    }
    uint8_t *place = nullptr;
    lasts(20ms, [&] { return writer.claim(1000, place, limit); });
    lasts(20ms, [&] { return writer.write_until(large, 0, limit); });
    while (reader.try_read(record) == IPC_OK) // or they would stay, and the ring with them
        reader.release();

    ipc::topic_writer publisher("topic", eight_slots(IPC_RELIABLE));
    lasts(20ms, [&] { return publisher.wait_for_readers(1, limit); });
    ipc::topic_reader subscriber("topic", eight_slots(IPC_RELIABLE));
    ipc::topic_message message;
    lasts(20ms, [&] { return subscriber.read(message, limit); });
    lasts(20ms, [&] { return subscriber.wait(limit); });
    while (publisher.try_publish("x") == IPC_OK) {
    }
    ipc::topic_claim claim;
    lasts(20ms, [&] { return publisher.claim(1, claim, limit); });
    lasts(20ms, [&] { return publisher.publish_until("x", 0, 0, limit); });

    ipc_queue_options few{};
    few.block_count = 2;
    ipc::queue queue("queue", few);
    ipc::queue_message job;
    lasts(20ms, [&] { return queue.wait(limit); });
    lasts(20ms, [&] { return queue.receive(job, limit); });
    while (queue.try_send("x") == IPC_OK) {
    }
    ipc::queue_claim room;
    lasts(20ms, [&] { return queue.claim(1, room, limit); });
    lasts(20ms, [&] { return queue.send_until("x", 0, limit); });
    while (queue.try_receive(job) == IPC_OK) {
    }

    ipc::shared_mutex mutex("mutex"), other("mutex");
    CHECK_EQUAL(mutex.acquire(), IPC_OK);
    lasts(20ms, [&] { return other.acquire(limit); });
    mutex.release();
    ipc::shared_event event("event");
    lasts(20ms, [&] { return event.wait(limit); });
    ipc::listener listener("echo");
    ipc_event next{};
    lasts(20ms, [&] { return listener.next(next, limit); });
}

// IPC_NOW would have cut it off.
TEST(TheFirstLookOfAWriterEvictsNobody)
{
    ipc::topic_writer writer("topic", eight_slots(IPC_EVICT));
    ipc::topic_reader reader("topic", eight_slots(IPC_EVICT));
    ipc::topic_message message;
    for (int round = 0; round < 2; round++) {
        while (writer.try_publish("x") == IPC_OK) {
        }
        std::atomic<ipc::status> published = IPC_EMPTY;
        const unsigned before = clock_reads_of_all();
        std::thread publishing([&] {
            ipc::topic_claim claim;
            published = round == 0 ? writer.publish_until("y", 0, 0, 1h) : writer.claim(1, claim, 1h);
        });
        while (published == IPC_EMPTY && clock_reads_of_all() == before) // it has not begun to wait
            std::this_thread::yield();
        CHECK_EQUAL(reader.read(message, ipc::deadline::now()), IPC_OK);
        CHECK_EQUAL(reader.release(), IPC_OK);
        publishing.join();
        CHECK_EQUAL(published.load(), IPC_OK);
        while (reader.try_read(message) == IPC_OK) {
        }
        CHECK_EQUAL(reader.release(), IPC_OK);
    }
    while (writer.try_publish("x") == IPC_OK) {
    }
    CHECK_EQUAL(writer.publish_until("z", 0, 0, 20ms), IPC_OK); // now it is
    CHECK_EQUAL(reader.try_read(message), IPC_EVICTED);
}

TEST(WhatEndsAWaitEndsOneOfADuration)
{
    ipc_ring_options small{};
    small.capacity = 4096;
    small.loan_budget = IPC_NO_LOANS;
    ipc::ring_writer writer("ring", small);
    ipc::ring_reader reader("ring", small);
    ipc::record record;
    ipc::cancel_source cancelled;
    cancelled.trigger();
    CHECK_EQUAL(reader.read(record, 1h, cancelled.get()), IPC_CANCELLED);
    reader.stop();
    CHECK_EQUAL(reader.read(record, 1h), IPC_STOPPED);
    CHECK_EQUAL(reader.wait(1h), IPC_STOPPED);
    reader.resume();
    std::thread writing([&] { writer.write("in time", 0, 1h); });
    CHECK_EQUAL(reader.read(record, 1h), IPC_OK);
    CHECK_EQUAL(record.text(), "in time");
    reader.release();
    writing.join();
    writer = ipc::ring_writer();
    CHECK_EQUAL(reader.read(record, 1h), IPC_PEER_CLOSED);
}

TEST(ALimitIsADeadlineOrADuration)
{
    constexpr ipc::time_limit never;
    static_assert(!never.is_duration());
    static_assert(ipc::time_limit(1h).is_duration());
    static_assert(!ipc::time_limit(ipc::deadline(ipc_deadline(17))).is_duration());
    CHECK_EQUAL(never.at(), IPC_FOREVER);
    CHECK_EQUAL(ipc::time_limit(ipc::deadline(ipc_deadline(17))).at(), 17u);
    CHECK_EQUAL(ipc::time_limit(0ms).at(), IPC_NOW);
    CHECK_EQUAL(ipc::time_limit(-5s).at(), IPC_NOW);
    CHECK_EQUAL(ipc::time_limit(std::chrono::hours::min()).at(), IPC_NOW);
    CHECK_EQUAL(ipc::time_limit(std::chrono::hours::max()).at(), IPC_FOREVER);
    CHECK_EQUAL(ipc::time_limit(std::chrono::duration<double>(std::numeric_limits<double>::quiet_NaN())).at(), IPC_NOW);
    const ipc_deadline before = ipc_deadline_after(0);
    const ipc_deadline at = ipc::time_limit(1h).at();
    CHECK(at >= before + 3'600'000'000'000 && at <= ipc_deadline_after(3'600'000'000'000));
}

#if defined(__cpp_impl_coroutine)

namespace
{

// Runs until its first wait that has to wait.
struct task {
    struct promise_type {
        task get_return_object() noexcept
        {
            return {};
        }
        std::suspend_never initial_suspend() noexcept
        {
            return {};
        }
        std::suspend_never final_suspend() noexcept
        {
            return {};
        }
        void return_void() noexcept
        {
        }
        void unhandled_exception() noexcept
        {
            std::abort();
        }
    };
};

struct seen {
    unsigned reads = 17;
    ipc::status sent = IPC_EMPTY;
    ipc::status received = IPC_EMPTY;
    ipc::status late = IPC_EMPTY;
    std::chrono::steady_clock::duration waited{};
    check::signal done;
};

task send_and_receive(ipc::queue &queue, seen &saw)
{
    ipc::queue_message message;
    const unsigned before = clock_reads();
    saw.sent = co_await queue.send_async("x", uint16_t{0}, 1h);
    saw.received = co_await queue.receive_async(message, 1h);
    saw.reads = clock_reads() - before;
    message.release();
    const auto began = std::chrono::steady_clock::now();
    saw.late = co_await queue.receive_async(message, 20ms);
    saw.waited = std::chrono::steady_clock::now() - began;
    saw.done.set();
}

} // namespace

#endif

TEST(WhatIsAwaitedAndThereReadsNoClock)
{
#if defined(__cpp_impl_coroutine)
    ipc::queue queue("queue");
    seen saw;
    send_and_receive(queue, saw);
    saw.done.wait();
    CHECK_EQUAL(saw.sent, IPC_OK);
    CHECK_EQUAL(saw.received, IPC_OK);
    CHECK_EQUAL(saw.reads, 0u);
    CHECK_EQUAL(saw.late, IPC_TIMEOUT);
    CHECK(saw.waited >= 20ms);
#endif
}

int main(int argc, char **argv)
{
    return check::run(argc, argv);
}
