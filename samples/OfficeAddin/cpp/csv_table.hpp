// The user's table: a CSV file whose first row has the fields and whose first column the ids. Twin of
// ../Daemon/CsvTable.cs, which says what is read how.
#ifndef OFFICEADDIN_CSV_TABLE_HPP
#define OFFICEADDIN_CSV_TABLE_HPP

#include <string_view>
#include <unordered_map>

#include "cells.hpp"

namespace officeaddin
{

class csv_table
{
  public:
    csv_table() = default;

    // Throws std::system_error when PATH cannot be read.
    static csv_table read(const std::string &path);
    static csv_table parse(std::string_view text);

    int rows() const
    {
        return static_cast<int>(rows_.size());
    }

    int columns() const
    {
        return static_cast<int>(fields_.size());
    }

    // Whether there is such an id; then the cell, which is empty if the line was too short, #N/A without such a field.
    bool find(const std::string &id, const std::string &field, cell &value) const;

  private:
    std::unordered_map<std::string, std::vector<cell>> rows_;
    std::unordered_map<std::string, size_t> fields_;
};

} // namespace officeaddin
#endif
