// A client that is to be killed: four threads make calls of every shape, callbacks included, and look at what comes.
//
//     rpc_peer storm NAME    prints "ready" when every shape has been gone through once; ends only by a signal, or
//                            with 1 when something was not as it should be
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "rpc_contract.hpp"
#include "rpc_verbs.hpp"

namespace storm
{

using namespace std::chrono_literals;

namespace
{

void require(bool condition, const char *what)
{
    if (condition)
        return;
    std::printf("wrong: %s\n", what);
    std::fflush(stdout);
    std::_Exit(1);
}

contract::CountRequest counting(int count, int size)
{
    contract::CountRequest made;
    made.set_count(count);
    made.set_size(size);
    return made;
}

void once(ipc::rpc::client &client, int round)
{
    contract::Blob given, got;
    given.set_data(contract::pattern(round, 20 + round % 2000));
    require(client.call(contract::echo, given).data() == given.data(), "an echo");
    client.notify(contract::note, given);

    auto items = client.stream(contract::count, counting(200, 30));
    for (int i = 0; i < 200 - round % 3 && items.next(got); ++i) // now and then it is left
        require(got.data() == contract::pattern(i, 30), "an item");

    auto upload = client.client_stream(contract::collect, counting(0, 0));
    given.set_data("12345");
    for (int i = 0; i < 50; ++i)
        upload.write(given);
    require(upload.finish().data() == "50 250", "an upload");

    {
        auto both = client.duplex(contract::mirror, counting(0, 0));
        for (int i = 0; i < 20; ++i)
            both.write(given);
        for (int i = 0; i < 20; ++i)
            require(both.next(got) && got.data() == given.data(), "a mirrored item");
    }
    require(client.call(contract::relay, counting(3, 40)).data() == "3", "three callbacks");
    require(client.call(contract::pull, counting(40, 10)).data() == "40", "a stream of the client's");
}

} // namespace

int run(const char *name)
{
    try {
        ipc::rpc::client_options options;
        options.services = contract::callbacks();
        ipc::rpc::client client(name, options);
        once(client, 0);
        std::puts("ready");
        std::fflush(stdout);
        std::vector<std::thread> threads;
        for (int i = 0; i < 3; ++i)
            threads.emplace_back([&client, i] {
                for (int round = i;; ++round)
                    once(client, round);
            });
        for (int round = 0;; ++round)
            once(client, round);
    } catch (const std::exception &failure) {
        require(false, failure.what());
    }
    return 1;
}

} // namespace storm
