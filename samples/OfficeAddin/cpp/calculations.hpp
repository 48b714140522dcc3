// What IPC.CALC can compute. Twin of ../Daemon/Calculations.cs: the same functions, the same results to the last bit.
#ifndef OFFICEADDIN_CALCULATIONS_HPP
#define OFFICEADDIN_CALCULATIONS_HPP

#include "cells.hpp"
#include "ipc/rpc/call_context.hpp"

namespace officeaddin
{

// As in a spreadsheet: an error among the arguments is the result, the first one; #NAME? is that of no function.
cell_grid calculate(const std::string &name, std::vector<cell_grid> arguments, ipc::rpc::call_context &context);

// All of them.
void list_functions(wire::DaemonFunctions &list);

} // namespace officeaddin
#endif
