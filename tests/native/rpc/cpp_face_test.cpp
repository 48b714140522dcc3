// ipc.hpp: owners, errors, deadlines. What the calls themselves do is tested in C.
#include <limits>
#include <thread>

#include "ipc.hpp"
#include "rpc_check.hpp"

using namespace std::chrono_literals;

namespace
{

template <class Code> ipc::status thrown_by(Code &&code)
{
    try {
        code();
    } catch (const ipc::error &failure) {
        CHECK(std::strstr(failure.what(), ipc_status_name(failure.code())) != nullptr);
        return failure.code();
    }
    return IPC_OK;
}

} // namespace

TEST(ARecordPassesFromWriterToReader)
{
    ipc::ring_writer writer("ring");
    ipc::ring_reader reader("ring");
    writer.write("hello", 7);
    ipc::record got;
    CHECK_EQUAL(reader.read(got, 60s), IPC_OK);
    CHECK_EQUAL(got.text(), "hello");
    CHECK_EQUAL(got.type, 7);
    reader.release();
    CHECK_EQUAL(reader.try_read(got), IPC_EMPTY);
}

TEST(AClaimIsFilledInPlaceAndOnlyCommittedBytesGo)
{
    ipc::ring_writer writer("ring");
    ipc::ring_reader reader("ring");
    uint8_t *place = nullptr;
    CHECK_EQUAL(writer.try_claim(100, place), IPC_OK);
    std::memcpy(place, "abc", 3);
    CHECK_EQUAL(writer.commit(3), IPC_OK);
    CHECK_EQUAL(writer.try_claim(10, place), IPC_OK);
    writer.abandon();
    ipc::record got;
    CHECK_EQUAL(reader.try_read(got), IPC_OK);
    CHECK_EQUAL(got.text(), "abc");
    CHECK_EQUAL(reader.try_read(got), IPC_EMPTY);
    reader.release();
}

TEST(AnEndThatIsMovedKeepsWorkingAndTheOldOneIsEmpty)
{
    ipc::ring_writer first("ring");
    ipc::ring_reader reader("ring");
    ipc::ring_writer second = std::move(first);
    CHECK(first.get() == nullptr);
    second.write("moved");
    ipc::record got;
    CHECK_EQUAL(reader.read(got, 60s), IPC_OK);
    CHECK_EQUAL(got.text(), "moved");
    reader.release();
}

TEST(AnEndThatIsMovedToItselfStaysWhatItWas)
{
    ipc::ring_writer writer("ring");
    ipc::ring_writer &same = writer;
    writer = std::move(same);
    CHECK(writer);
    CHECK_EQUAL(writer.try_write("still here"), IPC_OK);
    ipc::ring_reader reader("ring"); // or it would stay, with what is in it
    ipc::record record;
    CHECK_EQUAL(reader.try_read(record), IPC_OK);
    reader.release();
}

TEST(AnEndThatGoesOutOfScopeLeaves)
{
    ipc::ring_reader reader("ring");
    {
        ipc::ring_writer writer("ring");
        writer.write("last words");
        CHECK_EQUAL(reader.peer(), IPC_PEER_LIVE);
    }
    ipc::record got;
    CHECK_EQUAL(reader.read(got, 60s), IPC_OK);
    CHECK_EQUAL(got.text(), "last words");
    reader.release();
    CHECK_EQUAL(reader.read(got, 60s), IPC_PEER_CLOSED);
}

TEST(OpeningThrowsWhatTheLibrarySays)
{
    CHECK_EQUAL(thrown_by([] { ipc::ring_writer writer("no/slashes"); }), IPC_E_INVALID_NAME);
    ipc::ring_writer writer("ring");
    CHECK_EQUAL(thrown_by([] { ipc::ring_writer second("ring"); }), IPC_E_IN_USE);
    ipc_ring_options options{};
    options.open_mode = IPC_OPEN_EXISTING;
    CHECK_EQUAL(thrown_by([&] { ipc::ring_reader reader("nothing", options); }), IPC_E_NOT_FOUND);
    CHECK_EQUAL(thrown_by([] { ipc::listener listener("ring"); }), IPC_E_WRONG_KIND);
}

