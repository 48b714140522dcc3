#include "cell_words.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>

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
    if (read_number(word, number))
        return cell::of(number);
    return cell::of(std::move(word));
}

} // namespace officeaddin
