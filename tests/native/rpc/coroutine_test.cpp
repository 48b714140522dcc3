// ipc/coroutines.hpp: what is awaited comes where it was asked for, every end of a wait ends it, and one that goes is gone.
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "coroutine_held.hpp"
#include "rpc_check.hpp"

using namespace std::chrono_literals;

namespace
{

ipc_queue_options while_used()
{
    ipc_queue_options options = {};
    options.block_count = 4;
    options.lifetime = IPC_LIFETIME_WHILE_USED;
    return options;
}

// Tells how often something was posted.
class watched_loop : public ipc::executor
{
  public:
    void post(ipc::resumption &what) noexcept override
    {
        loop_.post(what);
        posts++;
    }
    void poll()
    {
        loop_.poll();
    }
    std::atomic<int> posts = 0;

  private:
    ipc::run_loop loop_;
};

} // namespace

TEST(WhatIsThereIsTakenWithoutWaiting)
{
    ipc::queue queue("q", while_used());
    queue.send("one", 7);
    std::string got;
    auto run = [&]() -> held {
        ipc::queue_message message;
        CHECK_EQUAL(co_await queue.receive_async(message, ipc::deadline::now()), IPC_OK);
        got = message.text();
        CHECK_EQUAL(co_await queue.receive_async(message, ipc::deadline::now()), IPC_TIMEOUT);
    };
    held one = run();
    CHECK(one.is_done());
    one.rethrow();
    CHECK_EQUAL(got, "one");
}

TEST(AMessageResumesTheCoroutineOnTheLoopThatItChose)
{
    ipc::queue queue("q", while_used());
    ipc::queue other("q");
    ipc::run_loop loop;
    std::vector<std::string> got;
    std::thread::id where;
    auto run = [&]() -> held {
        for (int i = 0; i < 3; i++) {
            ipc::queue_message message;
            CHECK_EQUAL(co_await queue.receive_async(message, 60s, nullptr, &loop), IPC_OK);
            got.emplace_back(message.text());
            where = std::this_thread::get_id();
        }
        loop.stop();
    };
    held one = run();
    std::thread sender([&] {
        for (const char *text : {"a", "b", "c"})
            other.send(text);
    });
    loop.run();
    sender.join();
    CHECK(one.is_done());
    one.rethrow();
    CHECK_EQUAL(got.size(), 3u);
    CHECK_EQUAL(got[0] + got[1] + got[2], "abc");
    CHECK(where == std::this_thread::get_id());
}

TEST(TheValueFormsReturnWhatWasReceivedAndThrowTheRest)
{
    ipc::queue queue("q", while_used());
    ipc::ring_writer writer("r");
    ipc::ring_reader reader("r");
    ipc::run_loop loop;
    std::string got;
    ipc::status ended = IPC_OK;
    auto run = [&]() -> held {
        {
            ipc::queue_message message = co_await queue.receive_async(&loop);
            got += message.text();
        }
        const ipc::record record = co_await reader.read_async(&loop);
        got += record.text();
        reader.release();
        try {
            (void)co_await queue.receive_async(&loop);
        } catch (const ipc::error &failure) {
            ended = failure.code();
        }
    };
    held one = run();
    queue.send("queue ");
    writer.write("ring");
    run_until(loop, [&] { return got == "queue ring"; });
    queue.stop();
    run_until(loop, [&] { return one.is_done(); });
    one.rethrow();
    CHECK_EQUAL(ended, IPC_STOPPED);
}

TEST(EveryKindIsAwaited)
{
    ipc::ring_writer writer("r");
    ipc::ring_reader reader("r");
    ipc::topic_writer publisher("t");
    ipc::topic_reader subscriber("t");
    ipc::shared_mutex mutex("m"), holder("m");
    ipc::shared_semaphore semaphore("s");
    ipc::shared_event event("e");
    ipc::run_loop loop;
    int steps = 0;
    CHECK_EQUAL(holder.acquire(), IPC_OK);
    CHECK_EQUAL(semaphore.acquire(), IPC_OK);
    auto run = [&]() -> held {
        ipc::record record;
        CHECK_EQUAL(co_await reader.read_async(record, 60s, nullptr, &loop), IPC_OK);
        CHECK_EQUAL(record.text(), "record");
        reader.release();
        steps = 1;
        ipc::topic_message message;
        CHECK_EQUAL(co_await subscriber.read_async(message, 60s, nullptr, &loop), IPC_OK);
        CHECK_EQUAL(ipc::text_of(message), "message");
        CHECK_EQUAL(subscriber.release(), IPC_OK);
        steps = 2;
        CHECK_EQUAL(co_await mutex.acquire_async(60s, nullptr, &loop), IPC_OK);
        mutex.release();
        steps = 3;
        CHECK_EQUAL(co_await semaphore.acquire_async(60s, nullptr, &loop), IPC_OK);
        semaphore.release();
        steps = 4;
        CHECK_EQUAL(co_await event.wait_async(60s, nullptr, &loop), IPC_OK);
        steps = 5;
    };
    held one = run();
    auto next = [&](int step) {
        run_until(loop, [&] { return steps == step || one.is_done(); });
        one.rethrow();
        CHECK_EQUAL(steps, step);
    };
    writer.write("record");
    next(1);
    publisher.publish("message");
    next(2);
    holder.release();
    next(3);
    semaphore.release();
    next(4);
    event.set();
    next(5);
}

