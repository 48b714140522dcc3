#include "cells.hpp"

#include <cstdint>
#include <cstdio>

#include "dates.hpp"
#include "ipc/rpc/status.hpp"

namespace officeaddin
{

namespace
{

// The byte of a cell.
enum : unsigned char { is_empty, is_number, is_text, is_false, is_true, is_date, first_error = 128, last_error = 255 };

[[noreturn]] void refuse(const char *why)
{
    throw ipc::rpc::error(ipc::rpc::status::invalid_argument, why);
}

// What no byte holds is no code of Excel's: not one that happens to have the same last bits.
int code_of(int error)
{
    return error >= 0 && error <= last_error - first_error ? error : static_cast<int>(cell_error::value);
}

const char *name_of(int code)
{
    switch (static_cast<cell_error>(code)) {
    case cell_error::null:
        return "#NULL!";
    case cell_error::div0:
        return "#DIV/0!";
    case cell_error::value:
        return "#VALUE!";
    case cell_error::ref:
        return "#REF!";
    case cell_error::name:
        return "#NAME?";
    case cell_error::num:
        return "#NUM!";
    case cell_error::getting_data:
        return "#GETTING_DATA";
    default:
        return "#N/A";
    }
}

// A spreadsheet that is handed a code which it does not have shows what it likes.
cell_error known_error(int code)
{
    const auto error = static_cast<cell_error>(code);
    switch (error) {
    case cell_error::null:
    case cell_error::div0:
    case cell_error::value:
    case cell_error::ref:
    case cell_error::name:
    case cell_error::num:
    case cell_error::na:
    case cell_error::getting_data:
        return error;
    }
    return cell_error::value;
}

} // namespace

cell cell::of(double number)
{
    return {cell_kind::number, number, {}};
}

cell cell::of(std::string text)
{
    return {cell_kind::text, 0, std::move(text)};
}

cell cell::truth(bool value)
{
    return {cell_kind::boolean, value ? 1.0 : 0.0, {}};
}

cell cell::of(cell_error error)
{
    return {cell_kind::error, static_cast<double>(static_cast<int>(error)), {}};
}

cell cell::date(double days)
{
    return is_date_of(days) ? cell{cell_kind::date, days, {}} : of(cell_error::num);
}

std::string cell::shown() const
{
    char digits[32];
    switch (kind) {
    case cell_kind::number:
        std::snprintf(digits, sizeof digits, "%.15G", number);
        return digits;
    case cell_kind::text:
        return text;
    case cell_kind::boolean:
        return number != 0 ? "TRUE" : "FALSE";
    case cell_kind::error:
        return name_of(static_cast<int>(number));
    case cell_kind::date:
        return written_date(number);
    default:
        return {};
    }
}

bool cell::operator==(const cell &other) const
{
    return kind == other.kind && number == other.number && text == other.text;
}

cell_grid cell_grid::of(cell value)
{
    return {1, 1, {std::move(value)}};
}

void pack(const cell_grid &grid, wire::Cells &cells)
{
    cells.set_rows(grid.rows);
    cells.set_columns(grid.columns);
    std::string &kinds = *cells.mutable_kinds();
    kinds.assign(grid.cells.size(), static_cast<char>(is_empty));
    for (size_t i = 0; i < grid.cells.size(); ++i) {
        const cell &value = grid.cells[i];
        switch (value.kind) {
        case cell_kind::empty:
            break;
        case cell_kind::number:
            kinds[i] = static_cast<char>(is_number);
            cells.add_numbers(value.number);
            break;
        case cell_kind::text:
            kinds[i] = static_cast<char>(is_text);
            cells.add_texts(value.text);
            break;
        case cell_kind::boolean:
            kinds[i] = static_cast<char>(value.number != 0 ? is_true : is_false);
            break;
        case cell_kind::date:
            kinds[i] = static_cast<char>(is_date);
            cells.add_numbers(value.number);
            break;
        case cell_kind::error:
            kinds[i] = static_cast<char>(first_error + code_of(static_cast<int>(value.number)));
            break;
        }
    }
}

cell_grid unpack(const wire::Cells &cells)
{
    const std::string &kinds = cells.kinds();
    if (cells.rows() < 0 || cells.columns() < 0 ||
        static_cast<uint64_t>(cells.rows()) * static_cast<uint64_t>(cells.columns()) != kinds.size())
        refuse("the cells do not make a table of the size that it says");
    cell_grid grid{cells.rows(), cells.columns(), {}};
    grid.cells.reserve(kinds.size());
    int number = 0, text = 0;
    for (const char each : kinds) {
        const auto kind = static_cast<unsigned char>(each);
        if (kind == is_number && number < cells.numbers_size())
            grid.cells.push_back(cell::of(cells.numbers(number++)));
        else if (kind == is_date && number < cells.numbers_size())
            grid.cells.push_back(cell::date(cells.numbers(number++)));
        else if (kind == is_text && text < cells.texts_size())
            grid.cells.push_back(cell::of(cells.texts(text++)));
        else if (kind == is_false || kind == is_true)
            grid.cells.push_back(cell::truth(kind == is_true));
        else if (kind >= first_error)
            grid.cells.push_back(cell::of(known_error(kind - first_error)));
        else if (kind == is_empty)
            grid.cells.emplace_back();
        else
            refuse("a cell of an unknown kind, or a table with fewer values than cells for them");
    }
    if (number != cells.numbers_size() || text != cells.texts_size())
        refuse("a table with more values than cells");
    return grid;
}

} // namespace officeaddin
