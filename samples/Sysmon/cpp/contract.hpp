// The methods of ../Contract/ISystemMonitor.cs; the messages come from sysmon.proto.
#ifndef SYSMON_CONTRACT_HPP
#define SYSMON_CONTRACT_HPP

#include "ipc/rpc/method.hpp"
#include "sysmon.pb.h"

namespace sysmon
{

constexpr ipc::rpc::method<v1::ListRequest, v1::ListResponse> list{"sysmon.v1", "List"};
constexpr ipc::rpc::method<v1::TableRequest, v1::Table> get{"sysmon.v1", "Get"};
constexpr ipc::rpc::stream_method<v1::WatchRequest, v1::Sample> watch{"sysmon.v1", "Watch"};

} // namespace sysmon
#endif
