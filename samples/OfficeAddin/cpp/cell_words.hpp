// Between words of a text file and cells. Twin of ../Daemon/CellWords.cs: the same words make the same cells.
#ifndef OFFICEADDIN_CELL_WORDS_HPP
#define OFFICEADDIN_CELL_WORDS_HPP

#include "cells.hpp"

namespace officeaddin
{

cell parse_word(std::string word, bool quoted);

} // namespace officeaddin
#endif