TEST(AServerAndItsClientAwaitInOneThread)
{
    ipc::listener listener("l");
    ipc::run_loop loop;
    constexpr int rounds = 100;
    int answered = 0;
    auto serve = [&]() -> held {
        for (;;) {
            ipc_event event;
            const ipc::status code = co_await listener.next_async(event, ipc::deadline::never(), nullptr, &loop);
            if (code != IPC_OK)
                co_return;
            if (event.kind == IPC_EVENT_CLOSED) {
                ipc_connection_close(event.connection);
                continue;
            }
            if (event.kind == IPC_EVENT_CONNECT)
                CHECK_EQUAL(ipc_connection_accept(event.connection), IPC_OK);
            ipc::reader_ref reader = ipc_connection_reader(event.connection);
            ipc::writer_ref writer = ipc_connection_writer(event.connection);
            ipc::record record;
            while (reader.try_read(record) == IPC_OK) {
                writer.write(record.text(), record.type);
                reader.release();
            }
            listener.give_back(event.connection);
        }
    };
    held server = serve();
    std::optional<ipc::connection> client;
    auto reach = [&]() -> held {
        client = co_await ipc::connection::connect_async("l", ipc_connect_options(), &loop);
    };
    held reaching = reach();
    run_until(loop, [&] { return server.is_done() || reaching.is_done(); });
    reaching.rethrow();
    auto ask = [&]() -> held {
        for (int i = 0; i < rounds; i++) {
            client->writer().write(std::to_string(i));
            ipc::record record;
            CHECK_EQUAL(co_await client->reader().read_async(record, 60s, nullptr, &loop), IPC_OK);
            CHECK_EQUAL(record.text(), std::to_string(i));
            client->reader().release();
            answered++;
        }
    };
    held asking = ask();
    run_until(loop, [&] { return asking.is_done() || server.is_done(); });
    asking.rethrow();
    server.rethrow();
    CHECK_EQUAL(answered, rounds);
    client.reset();
    listener.stop();
    run_until(loop, [&] { return server.is_done(); });
    server.rethrow();
}

TEST(AServerOfNamedConnectionsAwaits)
{
    ipc::named_listener listener("exchange");
    ipc::run_loop loop;
    constexpr int rounds = 20;
    int logins = 0;
    auto serve = [&]() -> held {
        for (;;) {
            ipc_named_event event;
            const ipc::status code = co_await listener.next_async(event, ipc::deadline::never(), nullptr, &loop);
            if (code != IPC_OK)
                co_return;
            ipc::named_ref client = event.connection;
            if (event.kind == IPC_NAMED_LOGIN) {
                logins++;
                CHECK_EQUAL(client.accept(), IPC_OK);
            }
            if (event.kind == IPC_NAMED_LOGOUT)
                ipc_named_close(client.get(), IPC_CLOSE_NORMAL, nullptr);
            if (event.kind != IPC_NAMED_READABLE)
                continue;
            ipc::named_message message;
            while (client.try_receive(message) == IPC_OK)
                client.send(message.text(), message.type);
            client.acknowledge();
            listener.give_back(client);
        }
    };
    held server = serve();
    std::atomic<bool> asked = false;
    std::thread asking([&] {
        ipc::named_connection client("exchange", "trader");
        for (int i = 0; i < rounds; i++) {
            client.send(std::to_string(i));
            ipc::named_message message;
            CHECK_EQUAL(client.receive(message, 60s), IPC_OK);
            CHECK_EQUAL(message.text(), std::to_string(i));
            client.acknowledge();
        }
        asked = true;
    });
    run_until(loop, [&] { return server.is_done() || asked; });
    asking.join();
    listener.stop();
    run_until(loop, [&] { return server.is_done(); });
    server.rethrow();
    CHECK_EQUAL(logins, 1);
    listener.close();
    CHECK_EQUAL(ipc::named_connection::try_remove("exchange", "trader"), IPC_OK);
}

