// Days as they travel, counted from 30 December 1899. Twin of ../Contract/CellDates.cs.
#ifndef OFFICEADDIN_DATES_HPP
#define OFFICEADDIN_DATES_HPP

#include <optional>
#include <string>

namespace officeaddin
{

// Whether there is a date of that number.
bool is_date_of(double days);

// The day of a calendar; nothing when it has none of that name.
std::optional<int> day_of(int year, int month, int day);

// The day that a workbook which counts from 1900 shows for a number; nothing: none.
std::optional<double> days_of_serial(double serial);

// 2026-11-27, 2026-11-27T09:30:00 or 2026-11-27T09:30:00.250
std::string written_date(double days);

} // namespace officeaddin
#endif
