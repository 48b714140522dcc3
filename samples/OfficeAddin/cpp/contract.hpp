// The methods of ../Contract/ISheet.cs; the messages come from ipc.sheet.v1.proto.
#ifndef OFFICEADDIN_CONTRACT_HPP
#define OFFICEADDIN_CONTRACT_HPP

#include <google/protobuf/empty.pb.h>

#include "ipc.sheet.v1.pb.h"
#include "ipc/rpc/method.hpp"

namespace officeaddin
{

namespace wire = ipc::sheet::v1;

namespace methods
{

constexpr ipc::rpc::method<wire::GridRequest, wire::Cells> grid{"ipc.sheet.v1", "Grid"};
constexpr ipc::rpc::method<wire::CalcRequest, wire::Cells> calc{"ipc.sheet.v1", "Calc"};
constexpr ipc::rpc::stream_method<wire::SubscribeRequest, wire::Changes> subscribe{"ipc.sheet.v1", "Subscribe"};
constexpr ipc::rpc::method<google::protobuf::Empty, wire::DaemonStatus> status{"ipc.sheet.v1", "Status"};
constexpr ipc::rpc::method<google::protobuf::Empty, wire::DaemonFunctions> functions{"ipc.sheet.v1", "Functions"};

} // namespace methods

} // namespace officeaddin
#endif
