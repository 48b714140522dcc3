// The code of docs/guide/topics.md.
#include <chrono>
#include <iostream>

#include "ipc.hpp"

using namespace std::chrono_literals;

int main()
{
    // snippet: both
    ipc_topic_options options = {};
    options.block_size = 64;
    options.block_count = 16;
    ipc::topic_writer writer("prices", options);
    ipc::topic_reader reader("prices"); // from now on; options.join says otherwise

    writer.publish("1.0842", 1, 7, 100ms);

    ipc::topic_message price;
    if (reader.read(price, 1s) == IPC_OK)
        std::cout << price.key << ": " << ipc::text_of(price) << '\n'; //> 7: 1.0842
    reader.release();                                                  // everything read so far
    // end-snippet

    // snippet: lossy
    options.policy = IPC_LOSSY;
    ipc::topic_reader lossy("prices", options);
    for (int tick = 0; tick < 16; tick++)
        writer.publish("tick", 0, 0, 100ms);
    // end-snippet

    // snippet: reliable
    if (writer.publish_until("one more", 0, 0, 20ms) == IPC_TIMEOUT) // READER is a lap behind, and the words say who it is
        std::cout << "timeout" << '\n';                             //> timeout
    // end-snippet

    // snippet: rejoin
    if (reader.rejoin(IPC_JOIN_NEWEST) != IPC_OK) // gives up what it has not read
        std::cerr << ipc_last_error() << '\n';
    writer.publish("after", 0, 0, 100ms);
    if (reader.read(price, 1s) == IPC_OK)
        std::cout << ipc::text_of(price) << '\n'; //> after
    // end-snippet

    uint64_t lost = 0;
    while (lossy.try_read(price) == IPC_OK)
        lost += price.lost;
    std::cout << (lost > 0) << '\n'; //> 1
}
