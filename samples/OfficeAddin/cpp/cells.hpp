// Cells and tables of them, and the form in which they travel. Twin of ../Contract/CellValue.cs, CellGrid.cs,
// CellPacking.cs.
#ifndef OFFICEADDIN_CELLS_HPP
#define OFFICEADDIN_CELLS_HPP

#include <string>
#include <utility>
#include <vector>

#include "contract.hpp"

namespace officeaddin
{

enum class cell_kind : unsigned char { empty, number, text, boolean, error, date };

// The codes that Excel's C interface has for them.
enum class cell_error { null = 0, div0 = 7, value = 15, ref = 23, name = 29, num = 36, na = 42, getting_data = 43 };

struct cell {
    cell_kind kind = cell_kind::empty;
    double number = 0; // also the code of an error, 0 or 1, and the days of a date
    std::string text;

    static cell of(double number);
    static cell of(std::string text);
    static cell truth(bool value);
    static cell of(cell_error error);
    // By days since 30 December 1899, the time of day as their fraction; #NUM! when there is none of that number.
    static cell date(double days);

    // As a spreadsheet shows it; a date as programmers write it.
    std::string shown() const;

    bool operator==(const cell &other) const;
};

// Row by row.
struct cell_grid {
    int rows = 0;
    int columns = 0;
    std::vector<cell> cells;

    static cell_grid of(cell value);
};

void pack(const cell_grid &grid, wire::Cells &cells);

// Throws ipc::rpc::error when it is not a table: what it says of itself does not agree.
cell_grid unpack(const wire::Cells &cells);

} // namespace officeaddin
#endif
