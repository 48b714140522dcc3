#include "sheet_table.hpp"

#include <numeric>

#include <unistd.h>

#include "ipc/rpc/status.hpp"

namespace officeaddin
{

namespace
{

constexpr int64_t most_cells = 1 << 24;

[[noreturn]] void refuse(const std::string &why)
{
    throw ipc::rpc::error(ipc::rpc::status::invalid_argument, why);
}

std::string size_of(const wire::GridRequest &request)
{
    return std::to_string(request.ids_size()) + " x " + std::to_string(request.fields_size());
}

} // namespace

cell_grid sheet_table::read(const wire::GridRequest &request)
{
    const int64_t size = static_cast<int64_t>(request.ids_size()) * request.fields_size();
    if (size > most_cells && request.picks().empty())
        refuse(size_of(request) + " cells are too many for one request");
    std::vector<int> picks(request.picks().begin(), request.picks().end());
    if (picks.empty()) {
        picks.resize(static_cast<size_t>(size));
        std::iota(picks.begin(), picks.end(), 0);
    }
    std::vector<cell> values(picks.size());
    std::vector<size_t> elsewhere;
    for (size_t i = 0; i < picks.size(); ++i) {
        if (picks[i] < 0 || picks[i] >= size)
            refuse("cell " + std::to_string(picks[i]) + " is not in a table of " + size_of(request));
        const std::string &id = request.ids(picks[i] / request.fields_size());
        if (!csv_.find(id, request.fields(picks[i] % request.fields_size()), values[i]))
            elsewhere.push_back(i);
    }
    read_machine(request, picks, elsewhere, values);
    count(values.size());
    if (request.picks().empty())
        return {request.ids_size(), request.fields_size(), std::move(values)};
    return {1, static_cast<int>(values.size()), std::move(values)};
}

// What the table does not have. A run of cells of one id is one question.
void sheet_table::read_machine(const wire::GridRequest &request, const std::vector<int> &picks,
                               const std::vector<size_t> &places, std::vector<cell> &values)
{
    for (size_t from = 0, to = 0; from < places.size(); from = to) {
        const int id = picks[places[from]] / request.fields_size();
        sysmon::system_data::strings ids, fields;
        *ids.Add() = request.ids(id);
        for (to = from; to < places.size() && picks[places[to]] / request.fields_size() == id; ++to)
            *fields.Add() = request.fields(picks[places[to]] % request.fields_size());
        sysmon::v1::Table table;
        machine_.fill(ids, fields, table);
        for (size_t i = from; i < to; ++i) {
            const sysmon::v1::Cell &found = table.rows(0).cells(static_cast<int>(i - from));
            values[places[i]] = found.has_number() ? cell::of(found.number())
                                : found.has_text() ? cell::of(found.text())
                                                   : cell::of(cell_error::na);
        }
    }
}

void sheet_table::count(size_t cells)
{
    ++requests_;
    cells_ += static_cast<int64_t>(cells);
}

void sheet_table::describe(wire::DaemonStatus &status) const
{
    status.set_language("C++");
    status.set_process_id(getpid());
    status.set_rows(csv_.rows());
    status.set_columns(csv_.columns());
    status.set_requests(requests_);
    status.set_cells(cells_);
}

} // namespace officeaddin
