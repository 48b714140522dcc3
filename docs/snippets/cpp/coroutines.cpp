// The coroutines of docs/guide/async.md.
#include <chrono>
#include <iostream>
#include <thread>

#include "ipc/coroutines.hpp"

using namespace std::chrono_literals;

static constexpr uint16_t last = 9;

// snippet: worker
ipc::detached work(ipc::queue &jobs, ipc::run_loop &loop)
{
    ipc::queue_message job;
    while (co_await jobs.receive_async(job, 5s, nullptr, &loop) == IPC_OK) { // as receive(job, 5s), and where to go on
        std::cout << job.text() << '\n'; //> resize cat.png
        if (job.type() == last)
            break;
    }
    job.release();
    loop.stop();
}
// end-snippet

// snippet: value
ipc::detached watch(ipc::topic_reader &prices, ipc::run_loop &loop)
{
    const ipc::topic_message price = co_await prices.read_async(&loop); // throws ipc::error where the other form has a status
    std::cout << ipc::text_of(price) << '\n'; //> EURUSD 1.0842
    (void)prices.release();
    loop.stop();
}
// end-snippet

// snippet: locks
ipc::detached update(ipc::shared_mutex &table, ipc::run_loop &loop)
{
    const ipc::status held = co_await table.acquire_async(1s, nullptr, &loop);
    if (held == IPC_ABANDONED) // its last holder died: look before you trust what it guards
        std::cout << "repairing" << '\n';
    if (held == IPC_OK || held == IPC_ABANDONED)
        table.release();
    std::cout << "updated" << '\n'; //> updated
    loop.stop();
}
// end-snippet

// snippet: room
ipc::detached feed(ipc::queue &jobs, ipc::run_loop &loop)
{
    for (int i = 0; i < 3; i++) // of which two have room
        co_await jobs.send_async("resize dog.png", 1, 5s, nullptr, &loop);
    loop.stop();
}
// end-snippet

int main()
{
    // snippet: loop
    ipc::queue jobs("jobs");
    ipc::run_loop loop; // coroutines go on in the thread that is in loop.run()
    work(jobs, loop);   // comes back at its first wait

    std::thread elsewhere([] { ipc::queue("jobs").send("resize cat.png", last); });
    loop.run(); // until stop()
    elsewhere.join();
    // end-snippet

    ipc::topic_reader prices("prices");
    ipc::topic_writer writer("prices");
    watch(prices, loop);
    writer.publish("EURUSD 1.0842");
    loop.run();

    ipc_queue_options small = {};
    small.block_count = 2;
    small.lifetime = IPC_LIFETIME_WHILE_USED;
    ipc::queue dogs("dogs", small);
    feed(dogs, loop);
    ipc::queue_message dog;
    if (dogs.try_receive(dog) != IPC_OK)
        return 1;
    dog.release();
    loop.run();

    ipc::shared_mutex table("table");
    update(table, loop);
    return 0;
}