TEST(WritingMoreThanTheRingTakesThrowsAndSendsNothing)
{
    ipc_ring_options options{};
    options.capacity = 4096;
    options.loan_budget = IPC_NO_LOANS;
    ipc::ring_writer writer("ring", options);
    ipc::ring_reader reader("ring");
    CHECK_EQUAL(writer.max_payload(), 2040u);
    CHECK_EQUAL(thrown_by([&] { writer.write(std::string(2041, 'x')); }), IPC_E_TOO_LARGE);
    ipc::record got;
    CHECK_EQUAL(reader.try_read(got), IPC_EMPTY);
}

TEST(WhatIsTooLongForTheRingGoesThroughItsPool)
{
    ipc_ring_options options{};
    options.capacity = 4096;
    ipc::ring_writer writer("ring", options);
    ipc::ring_reader reader("ring");
    const std::string sent(3'000'000, 'x');
    CHECK_EQUAL(writer.max_payload(), 256u << 20);
    writer.write(sent);
    ipc::record got;
    CHECK_EQUAL(reader.try_read(got), IPC_OK);
    CHECK(std::string(reinterpret_cast<const char *>(got.data), got.size) == sent);
    reader.release();
}

TEST(AClaimOfAQueueAbandonsItselfAndAMessageReleasesItself)
{
    ipc_queue_options options = {};
    options.block_count = 2;
    ipc::queue queue("queue", options);
    for (int turn = 0; turn < 5; turn++) {
        ipc::queue_claim claim;
        CHECK_EQUAL(queue.try_claim(8, claim), IPC_OK);
        ipc::queue_claim second;
        CHECK_EQUAL(queue.try_claim(8, second), IPC_OK);
        ipc::queue_claim moved = std::move(claim);
        CHECK_EQUAL(claim.commit(), IPC_E_INVALID_STATE);
        CHECK_EQUAL(queue.try_claim(8, claim), IPC_FULL);
        std::memcpy(moved.data(), "12345678", moved.size());
        CHECK_EQUAL(moved.commit(9), IPC_E_INVALID_ARGUMENT);
        CHECK_EQUAL(moved.commit(3, 4), IPC_OK);
        second.abandon();
        ipc::queue_message message;
        CHECK_EQUAL(queue.receive(message, 60s), IPC_OK);
        CHECK_EQUAL(message.text(), "123");
        CHECK_EQUAL(message.type(), 4);
        CHECK(!message.redelivered());
        CHECK_EQUAL(queue.try_receive(message), IPC_EMPTY); // and the one before is released
    }
    queue.send("more", 1);
    CHECK_EQUAL(queue.wait(60s), IPC_OK);
    CHECK_EQUAL(queue.info().depth, 1u);
    ipc::queue_message more; // or it would stay, and the queue with it
    CHECK_EQUAL(queue.try_receive(more), IPC_OK);
    more.release();
    CHECK_EQUAL(queue.participants().size(), 1u);
    CHECK_EQUAL(thrown_by([&] { queue.send(std::string(300u << 20, 'x')); }), IPC_E_TOO_LARGE);
}

TEST(MutexSemaphoreAndEventComeBackFromWhoClosesWithThem)
{
    ipc::shared_mutex mine("mutex");
    {
        ipc::shared_mutex other("mutex");
        CHECK_EQUAL(other.acquire(), IPC_OK);
        CHECK_EQUAL(mine.acquire(ipc::deadline::now()), IPC_TIMEOUT);
    }
    CHECK_EQUAL(mine.acquire(), IPC_ABANDONED);
    mine.release();
    CHECK_EQUAL(thrown_by([&] { mine.release(); }), IPC_E_INVALID_STATE);

    ipc_sync_options two{};
    two.permits = 2;
    ipc::shared_semaphore permits("semaphore", two);
    CHECK_EQUAL(permits.acquire(), IPC_OK);
    CHECK_EQUAL(permits.available(), 1u);
    CHECK_EQUAL(permits.permits(), 2u);
    permits.release();

    ipc::shared_event event("event");
    event.set();
    CHECK_EQUAL(event.wait(), IPC_OK);
    CHECK_EQUAL(event.wait(ipc::deadline::now()), IPC_TIMEOUT);
}

