#include "csv_table.hpp"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include "cell_words.hpp"

namespace officeaddin
{

namespace
{

struct csv_word {
    std::string text;
    bool quoted = false;
};

// Whether a line ends at AT.
bool at_end_of_line(std::string_view text, size_t at)
{
    return text[at] == '\n' || (text[at] == '\r' && (at + 1 == text.size() || text[at + 1] == '\n'));
}

// Ends at a comma, a line's end, or the end.
csv_word read_word(std::string_view text, size_t &at)
{
    csv_word word;
    word.quoted = at < text.size() && text[at] == '"';
    if (word.quoted) {
        for (++at; at < text.size(); ++at) {
            if (text[at] == '"' && (at + 1 == text.size() || text[at + 1] != '"'))
                break;
            if (text[at] == '"')
                ++at; // two of them are one
            word.text += text[at];
        }
        ++at;
    }
    while (at < text.size() && text[at] != ',' && !at_end_of_line(text, at))
        word.text += text[at++];
    return word;
}

std::vector<csv_word> read_line(std::string_view text, size_t &at)
{
    std::vector<csv_word> words;
    for (;;) {
        words.push_back(read_word(text, at));
        if (at >= text.size() || text[at] != ',')
            break;
        ++at;
    }
    if (at < text.size() && text[at] == '\r')
        ++at;
    if (at < text.size() && text[at] == '\n')
        ++at;
    return words;
}

} // namespace

csv_table csv_table::read(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file.is_open() || file.bad())
        throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(), "cannot read " + path);
    return parse(text);
}

csv_table csv_table::parse(std::string_view text)
{
    csv_table table;
    size_t at = text.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0; // a byte order mark
    bool first = true;
    while (at < text.size()) {
        std::vector<csv_word> line = read_line(text, at);
        if (line.size() == 1 && line[0].text.empty() && !line[0].quoted)
            continue; // nothing on it
        for (size_t i = 1; first && i < line.size(); ++i)
            table.fields_.emplace(line[i].text, i - 1);
        if (!first && table.rows_.count(line[0].text) == 0) {
            std::vector<cell> &cells = table.rows_[line[0].text];
            for (size_t i = 1; i < line.size(); ++i)
                cells.push_back(parse_word(std::move(line[i].text), line[i].quoted));
        }
        first = false;
    }
    return table;
}

bool csv_table::find(const std::string &id, const std::string &field, cell &value) const
{
    const auto row = rows_.find(id);
    if (row == rows_.end())
        return false;
    const auto column = fields_.find(field);
    if (column == fields_.end())
        value = cell::of(cell_error::na);
    else if (column->second < row->second.size())
        value = row->second[column->second];
    else
        value = {};
    return true;
}

} // namespace officeaddin
