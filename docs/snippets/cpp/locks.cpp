// The code of docs/guide/locks.md.
#include <chrono>
#include <iostream>

#include "ipc.hpp"

using namespace std::chrono_literals;

int main()
{
    // snippet: mutex
    ipc::shared_mutex mutex("ledger.lock");
    const ipc::status status = mutex.acquire(5s);
    if (status == IPC_ABANDONED)
        std::cout << "the last holder died: check the ledger" << '\n'; // it is ours all the same
    if (status == IPC_OK || status == IPC_ABANDONED) {
        std::cout << "mine" << '\n'; //> mine
        mutex.release();
    }
    // end-snippet

    // snippet: semaphore
    ipc_sync_options two = {};
    two.permits = 2;
    ipc::shared_semaphore places("places", two);
    const ipc::status got = places.acquire(ipc::deadline::now());
    if (got == IPC_OK || got == IPC_ABANDONED) {
        std::cout << places.available() << " of " << places.permits() << " left" << '\n'; //> 1 of 2 left
        places.release();
    }
    // end-snippet

    // snippet: event
    ipc_sync_options manual = {};
    manual.manual_reset = true;
    ipc::shared_event ready("ready", manual);
    ready.set();                                                             // everybody passes, until reset()
    std::cout << (ready.wait(ipc::deadline::now()) == IPC_OK ? "ready\n" : ""); //> ready
    // end-snippet
}
