#include "cell_words.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "dates.hpp"

namespace officeaddin
{

namespace
{

size_t digits(const std::string &word, size_t &at)
{
    const size_t from = at;
    while (at < word.size() && word[at] >= '0' && word[at] <= '9')
        ++at;
    return at - from;
}

// [-+] digits [. digits] [e [-+] digits]: what every language reads alike.
bool is_number(const std::string &word)
{
    size_t at = word[0] == '-' || word[0] == '+' ? 1 : 0;
    if (digits(word, at) == 0)
        return false;
    if (at < word.size() && word[at] == '.' && digits(word, ++at) == 0)
        return false;
    if (at < word.size() && (word[at] == 'e' || word[at] == 'E')) {
        ++at;
        if (at < word.size() && (word[at] == '-' || word[at] == '+'))
            ++at;
        if (digits(word, at) == 0)
            return false;
    }
    return at == word.size();
}

bool read_number(const std::string &word, double &number)
{
    if (!is_number(word))
        return false;
    const char *from = word.data() + (word[0] == '+' ? 1 : 0); // which from_chars does not take
    const auto read = std::from_chars(from, word.data() + word.size(), number);
    if (read.ec == std::errc::result_out_of_range)
        number = std::strtod(word.c_str(), nullptr); // too small is 0 or nearly, too large is infinite
    return std::isfinite(number);
}

bool read_error(const std::string &word, cell_error &error)
{
    for (const cell_error each : {cell_error::null, cell_error::div0, cell_error::value, cell_error::ref,
                                  cell_error::name, cell_error::num, cell_error::na}) {
        error = each;
        if (word == cell::of(each).shown())
            return true;
    }
    return false;
}

// As many digits as there are in PATTERN ("0"), and its other characters where they are.
bool looks_like(const std::string &word, std::string_view pattern)
{
    if (word.size() != pattern.size())
        return false;
    for (size_t i = 0; i < pattern.size(); ++i)
        if (pattern[i] == '0' ? word[i] < '0' || word[i] > '9' : word[i] != pattern[i])
            return false;
    return true;
}

// 2026-11-27 or 2026-11-27T09:30:00, of days that there are.
bool read_date(const std::string &word, double &days)
{
    const bool has_time = looks_like(word, "0000-00-00T00:00:00");
    if (!has_time && !looks_like(word, "0000-00-00"))
        return false;
    const auto number = [&](size_t at, size_t count) { return std::atoi(word.substr(at, count).c_str()); };
    const std::optional<int> day = day_of(number(0, 4), number(5, 2), number(8, 2));
    const int hour = has_time ? number(11, 2) : 0, minute = has_time ? number(14, 2) : 0,
              second = has_time ? number(17, 2) : 0;
    if (!day || hour > 23 || minute > 59 || second > 59)
        return false;
    days = *day + (hour * 3600 + minute * 60 + second) / 86'400.0;
    return true;
}

} // namespace

cell parse_word(std::string word, bool quoted)
{
    if (quoted)
        return cell::of(std::move(word));
    if (word.empty())
        return {};
    if (word == "TRUE" || word == "FALSE")
        return cell::truth(word == "TRUE");
    cell_error error{};
    if (word[0] == '#' && read_error(word, error))
        return cell::of(error);
    double number = 0;
    if (read_date(word, number))
        return cell::date(number);
    if (read_number(word, number))
        return cell::of(number);
    return cell::of(std::move(word));
}

} // namespace officeaddin
