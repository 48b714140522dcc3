// rpc.cpp - typed calls between two C++ processes: ipc/rpc.hpp over libprotobuf, the contract of bench.proto.
//
//   rpc.sync.64.spin.cpp      ns   a request of 64 protobuf bytes, the same back
//   rpc.sync.64.block.cpp     us   the same, both sides sleep at once
//   rpc.sync.4k.spin.cpp      ns   the same with 4 KB
//   default.rpc.sync.64.cpp   us   20,000 calls of a new process with default options, one by one
//   rpc.response.1m.cpp       us   a small request, a response of 1 MB, which the handler fills; default options
//   rpc.response.1m.kept.cpp  us   the same, and the handler returns one that it has
#include "harness.h"

#include <exception>
#include <memory>
#include <string>

#include "bench.pb.h"
#include "ipc/rpc.hpp"

namespace
{

using bench::v1::Blob;
using bench::v1::FetchRequest;

constexpr ipc::rpc::method<Blob, Blob> echo{"bench.v1", "Echo"};
constexpr ipc::rpc::method<FetchRequest, Blob> fetch{"bench.v1", "Fetch"};
constexpr ipc::rpc::method<FetchRequest, Blob> fetch_kept{"bench.v1", "FetchKept"};
constexpr int megabyte = 1 << 20;

struct state {
    std::unique_ptr<ipc::rpc::server> server;
    std::unique_ptr<ipc::rpc::client> client;
};

void *open_side(int side, ipc_wait_mode mode)
try {
    auto opened = std::make_unique<state>();
    if (side == 1) {
        ipc::rpc::server_options options;
        options.wait = mode == IPC_WAIT_BLOCK ? IPC_WAIT_BLOCK : IPC_WAIT_ADAPTIVE; // between rounds it has to be quiet
        opened->server = std::make_unique<ipc::rpc::server>(bench_name(), options);
        opened->server->unary(echo, [](const Blob &request, Blob &response) { response.set_data(request.data()); });
        opened->server->unary(fetch, [](const FetchRequest &request, Blob &response) {
            static const std::string content(megabyte, 'x');
            response.mutable_data()->assign(content, 0, static_cast<size_t>(request.size()));
        });
        const auto kept = std::make_shared<Blob>();
        kept->set_data(std::string(megabyte, 'x'));
        opened->server->unary(fetch_kept, [kept](const FetchRequest &) -> std::shared_ptr<const Blob> { return kept; });
        opened->server->start();
    } else {
        ipc::rpc::client_options options;
        options.wait = mode;
        opened->client = std::make_unique<ipc::rpc::client>(bench_name(), options);
    }
    return opened.release();
} catch (const std::exception &error) {
    bench_fail("rpc.cpp", error.what());
}

void *open_spinning(void *, int side)
{
    return open_side(side, IPC_WAIT_SPIN);
}

void *open_blocking(void *, int side)
{
    return open_side(side, IPC_WAIT_BLOCK);
}

void close_side(void *opened, int)
{
    delete static_cast<state *>(opened);
}

// What a program gets that sets nothing.
void *open_plain(void *, int side)
{
    return open_side(side, IPC_WAIT_ADAPTIVE);
}

// The server answers on threads of its own.
void answer(void *, uint64_t)
{
}

template <class Request>
double measure(void *opened, uint64_t count, const ipc::rpc::method<Request, Blob> &method, const Request &request,
               size_t expected)
try {
    ipc::rpc::client &client = *static_cast<state *>(opened)->client;
    Blob response;
    uint64_t began = 0;
    for (uint64_t i = 0; i <= count; i++) { // the first finds the server asleep: not counted
        if (i == 1)
            began = bench_now();
        const ipc::rpc::outcome result = client.try_call(method, request, response);
        if (!result || response.data().size() != expected)
            bench_fail("rpc.cpp", result ? "wrong content" : result.text.c_str());
        bench_done();
    }
    return static_cast<double>(bench_now() - began) / static_cast<double>(count);
} catch (const std::exception &error) {
    bench_fail("rpc.cpp", error.what());
}

double echo_bytes(void *opened, uint64_t count, size_t data)
{
    Blob request;
    request.set_data(std::string(data, 'x'));
    return measure(opened, count, echo, request, data);
}

double echo_64(void *opened, uint64_t count)
{
    return echo_bytes(opened, count, 62); // tag and length take two
}

double echo_64_us(void *opened, uint64_t count)
{
    return echo_64(opened, count) / 1000.0;
}

double echo_4k(void *opened, uint64_t count)
{
    return echo_bytes(opened, count, 4093);
}

double fetch_1m_of(void *opened, uint64_t count, const ipc::rpc::method<FetchRequest, Blob> &method)
{
    FetchRequest request;
    request.set_size(megabyte);
    return measure(opened, count, method, request, megabyte) / 1000.0;
}

double fetch_1m(void *opened, uint64_t count)
{
    return fetch_1m_of(opened, count, fetch);
}

double fetch_1m_kept(void *opened, uint64_t count)
{
    return fetch_1m_of(opened, count, fetch_kept);
}

// The first one included, which finds the other side asleep. The harness has the quantiles.
double echo_64_plain(void *opened, uint64_t count)
try {
    ipc::rpc::client &client = *static_cast<state *>(opened)->client;
    Blob request;
    Blob response;
    request.set_data(std::string(62, 'x'));
    const uint64_t began = bench_now();
    bench_done();
    for (uint64_t i = 0; i < count; i++) {
        const ipc::rpc::outcome result = client.try_call(echo, request, response);
        bench_done();
        if (!result || response.data().size() != 62)
            bench_fail("rpc.cpp", result ? "wrong content" : result.text.c_str());
    }
    return static_cast<double>(bench_now() - began) / static_cast<double>(count) / 1000.0;
} catch (const std::exception &error) {
    bench_fail("rpc.cpp", error.what());
}

bench_figure figure(const char *name, uint64_t count, void *(*open)(void *, int),
                    double (*measure_round)(void *, uint64_t))
{
    return {name, count, 0, open, measure_round, answer, close_side, 0};
}

} // namespace

int main(int argc, char **argv)
{
    const bench_figure figures[] = {
        figure("rpc.sync.64.spin.cpp", 50000, open_spinning, echo_64),
        figure("rpc.sync.64.block.cpp", 1000, open_blocking, echo_64_us),
        figure("rpc.sync.4k.spin.cpp", 20000, open_spinning, echo_4k),
        figure("default.rpc.sync.64.cpp", 20000, open_plain, echo_64_plain),
        figure("rpc.response.1m.cpp", 200, open_plain, fetch_1m),
        figure("rpc.response.1m.kept.cpp", 200, open_plain, fetch_1m_kept),
    };
    return bench_main(argc, argv, figures, sizeof figures / sizeof figures[0]);
}
