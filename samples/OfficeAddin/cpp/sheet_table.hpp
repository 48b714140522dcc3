// The cells that the daemon has: the user's table, and this machine. Any thread. Twin of ../Daemon/SheetTable.cs.
#ifndef OFFICEADDIN_SHEET_TABLE_HPP
#define OFFICEADDIN_SHEET_TABLE_HPP

#include <atomic>
#include <cstdint>

#include "csv_table.hpp"
#include "system_data.hpp"

namespace officeaddin
{

class sheet_table
{
  public:
    explicit sheet_table(csv_table csv) : csv_(std::move(csv))
    {
    }

    // Throws ipc::rpc::error: the request is too large, or picks what it does not name.
    cell_grid read(const wire::GridRequest &request);

    void count(size_t cells);
    void describe(wire::DaemonStatus &status) const;

  private:
    void read_machine(const wire::GridRequest &request, const std::vector<int> &picks,
                      const std::vector<size_t> &places, std::vector<cell> &values);

    const csv_table csv_;
    sysmon::system_data machine_;
    std::atomic<int64_t> requests_{0}, cells_{0};
};

} // namespace officeaddin
#endif
