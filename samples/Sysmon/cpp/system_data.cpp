#include "system_data.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <unistd.h>

namespace sysmon
{

namespace
{

constexpr auto max_age = std::chrono::milliseconds(100);

std::string contents(const std::string &path)
{
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

bool starts_with(std::string_view text, std::string_view prefix)
{
    return text.substr(0, prefix.size()) == prefix;
}

double ticks_per_second()
{
    static const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    return ticks;
}

} // namespace

std::vector<std::string> system_data::list(v1::Kind kind)
{
    const std::lock_guard held(mutex_);
    refresh(clock::now());
    const auto wanted = [kind](const std::string &id) {
        const v1::Kind its = starts_with(id, "cpu")     ? v1::KIND_PROCESSOR
                             : starts_with(id, "disk:") ? v1::KIND_DISK
                             : starts_with(id, "net:")  ? v1::KIND_NETWORK
                                                        : v1::KIND_MEMORY;
        return kind == v1::KIND_ALL || kind == its;
    };
    std::vector<std::string> ids;
    for (const auto &each : machine_)
        if (wanted(each.first))
            ids.push_back(each.first);
    std::sort(ids.begin(), ids.end());
    if (kind != v1::KIND_ALL && kind != v1::KIND_PROCESS)
        return ids;

    std::vector<int> pids;
    const std::unique_ptr<DIR, int (*)(DIR *)> folder(opendir("/proc"), closedir);
    while (const dirent *found = folder != nullptr ? readdir(folder.get()) : nullptr)
        if (std::isdigit(static_cast<unsigned char>(found->d_name[0])) != 0)
            pids.push_back(std::atoi(found->d_name));
    std::sort(pids.begin(), pids.end());
    for (const int pid : pids)
        ids.push_back("pid:" + std::to_string(pid));
    return ids;
}

void system_data::fill(const strings &ids, const strings &fields, v1::Table &table)
{
    const auto now = clock::now();
    const std::lock_guard held(mutex_);
    refresh(now);
    table.mutable_rows()->Reserve(ids.size());
    for (const std::string &id : ids) {
        v1::Row &row = *table.add_rows();
        row.set_id(id);
        const entry *found = find(id, now);
        for (const std::string &field : fields) {
            v1::Cell &cell = *row.add_cells();
            if (found == nullptr)
                continue;
            const auto its = std::find_if(found->values.begin(), found->values.end(),
                                          [&](const value &each) { return field == each.field; });
            if (its == found->values.end())
                continue;
            if (its->text.empty())
                cell.set_number(its->number);
            else
                cell.set_text(its->text);
        }
    }
}

void system_data::refresh(clock::time_point now)
{
    if (refreshed_ != clock::time_point{} && now - refreshed_ < max_age)
        return;
    refreshed_ = now;
    machine_.clear();
    read_processors();
    read_memory();
    read_disks();
    read_networks();
    for (auto each = processes_.begin(); each != processes_.end();)
        each = now - each->second.read < max_age ? std::next(each) : processes_.erase(each);
}

void system_data::read_processors()
{
    std::istringstream lines(contents("/proc/stat"));
    for (std::string line; std::getline(lines, line) && starts_with(line, "cpu");) {
        std::istringstream words(line);
        std::string id;
        double user = 0, nice = 0, system = 0, idle = 0, io = 0, irq = 0, soft = 0, stolen = 0;
        words >> id >> user >> nice >> system >> idle >> io >> irq >> soft >> stolen;
        const double busy = user + nice + system + irq + soft + stolen;
        const double total = busy + idle + io;
        times &before = load_[id];
        const double load = total > before.total ? 100 * (busy - before.busy) / (total - before.total) : 0;
        before = {busy, total};
        const double second = ticks_per_second();
        machine_[id].values = {{"load", load, {}},
                               {"user", (user + nice) / second, {}},
                               {"system", system / second, {}},
                               {"idle", idle / second, {}}};
    }
}

void system_data::read_memory()
{
    std::istringstream lines(contents("/proc/meminfo"));
    std::unordered_map<std::string, double> bytes;
    std::string name, unit;
    double kilobytes = 0;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        if (words >> name >> kilobytes)
            bytes[name] = kilobytes * 1024;
    }
    const double total = bytes["MemTotal:"], available = bytes["MemAvailable:"];
    machine_["mem"].values = {{"total", total, {}},
                              {"free", bytes["MemFree:"], {}},
                              {"available", available, {}},
                              {"used", total - available, {}},
                              {"cached", bytes["Cached:"], {}},
                              {"swap_total", bytes["SwapTotal:"], {}},
                              {"swap_free", bytes["SwapFree:"], {}}};
}

void system_data::read_disks()
{
    constexpr double sector = 512; // whatever the device says: this is the unit of the file
    std::istringstream lines(contents("/proc/diskstats"));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string major, minor, name;
        double reads = 0, merged = 0, sectors_read = 0, ms = 0, writes = 0, sectors_written = 0;
        if (words >> major >> minor >> name >> reads >> merged >> sectors_read >> ms >> writes >> merged >>
            sectors_written)
            machine_["disk:" + name].values = {{"reads", reads, {}},
                                               {"writes", writes, {}},
                                               {"read_bytes", sectors_read * sector, {}},
                                               {"written_bytes", sectors_written * sector, {}}};
    }
}

