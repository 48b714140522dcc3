// officeaddin_daemon: serves a table of the user's, this machine's live data and a few functions to spreadsheets.
// Twin of ../Daemon.
//
//     officeaddin_daemon [--name NAME] [--csv FILE] [--socket PATH]
//
// Prints "ready" when it serves; SIGTERM or SIGINT end it.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <string>

#include "ipc/rpc.hpp"

#include "calculations.hpp"
#include "sheet_table.hpp"
#include "socket_server.hpp"

namespace
{

using namespace officeaddin;

void calculate_for(sheet_table &table, const wire::CalcRequest &request, wire::Cells &result,
                   ipc::rpc::call_context &context)
{
    std::vector<cell_grid> arguments;
    for (const wire::Cells &argument : request.arguments())
        arguments.push_back(unpack(argument));
    table.count(1);
    pack(calculate(request.name(), std::move(arguments), context), result);
}

// What is in NOW and was not in BEFORE.
void differences(const cell_grid &before, const cell_grid &now, wire::Changes &changes)
{
    cell_grid values{1, 0, {}};
    for (size_t i = 0; i < now.cells.size(); ++i) {
        if (i < before.cells.size() && before.cells[i] == now.cells[i])
            continue;
        changes.add_places(static_cast<int>(i));
        values.cells.push_back(now.cells[i]);
    }
    values.columns = static_cast<int>(values.cells.size());
    pack(values, *changes.mutable_values());
}

void serve_subscription(sheet_table &table, const wire::SubscribeRequest &request,
                        ipc::rpc::stream_writer<wire::Changes> &items, ipc::rpc::call_context &context)
{
    if (request.interval_ms() < 10 || request.interval_ms() > 60'000)
        throw ipc::rpc::error(ipc::rpc::status::invalid_argument,
                              "interval_ms is " + std::to_string(request.interval_ms()) + ", it must be 10 to 60000");
    cell_grid before;
    do {
        cell_grid now = table.read(request.cells());
        wire::Changes changes;
        differences(before, now, changes);
        if (changes.places_size() != 0 && !items.write(changes))
            return;
        before = std::move(now);
    } while (!context.wait(std::chrono::milliseconds(request.interval_ms())));
}

int run(const std::string &name, const std::string &csv_path, const std::string &socket_path)
{
    // Every thread inherits the mask: the signals wait for sigwait() below.
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ends, nullptr);

    sheet_table table(csv_path.empty() ? csv_table() : csv_table::read(csv_path));
    ipc::rpc::server server(name);
    server.unary(methods::grid,
                 [&](const wire::GridRequest &request, wire::Cells &cells) { pack(table.read(request), cells); });
    server.unary(methods::calc,
                 [&](const wire::CalcRequest &request, wire::Cells &result, ipc::rpc::call_context &context) {
                     calculate_for(table, request, result, context);
                 });
    server.unary(methods::status,
                 [&](const google::protobuf::Empty &, wire::DaemonStatus &its) { table.describe(its); });
    server.unary(methods::functions,
                 [](const google::protobuf::Empty &, wire::DaemonFunctions &list) { list_functions(list); });
    server.server_stream(methods::subscribe, [&](const wire::SubscribeRequest &request, auto &items, auto &context) {
        serve_subscription(table, request, items, context);
    });
    server.start();

    std::unique_ptr<sysmon::socket_server> rival;
    if (!socket_path.empty())
        rival = std::make_unique<sysmon::socket_server>(socket_path, [&](int client) {
            sysmon::answer_frames<wire::GridRequest, wire::Cells>(
                client, [&](const auto &request, auto &cells) { pack(table.read(request), cells); });
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
    std::string name = "sheet", csv_path, socket_path;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 < argc && std::strcmp(argv[i], "--name") == 0) {
            name = argv[i + 1];
        } else if (i + 1 < argc && std::strcmp(argv[i], "--csv") == 0) {
            csv_path = argv[i + 1];
        } else if (i + 1 < argc && std::strcmp(argv[i], "--socket") == 0) {
            socket_path = argv[i + 1];
        } else {
            std::fprintf(stderr, "usage: officeaddin_daemon [--name NAME] [--csv FILE] [--socket PATH]\n");
            return 2;
        }
    }
    try {
        return run(name, csv_path, socket_path);
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "officeaddin_daemon: %s\n", failure.what());
        return 1;
    }
}