TEST(ConnectingEndsAsItDoesForWhoWaits)
{
    ipc::run_loop loop;
    ipc::connection made;
    ipc_connect_options options = {};
    std::vector<ipc::status> ends;
    auto fail = [&]() -> held {
        ends.push_back(co_await ipc::connection::connect_async("a/b", options, made, &loop));
        ends.push_back(co_await ipc::connection::connect_async("l", options, made, &loop)); // no time to find one
        options.deadline = ipc::deadline(20ms).at();
        ends.push_back(co_await ipc::connection::connect_async("l", options, made, &loop));
        co_await ipc::connection::connect_async("l", ipc_connect_options(), &loop); // throws
    };
    held failing = fail();
    run_until(loop, [&] { return failing.is_done(); });
    CHECK(ends == std::vector<ipc::status>({IPC_E_INVALID_NAME, IPC_E_NOT_FOUND, IPC_E_NOT_FOUND}));
    ipc::status thrown = IPC_OK;
    try {
        failing.rethrow();
    } catch (const ipc::error &e) {
        thrown = e.code();
    }
    CHECK_EQUAL(thrown, IPC_E_NOT_FOUND);
    CHECK(!made);

    ipc::listener listener("l"); // nobody serves it
    options.deadline = ipc::deadline(60s).at();
    auto wait = [&]() -> held {
        co_await ipc::connection::connect_async("l", options, made, &loop);
    };
    wait().destroy(); // a coroutine that goes withdraws what it has asked for
    ipc_event event;
    CHECK_EQUAL(listener.next(event, ipc::deadline::now()), IPC_TIMEOUT);
}

TEST(ADeadlineACancellationAndAStopEndAWait)
{
    ipc::queue queue("q", while_used());
    ipc::run_loop loop;
    ipc::cancel_source cancel;
    std::vector<ipc::status> ends;
    auto run = [&]() -> held {
        ipc::queue_message message;
        ends.push_back(co_await queue.receive_async(message, 1ms, nullptr, &loop));
        ends.push_back(co_await queue.receive_async(message, 60s, cancel.get(), &loop));
        ends.push_back(co_await queue.receive_async(message, 60s, nullptr, &loop));
    };
    held one = run();
    run_until(loop, [&] { return ends.size() == 1; });
    cancel.trigger();
    run_until(loop, [&] { return ends.size() == 2; });
    queue.stop();
    run_until(loop, [&] { return one.is_done(); });
    one.rethrow();
    CHECK_EQUAL(ends[0], IPC_TIMEOUT);
    CHECK_EQUAL(ends[1], IPC_CANCELLED);
    CHECK_EQUAL(ends[2], IPC_STOPPED);
}

TEST(AnObjectThatIsClosedEndsItsWaitsAndIsNotTouchedAgain)
{
    watched_loop loop;
    for (int told = 0; told < 2; told++) {
        std::optional<ipc::queue> queue(std::in_place, "q", while_used());
        ipc::queue other("q", while_used());
        ipc::status ended = IPC_OK;
        auto run = [&]() -> held {
            ipc::queue_message message;
            ended = co_await queue->receive_async(message, 60s, nullptr, &loop);
        };
        held one = run();
        if (told == 1) { // it is on its way to the loop when the queue goes
            other.send("x");
            while (loop.posts != 1)
                std::this_thread::yield();
        }
        queue.reset();
        run_until(loop, [&] { return one.is_done(); });
        loop.posts = 0;
        one.rethrow();
        CHECK_EQUAL(ended, IPC_CLOSED);
    }
}

TEST(ACoroutineThatIsDestroyedWhileItWaitsLosesNothing)
{
    ipc::queue queue("q", while_used());
    ipc::queue other("q");
    ipc::run_loop loop;
    int resumed = 0;
    auto run = [&]() -> held {
        ipc::queue_message message;
        CHECK_EQUAL(co_await queue.receive_async(message, 60s, nullptr, &loop), IPC_OK);
        resumed++;
    };
    for (int i = 0; i < 200; i++) {
        {
            held one = run(); // destroyed while it is armed, or told, or posted
            if (i % 2 != 0)
                other.send("x");
            if (i % 4 == 3)
                std::this_thread::yield();
        }
        loop.poll(); // what was posted for it finds nobody
        ipc::queue_message message;
        CHECK_EQUAL(other.try_receive(message), i % 2 != 0 ? IPC_OK : IPC_EMPTY);
    }
    CHECK_EQUAL(resumed, 0);
}

