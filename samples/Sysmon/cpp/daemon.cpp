// sysmon-daemon: serves this machine's live data to whoever speaks ../Contract/sysmon.proto. Twin of ../Daemon.
//
//     sysmon_daemon [--name NAME] [--socket PATH]
//
// Prints "ready" when it serves; SIGTERM or SIGINT end it.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <string>

#include "ipc/rpc.hpp"

#include "contract.hpp"
#include "socket_server.hpp"
#include "system_data.hpp"

using namespace std::chrono;

namespace
{

void serve_watch(sysmon::system_data &data, const sysmon::v1::WatchRequest &request,
                 ipc::rpc::stream_writer<sysmon::v1::Sample> &samples, ipc::rpc::call_context &context)
{
    if (request.interval_ms() < 10 || request.interval_ms() > 3'600'000)
        throw ipc::rpc::error(ipc::rpc::status::invalid_argument,
                              "interval_ms is " + std::to_string(request.interval_ms()) + ", it must be 10 to 3600000");
    sysmon::v1::Sample sample;
    for (int sequence = 1; request.count() == 0 || sequence <= request.count(); ++sequence) {
        if (sequence > 1 && context.wait(milliseconds(request.interval_ms())))
            return;
        sample.Clear();
        sample.set_sequence(sequence);
        sample.set_taken_ms(duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count());
        data.fill(request.ids(), request.fields(), *sample.mutable_table());
        if (!samples.write(sample))
            return;
    }
}

int run(const std::string &name, const std::string &socket_path)
{
    // Every thread inherits the mask: the signals wait for sigwait() below.
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ends, nullptr);

    sysmon::system_data data;
    ipc::rpc::server server(name);
    server.unary(sysmon::list, [&](const sysmon::v1::ListRequest &request, sysmon::v1::ListResponse &response) {
        for (std::string &id : data.list(request.kind()))
            response.add_result(std::move(id));
    });
    server.unary(sysmon::get, [&](const sysmon::v1::TableRequest &request, sysmon::v1::Table &table) {
        data.fill(request.ids(), request.fields(), table);
    });
    server.server_stream(sysmon::watch, [&](const auto &request, auto &samples, auto &context) {
        serve_watch(data, request, samples, context);
    });
    server.start();

    std::unique_ptr<sysmon::socket_server> rival;
    if (!socket_path.empty())
        rival = std::make_unique<sysmon::socket_server>(socket_path, [&](int client) {
            sysmon::answer_frames<sysmon::v1::TableRequest, sysmon::v1::Table>(
                client, [&](const auto &request, auto &table) { data.fill(request.ids(), request.fields(), table); });
        });

    std::puts("ready");
    std::fflush(stdout);
    int signal = 0;
    sigwait(&ends, &signal);
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    std::string name = "sysmon", socket_path;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 < argc && std::strcmp(argv[i], "--name") == 0) {
            name = argv[i + 1];
        } else if (i + 1 < argc && std::strcmp(argv[i], "--socket") == 0) {
            socket_path = argv[i + 1];
        } else {
            std::fprintf(stderr, "usage: sysmon_daemon [--name NAME] [--socket PATH]\n");
            return 2;
        }
    }
    try {
        return run(name, socket_path);
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "sysmon_daemon: %s\n", failure.what());
        return 1;
    }
}
