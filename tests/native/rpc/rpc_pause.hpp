// Consumers that pause; what rpc_peer's verb "pause" does.
#ifndef RPC_PAUSE_HPP
#define RPC_PAUSE_HPP

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "rpc_contract.hpp"

namespace pausing
{

using namespace std::chrono_literals;

inline int wrong(const std::string &what)
{
    std::printf("wrong: %s\n", what.c_str());
    return 1;
}

inline contract::Blob item_of(const std::string &data)
{
    contract::Blob made;
    made.set_data(data);
    return made;
}

inline contract::CountRequest counting(int count, int size = 0)
{
    contract::CountRequest made;
    made.set_count(count);
    made.set_size(size);
    return made;
}

// Streams whose consumers pause, in both directions, and everything else that goes on meanwhile.
inline int pause(const std::string &name, int ms)
{
    constexpr int sizes[] = {1, 1000, 16'000, 16'000, 60'000, 120'000, 10'000'000};
    constexpr int items = 60;
    ipc::rpc::client client(name);
    contract::Blob item;
    std::vector<ipc::rpc::stream_reader<contract::Blob>> readers;
    for (const int size : sizes) {
        readers.push_back(client.stream(contract::count, counting(size > 1'000'000 ? 8 : items, size)));
        if (!readers.back().next(item) || item.data() != contract::pattern(0, size))
            return wrong("the first item of " + std::to_string(size) + " bytes");
    }
    auto mirrored = client.duplex(contract::mirror, counting(0));
    std::thread writer([&] {
        for (int i = 0; i < items && mirrored.write(item_of(contract::pattern(i, 50'000))); ++i) {
        }
        mirrored.writes_done();
    });
    std::puts("ready");
    std::fflush(stdout);
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
    for (int i = 0; i < 100; ++i)
        if (client.call(contract::echo, item_of(contract::pattern(i, 100 * i)), 30s).data() !=
            contract::pattern(i, 100 * i))
            return wrong("an echo beside paused streams");
    int number = 0;
    for (auto other = client.stream(contract::count, counting(500, 1000)); other.next(item); ++number)
        if (item.data() != contract::pattern(number, 1000))
            return wrong("another stream's item " + std::to_string(number));
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
    for (size_t at = 0; at < readers.size(); ++at) {
        int count = 1;
        for (; readers[at].next(item); ++count)
            if (item.data() != contract::pattern(count, sizes[at]))
                return wrong("item " + std::to_string(count) + " of " + std::to_string(sizes[at]) + " bytes");
        if (count != (sizes[at] > 1'000'000 ? 8 : items))
            return wrong(std::to_string(count) + " items of " + std::to_string(sizes[at]) + " bytes");
    }
    number = 0;
    for (; mirrored.next(item); ++number)
        if (item.data() != contract::pattern(number, 50'000))
            return wrong("mirrored item " + std::to_string(number));
    writer.join();
    return number == items ? 0 : wrong(std::to_string(number) + " mirrored items");
}

} // namespace pausing

#endif
