#include "calculations.hpp"

#include <chrono>
#include <cmath>
#include <limits>

#include "dates.hpp"
#include "ipc/rpc.hpp"

namespace officeaddin
{

namespace
{

using arguments = std::vector<cell_grid>;

cell_grid wrong()
{
    return cell_grid::of(cell::of(cell_error::value));
}

const cell *first_error(const arguments &given)
{
    for (const cell_grid &argument : given)
        for (const cell &value : argument.cells)
            if (value.kind == cell_kind::error)
                return &value;
    return nullptr;
}

double sum(const arguments &given, int &count)
{
    double result = 0;
    count = 0;
    for (const cell_grid &argument : given) {
        for (const cell &value : argument.cells) {
            if (value.kind != cell_kind::number)
                continue;
            result += value.number;
            ++count;
        }
    }
    return result;
}

cell mean(const arguments &given)
{
    int count = 0;
    const double total = sum(given, count);
    return count == 0 ? cell::of(cell_error::div0) : cell::of(total / count);
}

std::string concat(const arguments &given)
{
    std::string text;
    for (const cell_grid &argument : given)
        for (const cell &value : argument.cells)
            text += value.shown();
    return text;
}

cell_grid vwap(const cell_grid &prices, const cell_grid &volumes)
{
    if (prices.rows != volumes.rows || prices.columns != volumes.columns)
        return wrong();
    double paid = 0, volume = 0;
    for (size_t i = 0; i < prices.cells.size(); ++i) {
        const cell &price = prices.cells[i], &amount = volumes.cells[i];
        if (price.kind != cell_kind::number || amount.kind != cell_kind::number)
            continue;
        const double product = price.number * amount.number; // apart: rounded like the twin's, whatever the processor
        paid += product;
        volume += amount.number;
    }
    return cell_grid::of(volume == 0 ? cell::of(cell_error::div0) : cell::of(paid / volume));
}

cell_grid scale(cell_grid cells, const cell_grid &factor)
{
    if (factor.rows != 1 || factor.columns != 1 || factor.cells[0].kind != cell_kind::number)
        return wrong();
    for (cell &value : cells.cells)
        if (value.kind == cell_kind::number)
            value.number *= factor.cells[0].number;
    return cells;
}

bool is_one(const cell_grid &argument, cell_kind kind)
{
    return argument.cells.size() == 1 && argument.cells[0].kind == kind;
}

// The number that is one of so many arguments.
bool read_number(const arguments &given, size_t count, size_t place, double &number)
{
    const bool is_number = given.size() == count && is_one(given[place], cell_kind::number);
    number = is_number ? given[place].cells[0].number : 0;
    return is_number;
}

// The one number that is the argument; not a number, if it is anything else.
double single(const arguments &given)
{
    double number = 0;
    return read_number(given, 1, 0, number) ? number : std::numeric_limits<double>::quiet_NaN();
}

cell_grid date(const arguments &given)
{
    double year = 0, month = 0, day = 0;
    if (!read_number(given, 3, 0, year) || !read_number(given, 3, 1, month) || !read_number(given, 3, 2, day))
        return wrong();
    std::optional<int> found;
    if (year >= 1 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day < 32)
        found = day_of(static_cast<int>(year), static_cast<int>(month), static_cast<int>(day));
    return cell_grid::of(found ? cell::date(*found) : cell::of(cell_error::num));
}

// A sheet hands a date over as the number that it counts from 1900.
cell_grid shift(const arguments &given)
{
    double days = 0, serial = 0;
    if (!read_number(given, 2, 1, days))
        return wrong();
    if (is_one(given[0], cell_kind::date))
        return cell_grid::of(cell::date(given[0].cells[0].number + days));
    if (!read_number(given, 2, 0, serial))
        return wrong();
    const std::optional<double> from = days_of_serial(serial);
    return cell_grid::of(from ? cell::date(*from + days) : cell::of(cell_error::num));
}

cell_grid error(const arguments &given)
{
    const double code = single(given);
    return code >= 0 && code <= 127 && code == std::floor(code)
               ? cell_grid::of(cell::of(static_cast<cell_error>(static_cast<int>(code))))
               : wrong();
}

cell_grid slow(const arguments &given, ipc::rpc::call_context &context)
{
    const double time = single(given);
    if (!(time >= 0 && time <= 60'000))
        return wrong();
    if (context.wait(std::chrono::milliseconds(static_cast<int>(time))))
        throw ipc::rpc::error(ipc::rpc::status::cancelled, "nobody waits any more");
    return cell_grid::of(cell::of(time));
}

struct function {
    const char *name, *parameters, *help;
    cell_grid (*run)(arguments &given, ipc::rpc::call_context &context);
    bool takes_errors = false;
};

// sum, mean and count look at numbers only and pass over the rest.
const function functions[] = {
    {"sum", "cells...", "The sum of all numbers.",
     [](arguments &given, auto &) {
         int count = 0;
         return cell_grid::of(cell::of(sum(given, count)));
     }},
    {"mean", "cells...", "The mean of all numbers.",
     [](arguments &given, auto &) { return cell_grid::of(mean(given)); }},
    {"count", "cells...", "How many numbers there are.",
     [](arguments &given, auto &) {
         int count = 0;
         sum(given, count);
         return cell_grid::of(cell::of(static_cast<double>(count)));
     }},
    {"concat", "cells...", "Everything as one text.",
     [](arguments &given, auto &) { return cell_grid::of(cell::of(concat(given))); }},
    {"vwap", "prices, volumes", "The average price by volume, of two ranges of one shape.",
     [](arguments &given, auto &) { return given.size() == 2 ? vwap(given[0], given[1]) : wrong(); }},
    {"scale", "cells, factor", "Every number times the factor, the rest as it is.",
     [](arguments &given, auto &) { return given.size() == 2 ? scale(std::move(given[0]), given[1]) : wrong(); }},
    {"date", "year, month, day", "The date of that day.", [](arguments &given, auto &) { return date(given); }},
    {"shift", "date, days", "The date so many days later.", [](arguments &given, auto &) { return shift(given); }},
    {"echo", "cells", "The same again, errors and all.",
     [](arguments &given, auto &) { return given.size() == 1 ? std::move(given[0]) : wrong(); }, true},
    {"error", "code", "The error of that code.", [](arguments &given, auto &) { return error(given); }},
    {"slow", "milliseconds", "The number, after so long.",
     [](arguments &given, auto &context) { return slow(given, context); }},
};

const function *find(const std::string &name)
{
    for (const function &each : functions)
        if (name == each.name)
            return &each;
    return nullptr;
}

} // namespace

cell_grid calculate(const std::string &name, arguments given, ipc::rpc::call_context &context)
{
    const function *found = find(name);
    if (const cell *wrong = first_error(given); wrong != nullptr && (found == nullptr || !found->takes_errors))
        return cell_grid::of(*wrong);
    return found == nullptr ? cell_grid::of(cell::of(cell_error::name)) : found->run(given, context);
}

void list_functions(wire::DaemonFunctions &list)
{
    for (const function &each : functions) {
        wire::DaemonFunction &listed = *list.add_functions();
        listed.set_name(each.name);
        listed.set_parameters(each.parameters);
        listed.set_help(each.help);
    }
}

} // namespace officeaddin
