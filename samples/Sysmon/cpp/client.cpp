// sysmon-client: asks a daemon, C++ or C#, for this machine's live data. Twin of ../Client.
//
//     sysmon_client [--name NAME] show                 a table and five samples
//     sysmon_client [--name NAME] [--socket PATH] pair  Get, Watch and round trips, told in one line
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

#include "ipc/rpc.hpp"

#include "contract.hpp"
#include "socket_frame.hpp"

using namespace std::chrono_literals;

namespace
{

using sysmon::v1::Table;
using sysmon::v1::TableRequest;

constexpr int round_trips = 4000;

TableRequest ask_for(const std::vector<std::string> &ids, const std::vector<std::string> &fields)
{
    TableRequest request;
    for (const std::string &id : ids)
        request.add_ids(id);
    for (const std::string &field : fields)
        request.add_fields(field);
    return request;
}

void print(const Table &table)
{
    for (const auto &row : table.rows()) {
        std::printf("  %-14s", row.id().c_str());
        for (const auto &cell : row.cells()) {
            if (cell.has_text())
                std::printf(" %16s", cell.text().c_str());
            else if (cell.has_number())
                std::printf(" %16.1f", cell.number());
            else
                std::printf(" %16s", "-");
        }
        std::printf("\n");
    }
}

struct distribution {
    double p50, p99;
};

// Microseconds that ONCE takes, COUNT times; the first tenth warms up.
template <class Once> distribution measure(int count, Once &&once)
{
    std::vector<double> times;
    times.reserve(static_cast<size_t>(count));
    for (int i = -count / 10; i < count; ++i) {
        const auto began = std::chrono::steady_clock::now();
        once();
        const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - began;
        if (i >= 0)
            times.push_back(took.count());
    }
    std::sort(times.begin(), times.end());
    return {times[times.size() / 2], times[times.size() * 99 / 100]};
}

void check(const TableRequest &request, const Table &table)
{
    if (table.rows_size() != request.ids_size())
        throw std::runtime_error("asked for " + std::to_string(request.ids_size()) + " rows, got " +
                                 std::to_string(table.rows_size()));
    for (int i = 0; i < table.rows_size(); ++i)
        if (table.rows(i).id() != request.ids(i) || table.rows(i).cells_size() != request.fields_size())
            throw std::runtime_error("row " + std::to_string(i) + " is not what was asked for");
}

distribution measure_socket(const std::string &path, const TableRequest &request)
{
    const sockaddr_un address = sysmon::socket_address(path);
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket < 0 || connect(socket, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0)
        throw std::system_error(errno, std::generic_category(), "cannot connect to " + path);
    std::string frame;
    Table table;
    const distribution result = measure(round_trips, [&] {
        if (!sysmon::send_frame(socket, request, frame) || !sysmon::receive_frame(socket, frame) ||
            !table.ParseFromArray(frame.data() + 4, static_cast<int>(frame.size()) - 4))
            throw std::runtime_error("the Unix socket was closed");
        check(request, table);
    });
    close(socket);
    return result;
}

int pair_up(const std::string &name, const std::string &socket_path)
{
    ipc::rpc::client client(name);
    const auto listed = client.call(sysmon::list, sysmon::v1::ListRequest(), 5s);
    const TableRequest request = ask_for({"cpu", "mem", "net:lo"}, {"load", "available", "received_bytes"});
    Table table = client.call(sysmon::get, request, 5s);
    check(request, table);

    sysmon::v1::WatchRequest watch;
    *watch.mutable_ids() = request.ids();
    *watch.mutable_fields() = request.fields();
    watch.set_interval_ms(20);
    watch.set_count(3);
    int samples = 0;
    auto stream = client.stream(sysmon::watch, watch, 10s);
    for (sysmon::v1::Sample sample; stream.next(sample); check(request, sample.table()))
        if (sample.sequence() != ++samples)
            throw std::runtime_error("sample " + std::to_string(sample.sequence()) + " came as number " +
                                     std::to_string(samples));
    if (samples != watch.count())
        throw std::runtime_error("asked for " + std::to_string(watch.count()) + " samples, got " +
                                 std::to_string(samples));

    const distribution ours = measure(round_trips, [&] {
        if (const auto result = client.try_call(sysmon::get, request, table, 5s); !result)
            throw ipc::rpc::error(result);
        check(request, table);
    });
    std::printf("List %d ids, Get %d x %d, Watch %d samples; round trip p50 %.1f us, p99 %.1f us", listed.result_size(),
                request.ids_size(), request.fields_size(), samples, ours.p50, ours.p99);
    if (!socket_path.empty()) {
        const distribution theirs = measure_socket(socket_path, request);
        std::printf(" (Unix socket %.1f, %.1f)", theirs.p50, theirs.p99);
    }
    std::printf("\n");
    return 0;
}

int show(const std::string &name)
{
    ipc::rpc::client client(name);
    const TableRequest request = ask_for({"cpu", "cpu0", "mem", "net:lo", "pid:" + std::to_string(client.server_pid())},
                                         {"load", "available", "received_bytes", "name", "resident"});
    print(client.call(sysmon::get, request, 5s));
    sysmon::v1::WatchRequest watch;
    *watch.mutable_ids() = request.ids();
    *watch.mutable_fields() = request.fields();
    watch.set_interval_ms(500);
    watch.set_count(5);
    auto stream = client.stream(sysmon::watch, watch);
    for (sysmon::v1::Sample sample; stream.next(sample);) {
        std::printf("sample %d\n", static_cast<int>(sample.sequence()));
        print(sample.table());
    }
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    std::string name = "sysmon", socket_path, verb;
    for (int i = 1; i < argc; ++i) {
        if (i + 1 < argc && std::strcmp(argv[i], "--name") == 0)
            name = argv[++i];
        else if (i + 1 < argc && std::strcmp(argv[i], "--socket") == 0)
            socket_path = argv[++i];
        else
            verb = argv[i];
    }
    try {
        if (verb == "pair")
            return pair_up(name, socket_path);
        if (verb == "show")
            return show(name);
        std::fprintf(stderr, "usage: sysmon_client [--name NAME] [--socket PATH] show|pair\n");
        return 2;
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "sysmon_client: %s\n", failure.what());
        return 1;
    }
}
