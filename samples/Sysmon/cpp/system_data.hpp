// This machine as tables of ids x fields, read from /proc. Twin of ../Daemon/SystemData.cs: the same ids, fields and
// numbers.
//
//     id          fields
//     cpu, cpu0   load (percent, since the reading before), user, system, idle (seconds since boot)
//     mem         total, free, available, used, cached, swap_total, swap_free (bytes)
//     disk:vda    reads, writes, read_bytes, written_bytes
//     net:lo      received_bytes, received_packets, sent_bytes, sent_packets
//     pid:123     name, state (texts), parent, threads, resident (bytes), cpu_seconds, uptime (seconds)
//
// What /proc says is kept for a tenth of a second: a client that asks a hundred thousand times a second gets answers,
// not a daemon that does nothing but read files.
#ifndef SYSMON_SYSTEM_DATA_HPP
#define SYSMON_SYSTEM_DATA_HPP

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sysmon.pb.h"

namespace sysmon
{

class system_data
{
  public:
    using strings = google::protobuf::RepeatedPtrField<std::string>;

    // The ids of KIND that exist now. Any thread, like fill().
    std::vector<std::string> list(v1::Kind kind);

    // A row per id, a cell per field; cells of what does not exist are empty.
    void fill(const strings &ids, const strings &fields, v1::Table &table);

  private:
    using clock = std::chrono::steady_clock;

    struct value {
        const char *field;
        double number;
        std::string text; // if not empty, the value
    };

    struct entry {
        clock::time_point read{};
        std::vector<value> values;
    };

    struct times {
        double busy = 0;
        double total = 0;
    };

    void refresh(clock::time_point now);
    void read_processors();
    void read_memory();
    void read_disks();
    void read_networks();
    const entry *find(const std::string &id, clock::time_point now);
    const entry *process(const std::string &id, clock::time_point now);

    std::mutex mutex_;
    clock::time_point refreshed_{};
    std::unordered_map<std::string, entry> machine_;   // all but processes
    std::unordered_map<std::string, entry> processes_; // those that were asked for lately
    std::unordered_map<std::string, times> load_;
};

} // namespace sysmon
#endif
