// The code of docs/guide/queues.md.
#include <chrono>
#include <cstring>
#include <iostream>

#include "ipc.hpp"

using namespace std::chrono_literals;

int main()
{
    // snippet: open
    ipc_queue_options options = {};
    options.block_size = 256; // used by whoever creates it; the others take what is there
    options.block_count = 64;
    ipc::queue sender("jobs", options);
    // end-snippet

    // snippet: send
    if (sender.send_until("resize cat.png", 1, 1s) != IPC_OK)
        std::cout << "nobody receives, and the queue is full" << '\n';
    // end-snippet

    // snippet: receive
    ipc::queue receiver("jobs");
    ipc::queue_message job;
    if (receiver.receive(job, 1s) == IPC_OK) {
        std::cout << job.text() << '\n'; //> resize cat.png
        job.release();                   // killed before this line: another receiver gets it, with redelivered() set
    }
    // end-snippet

    // snippet: claim
    ipc::queue_claim claim;
    if (sender.try_claim(sizeof(int64_t), claim) == IPC_OK) {
        const int64_t value = 42;
        std::memcpy(claim.data(), &value, sizeof value); // straight into the queue
        if (claim.commit(sizeof value, 2) != IPC_OK)
            std::cerr << ipc_last_error() << '\n';
    }
    // end-snippet

    int64_t value = 0;
    if (receiver.try_receive(job) == IPC_OK && job.size() == sizeof value)
        std::memcpy(&value, job.data(), sizeof value);
    std::cout << value << '\n'; //> 42
    job.release();

    // snippet: full
    int sent = 0;
    while (sender.try_send("resize dog.png", 1) == IPC_OK) // never waits: IPC_FULL
        sent++;
    std::cout << sent << '\n'; //> 64
    // end-snippet
    if (sender.try_send("one more") != IPC_FULL)
        return 1;
    while (receiver.try_receive(job) == IPC_OK) // or they would stay, and the queue with them
        job.release();
}
