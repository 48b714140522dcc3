// tests.proto's methods, and the server that both the peer and the tests run.
#ifndef RPC_CONTRACT_HPP
#define RPC_CONTRACT_HPP

#include <chrono>
#include <string>

#include "ipc/rpc.hpp"
#include "tests.pb.h"

namespace contract
{

using namespace tests::v1;

constexpr ipc::rpc::method<Blob, Blob> echo{"tests.v1", "Echo"};
constexpr ipc::rpc::method<FailRequest, Blob> fail{"tests.v1", "Fail"};
constexpr ipc::rpc::method<SleepRequest, Blob> sleep{"tests.v1", "Sleep"};
constexpr ipc::rpc::stream_method<CountRequest, Blob> count{"tests.v1", "Count"};

// Byte i of item n is (n + i) & 0xff: both ends know it.
inline std::string pattern(int number, int size)
{
    std::string bytes(static_cast<size_t>(size), '\0');
    for (int i = 0; i < size; ++i)
        bytes[static_cast<size_t>(i)] = static_cast<char>((number + i) & 0xff);
    return bytes;
}

inline void serve(ipc::rpc::server &server)
{
    using namespace ipc::rpc;
    server.unary(echo, [](const Blob &request, Blob &response) { response.set_data(request.data()); });
    server.unary(fail, [](const FailRequest &request, Blob &) {
        return outcome(static_cast<status>(request.status()), request.text());
    });
    server.unary(sleep, [](const SleepRequest &request, Blob &, call_context &context) {
        if (context.wait(std::chrono::milliseconds(request.ms())))
            throw error(status::cancelled, "woken before the time");
    });
    server.server_stream(count, [](const CountRequest &request, stream_writer<Blob> &items, call_context &) {
        Blob item;
        for (int number = 0; number < request.count(); ++number) {
            item.set_data(pattern(number, request.size()));
            if (!items.write(item))
                return;
        }
    });
}

} // namespace contract
#endif