void system_data::read_networks()
{
    std::istringstream lines(contents("/proc/net/dev"));
    for (std::string line; std::getline(lines, line);) {
        const size_t colon = line.find(':');
        if (colon == std::string::npos)
            continue; // the two lines of headings
        const size_t start = line.find_first_not_of(' ');
        std::istringstream words(line.substr(colon + 1));
        double received = 0, received_packets = 0, skipped = 0, sent = 0, sent_packets = 0;
        words >> received >> received_packets;
        for (int i = 0; i < 6; ++i)
            words >> skipped;
        words >> sent >> sent_packets;
        machine_["net:" + line.substr(start, colon - start)].values = {{"received_bytes", received, {}},
                                                                       {"received_packets", received_packets, {}},
                                                                       {"sent_bytes", sent, {}},
                                                                       {"sent_packets", sent_packets, {}}};
    }
}

const system_data::entry *system_data::find(const std::string &id, clock::time_point now)
{
    if (starts_with(id, "pid:"))
        return process(id, now);
    const auto found = machine_.find(id);
    return found == machine_.end() ? nullptr : &found->second;
}

const system_data::entry *system_data::process(const std::string &id, clock::time_point now)
{
    if (const auto found = processes_.find(id); found != processes_.end() && now - found->second.read < max_age)
        return &found->second;
    const std::string pid = id.substr(4);
    if (pid.empty() || pid.size() > 9 || pid.find_first_not_of("0123456789") != std::string::npos)
        return nullptr; // no path of a caller's making reaches the file system
    const std::string line = contents("/proc/" + pid + "/stat");
    const size_t open = line.find('('), close = line.rfind(')'); // the name may hold both
    if (open == std::string::npos || close == std::string::npos || close < open)
        return nullptr;
    std::istringstream words(line.substr(close + 1));
    std::string state, skipped;
    double parent = 0, user = 0, system = 0, threads = 0, started = 0, pages = 0;
    words >> state >> parent;
    for (int field = 5; field < 14; ++field)
        words >> skipped;
    words >> user >> system;
    for (int field = 16; field < 20; ++field)
        words >> skipped;
    words >> threads >> skipped >> started >> skipped >> pages;
    if (!words)
        return nullptr;
    double uptime = 0;
    std::istringstream(contents("/proc/uptime")) >> uptime;
    entry &made = processes_[id];
    made.read = now;
    made.values = {{"name", 0, line.substr(open + 1, close - open - 1)},
                   {"state", 0, state},
                   {"parent", parent, {}},
                   {"threads", threads, {}},
                   {"resident", pages * static_cast<double>(sysconf(_SC_PAGESIZE)), {}},
                   {"cpu_seconds", (user + system) / ticks_per_second(), {}},
                   {"uptime", uptime - started / ticks_per_second(), {}}};
    return &made;
}

} // namespace sysmon
