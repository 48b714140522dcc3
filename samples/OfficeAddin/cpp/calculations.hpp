// What IPC.CALC can compute. Twin of ../Daemon/Calculations.cs, which lists it: the same functions, the same results to
// the last bit.
#ifndef OFFICEADDIN_CALCULATIONS_HPP
#define OFFICEADDIN_CALCULATIONS_HPP

#include "cells.hpp"
#include "ipc/rpc/call_context.hpp"

namespace officeaddin
{

cell_grid calculate(const std::string &name, std::vector<cell_grid> arguments, ipc::rpc::call_context &context);

} // namespace officeaddin
#endif
