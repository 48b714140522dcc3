// A small unary call costs no memory: not its caller, not the server.
#include <atomic>
#include <cstdlib>
#include <new>

#include "rpc_serving.hpp"

namespace
{
std::atomic<long> allocations{0};
}

// Not inline: a compiler that sees one of a pair alone takes them for a mistake.
__attribute__((noinline)) void *operator new(size_t size)
{
    allocations.fetch_add(1, std::memory_order_relaxed);
    if (void *const made = std::malloc(size == 0 ? 1 : size))
        return made;
    throw std::bad_alloc();
}

__attribute__((noinline)) void operator delete(void *memory) noexcept
{
    std::free(memory);
}

__attribute__((noinline)) void operator delete(void *memory, size_t) noexcept
{
    std::free(memory);
}

namespace rpc_allocation_test
{

using contract::Blob;
using ipc::rpc::client;

TEST(ASmallCallAllocatesNothing)
{
    constexpr ipc::rpc::method<Blob, Blob> quick{"tests.v1", "Quick"};
    const serving here([&](ipc::rpc::server &at) {
        at.unary(
            quick, [](const Blob &request, Blob &response) { response = request; }, ipc::rpc::dispatch::in_place);
    });
    client caller("rpc");
    const Blob request = blob("no longer than a string keeps in itself, or it is kept from the call before");
    Blob response;
    for (const auto &method : {contract::echo, quick}) {
        for (int i = 0; i < 200; ++i)
            CHECK(caller.try_call(method, request, response));
        const long before = allocations;
        constexpr int calls = 2000;
        for (int i = 0; i < calls; ++i)
            CHECK(caller.try_call(method, request, response));
        CHECK(allocations - before < calls / 10); // another thread may have taken over now and then
    }
}

} // namespace rpc_allocation_test

int main(int argc, char **argv)
{
    return check::run(argc, argv);
}
