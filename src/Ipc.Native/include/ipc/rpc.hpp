// ipc/rpc.hpp - typed calls between programs on one machine, over protobuf messages (C++17, header only, libprotobuf).
//
// The wire is docs/rpc-protocol.md: a server or client written with the C# library is a peer like any other. The
// messages come from the contract's .proto, compiled by protoc; nothing else is generated.
//
//     constexpr ipc::rpc::method<TableRequest, Table> get{"sysmon.v1", "Get"};
//
//     ipc::rpc::server server("sysmon");
//     server.unary(get, [](const TableRequest &request, Table &table) { fill(table, request); });
//     server.start();
//
//     ipc::rpc::client client("sysmon");
//     Table table = client.call(get, request, 100ms);
//
// Where to read on: frame.hpp has the bytes; client.hpp, client_core.hpp the calling side; server.hpp, server_core.hpp,
// crew.hpp, session.hpp the serving side.
#ifndef IPC_RPC_HPP
#define IPC_RPC_HPP

#include "rpc/client.hpp"
#include "rpc/server.hpp"

#endif