TEST(DeadlinesComeFromDurations)
{
    CHECK(ipc::deadline(0ms).has_passed());
    CHECK(ipc::deadline(-5s).has_passed());
    CHECK(!ipc::deadline(1h).has_passed());
    CHECK(ipc::deadline(std::chrono::hours::min()).has_passed());
    CHECK(ipc::deadline(std::chrono::hours::max()).is_never()); // it overflowed
    CHECK(ipc::deadline(std::chrono::duration<double>(1e300)).is_never());
    CHECK(ipc::deadline(std::chrono::duration<double>(std::numeric_limits<double>::quiet_NaN())).has_passed());
    CHECK(ipc::deadline::never().is_never());
    CHECK_EQUAL(ipc::deadline::never().remaining(), UINT64_MAX);
    CHECK(ipc::deadline(1h).remaining() <= 3'600'000'000'000u);
    ipc::ring_reader reader("ring");
    ipc::record got;
    CHECK_EQUAL(reader.read(got, 5ms), IPC_TIMEOUT);
}

TEST(ACancelSourceEndsAWait)
{
    ipc::ring_reader reader("ring");
    ipc::cancel_source cancel;
    std::thread other([&] { cancel.trigger(); });
    ipc::record got;
    CHECK_EQUAL(reader.read(got, ipc::deadline::never(), cancel.get()), IPC_CANCELLED);
    other.join();
}

TEST(AConnectionCarriesRecordsBothWays)
{
    ipc::listener listener("echo");
    ipc_connect_options options{};
    options.hello = "it is me";
    options.hello_length = 8;
    ipc::connection client;
    ipc::status connected = IPC_E_INVALID_STATE;
    std::thread connecting([&] { connected = ipc::connection::try_connect("echo", options, client); });
    ipc_event event{};
    CHECK_EQUAL(listener.next(event, 60s), IPC_OK);
    CHECK_EQUAL(event.kind, IPC_EVENT_CONNECT);
    CHECK_EQUAL(ipc_connection_accept(event.connection), IPC_OK);
    ipc_connection *lent = event.connection;
    connecting.join();
    CHECK_EQUAL(connected, IPC_OK);
    listener.give_back(lent);

    client.writer().write("question", 3);
    CHECK_EQUAL(listener.next(event, 60s), IPC_OK);
    CHECK_EQUAL(event.kind, IPC_EVENT_READABLE);
    ipc::connection server(event.connection);
    CHECK_EQUAL(server.hello(), "it is me");
    ipc::record got;
    CHECK_EQUAL(server.reader().try_read(got), IPC_OK);
    CHECK_EQUAL(got.text(), "question");
    server.reader().release();
    server.writer().write("answer", 4);
    CHECK_EQUAL(client.reader().read(got, 60s), IPC_OK);
    CHECK_EQUAL(got.text(), "answer");
    client.reader().release();
    server.shutdown(IPC_CLOSE_NORMAL, "enough");
    CHECK_EQUAL(client.reader().read(got, 60s), IPC_PEER_CLOSED);
    CHECK_EQUAL(client.close_code(), static_cast<uint32_t>(IPC_CLOSE_NORMAL));
    CHECK(!client.is_open());
}

TEST(ATopicReachesEveryReaderAndAClaimLetsGoOfItself)
{
    ipc::topic_writer writer("topic");
    ipc::topic_reader first("topic");
    ipc_topic_options lossy{};
    lossy.policy = IPC_LOSSY;
    ipc::topic_reader second("topic", lossy);
    CHECK_EQUAL(writer.wait_for_readers(2, 60s), IPC_OK);
    {
        ipc::topic_claim claim;
        CHECK_EQUAL(writer.try_claim(8, claim), IPC_OK);
        ipc::topic_claim moved = std::move(claim);
        CHECK_EQUAL(moved.size(), 8u);
        CHECK_EQUAL(claim.commit(8), IPC_E_INVALID_STATE);
    } // abandoned
    writer.publish("news", 3, 42);
    for (ipc::topic_reader *reader : {&first, &second}) {
        ipc::topic_message message;
        CHECK_EQUAL(reader->read(message, 60s), IPC_OK);
        CHECK_EQUAL(ipc::text_of(message), "news");
        CHECK_EQUAL(message.type, 3);
        CHECK_EQUAL(message.key, 42u);
        CHECK_EQUAL(reader->release(), IPC_OK);
        CHECK_EQUAL(reader->try_read(message), IPC_EMPTY);
    }
    CHECK_EQUAL(writer.participants().size(), 3u);
    CHECK_EQUAL(writer.info().readers, 2u);
    CHECK_EQUAL(thrown_by([] { ipc::ring_reader wrong("topic"); }), IPC_E_WRONG_KIND);
}

int main(int argc, char **argv)
{
    return check::run(argc, argv);
}
