// How a client follows a server that ends in good order to its successor: which calls wait for that one, which end at
// once, and what a server does to its client that refuses calls as it should not.
#include <future>
#include <thread>

#include "rpc_old_server.hpp"

namespace rpc_follow_test
{

using namespace std::chrono_literals;
using contract::Blob;
using ipc::rpc::client_options;
using ipc::rpc::frame_kind;
using ipc::rpc::outcome;
using ipc::rpc::status;
using namespace old_servers;
using namespace raw_frames;

TEST(AnAnswerToACallThatWaitsToBeMadeAgainIsDropped)
{
    for (const frame_kind second : {frame_kind::error, frame_kind::response}) {
        old_server old;
        client_options options;
        options.wait_for_ready = true;
        const auto from = client_of(old, options);
        auto called = from->call_async(contract::echo, blob("again"), 30s);
        const uint64_t number = old.take();
        old.refuse(number);
        if (second == frame_kind::error)
            old.refuse(number);
        else
            old.send(of(second, number));
        old.end(0);
        const serving next;
        Blob response;
        CHECK(called.try_get(response));
        CHECK_EQUAL(response.data(), "again");
    }
}

TEST(CallsThatBeginOnceTheServerHasRefusedOneWaitForItsSuccessor)
{
    old_server old;
    const auto from = client_of(old);
    auto refused = call(*from, "first");
    old.refuse(old.take());
    std::this_thread::sleep_for(100ms); // by now the client has read it: else the next ones go to the old server, too
    auto second = call(*from, "second");
    auto third = call(*from, "third");
    auto noted = std::async(std::launch::async, [&] { return from->try_notify(contract::note, blob("note")); });
    std::this_thread::sleep_for(100ms);
    old.end(UINT64_MAX - 1);
    const serving next;
    CHECK_EQUAL(refused.get().data, "first");
    CHECK_EQUAL(second.get().data, "second");
    CHECK_EQUAL(third.get().data, "third");
    CHECK(noted.get());
    Blob notes;
    CHECK(from->try_call(contract::noted, Blob(), notes));
    CHECK_EQUAL(notes.data(), "1");
}

} // namespace rpc_follow_test
