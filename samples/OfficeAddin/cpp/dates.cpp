#include "dates.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>

namespace officeaddin
{

namespace
{

constexpr double milliseconds_of_day = 86'400'000;
constexpr int first_day = 2;           // 1 January 1900, which is 1
constexpr int first_of_march = 61;     // 1900
constexpr int no_day = 60;             // 29 February 1900 by Excel's calendar
constexpr int earliest_day = -693'593; // 1 January of the year 1
constexpr int day_after_last = 2'958'466;

double milliseconds(double days)
{
    return std::floor(days * milliseconds_of_day + 0.5);
}

bool is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int days_in_month(int year, int month)
{
    constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year) ? 1 : 0);
}

int first_of_year(int year)
{
    const int before = year - 1;
    return earliest_day + before * 365 + before / 4 - before / 100 + before / 400;
}

} // namespace

bool is_date_of(double days)
{
    return milliseconds(days) >= earliest_day * milliseconds_of_day &&
           milliseconds(days) < day_after_last * milliseconds_of_day;
}

std::optional<int> day_of(int year, int month, int day)
{
    if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month))
        return std::nullopt;
    int days = first_of_year(year) + day - 1;
    for (int before = 1; before < month; ++before)
        days += days_in_month(year, before);
    return days;
}

std::optional<double> days_of_serial(double serial)
{
    const double days = serial < no_day ? serial + 1 : serial;
    if (!(days >= first_day) || (serial >= no_day && serial < first_of_march) || !is_date_of(days))
        return std::nullopt;
    return days;
}

std::string written_date(double days)
{
    const double all = milliseconds(days);
    int day = static_cast<int>(std::floor(all / milliseconds_of_day));
    const int time = static_cast<int>(all - day * milliseconds_of_day);
    int year = static_cast<int>((day - earliest_day) / 365.2425) + 1, month = 1;
    while (first_of_year(year) > day)
        --year;
    while (first_of_year(year + 1) <= day)
        ++year;
    day -= first_of_year(year);
    for (; day >= days_in_month(year, month); ++month)
        day -= days_in_month(year, month);

    char text[64];
    int length = std::snprintf(text, sizeof text, "%04d-%02d-%02d", year, month, day + 1);
    if (time != 0)
        length += std::snprintf(text + length, sizeof text - static_cast<size_t>(length), "T%02d:%02d:%02d",
                                time / 3'600'000, time / 60'000 % 60, time / 1000 % 60);
    if (time % 1000 != 0)
        std::snprintf(text + length, sizeof text - static_cast<size_t>(length), ".%03d", time % 1000);
    return text;
}

} // namespace officeaddin