TEST(ManyCoroutinesShareAQueueAndEachMessageGoesToOne)
{
    constexpr int waiters = 300, messages = 900; // more than one thread can sleep for
    ipc::queue queue("q", while_used());
    ipc::queue other("q");
    ipc::run_loop loop;
    int received = 0, ended = 0;
    auto run = [&]() -> held {
        for (;;) {
            ipc::queue_message message;
            const ipc::status code = co_await queue.receive_async(message, ipc::deadline::never(), nullptr, &loop);
            if (code != IPC_OK) {
                CHECK_EQUAL(code, IPC_STOPPED);
                ended++;
                co_return;
            }
            received++;
        }
    };
    std::vector<held> all;
    for (int i = 0; i < waiters; i++)
        all.push_back(run());
    std::thread sender([&] {
        for (int i = 0; i < messages; i++)
            other.send("x");
    });
    run_until(loop, [&] { return received == messages; });
    sender.join();
    queue.stop();
    run_until(loop, [&] { return ended == waiters; });
    for (const held &each : all)
        each.rethrow();
}

TEST(WithoutAnExecutorCoroutinesGoOnInTheBackground)
{
    ipc::queue queue("q", while_used());
    ipc::queue other("q");
    check::signal done;
    std::atomic<bool> elsewhere = false;
    const std::thread::id here = std::this_thread::get_id();
    auto run = [&]() -> ipc::detached {
        ipc::queue_message message;
        const ipc::status code = co_await queue.receive_async(message);
        elsewhere = code == IPC_OK && std::this_thread::get_id() != here;
        message.release();
        done.set();
    };
    run();
    other.send("x");
    done.wait();
    CHECK(elsewhere);
}

// Several threads run what is posted, so a wait may be told again while one of them is still at it.
TEST(AnExecutorOfManyThreadsResumesEachOnce)
{
    class pool : public ipc::executor
    {
      public:
        explicit pool(int count)
        {
            for (int i = 0; i < count; i++)
                threads_.emplace_back([this] { work(); });
        }
        ~pool() override
        {
            {
                const std::lock_guard hold(mutex_);
                ends_ = true;
            }
            changed_.notify_all();
            for (std::thread &each : threads_)
                each.join();
        }
        void post(ipc::resumption &what) noexcept override
        {
            {
                const std::lock_guard hold(mutex_);
                posted_.push_back(&what);
            }
            changed_.notify_one();
        }

      private:
        void work()
        {
            std::unique_lock hold(mutex_);
            for (;;) {
                changed_.wait(hold, [this] { return ends_ || !posted_.empty(); });
                if (posted_.empty())
                    return;
                ipc::resumption *const what = posted_.back();
                posted_.pop_back();
                hold.unlock();
                (*what)();
                hold.lock();
            }
        }

        std::mutex mutex_;
        std::condition_variable changed_;
        std::vector<ipc::resumption *> posted_;
        std::vector<std::thread> threads_;
        bool ends_ = false;
    };

    constexpr int waiters = 8, messages = 2000;
    ipc::queue queue("q", while_used());
    ipc::queue other("q");
    std::atomic<int> received = 0, ended = 0;
    {
        pool threads(3);
        auto run = [&]() -> ipc::detached {
            for (;;) {
                ipc::queue_message message;
                if (co_await queue.receive_async(message, ipc::deadline::never(), nullptr, &threads) != IPC_OK)
                    break;
                received++;
            }
            ended++;
        };
        for (int i = 0; i < waiters; i++)
            run();
        for (int i = 0; i < messages; i++)
            other.send("x");
        while (received != messages)
            std::this_thread::yield();
        queue.stop();
        while (ended != waiters)
            std::this_thread::yield();
    }
    CHECK_EQUAL(received.load(), messages);
}

TEST(AReadyHandleBelongsToAnEventLoop)
{
    ipc::queue queue("q", while_used());
    ipc::queue other("q");
    ipc::ready_handle handle = ipc::ready_handle::make();
    CHECK(handle.descriptor() >= 0);
    CHECK_EQUAL(queue.arm(handle), IPC_EMPTY);
    other.send("x");
    ipc::queue_message message;
    CHECK_EQUAL(queue.try_receive(message), IPC_OK);
    message.release();
    queue = ipc::queue();
    CHECK_EQUAL(handle.disarm(), IPC_CLOSED);
}

int main(int argc, char **argv)
{
    return check::run(argc, argv);
}
