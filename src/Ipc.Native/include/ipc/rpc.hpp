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
// Beside unary calls there are one-way calls, progress, streams in either direction and both, calls that do not wait
// (client::call_async), batches (client::batch), and callbacks: a client with client_options::services can be called by
// the handlers that serve it (call_context::caller). An observer (observer.hpp, in the options of either side) is told of
// calls, for traces and metrics. method.hpp has a type per kind; service.hpp says what the handler
// of each looks like, caller.hpp how each is called.
//
// Without exceptions (-fno-exceptions, also with -fno-rtti) everything is there in its try_ form, whose outcome says what
// happened, and a handler fails by the outcome that it returns:
//
//     std::optional<ipc::rpc::client> client;
//     if (auto connected = ipc::rpc::client::try_connect("sysmon", {}, client); !connected) ...
//     if (auto called = client->try_call(get, request, table, 100ms); !called) ...
//
// What a constructor cannot say otherwise, memory or a thread that is not to be had, ends such a program.
//
// What is in rpc/ is for the users of calls; what is in rpc/detail/ (and in namespaces called detail) is not, and may
// change at any time. Where to read on in there: frame.hpp has the bytes. Either end of a connection calls and is called:
// caller_core.hpp and callee.hpp are the two roles. client_channel.hpp, client_core.hpp and background.hpp give them a
// client's connection; session.hpp, server_reading.hpp, server_core.hpp, crew_threads.hpp, crew.hpp and gate.hpp a
// server's.
#ifndef IPC_RPC_HPP
#define IPC_RPC_HPP

#include "dialect.hpp"

#include "rpc/client.hpp"
#include "rpc/observer.hpp"
#include "rpc/server.hpp"
#include "rpc/service.hpp"

#endif
