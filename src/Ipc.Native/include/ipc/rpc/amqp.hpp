// Calls over a RabbitMQ broker, for services on many machines. Linux, C++17, header only beside ipc/rpc.hpp. To be
// linked: what ipc/rpc.hpp needs, and rabbitmq-c 0.9 or newer, built with TLS (Debian: librabbitmq-dev). In CMake:
// find_package(ipc REQUIRED COMPONENTS rpc amqp), ipc::rpc_amqp; else pkg-config --cflags --libs ipc-rpc librabbitmq.
//
// Make clients and servers after fork(): a child may neither use nor destroy those of its parent, which would end the
// parent's connection; it calls exec() or _exit().
//
// What is served and called is the same as over shared memory, and the same contract in C#:
// docs/guide/many-machines.md.
//
//     ipc::rpc::amqp::server server("amqp://me:secret@broker/trading/store");
//     server.unary(store::get, [](const Name &name, Item &item) { ... });
//     server.start();
//
//     ipc::rpc::amqp::client client("amqp://me:secret@broker/trading/store");
//     Item apple = client.call(store::get, name, std::chrono::seconds(5));
#ifndef IPC_RPC_AMQP_HPP
#define IPC_RPC_AMQP_HPP

#include "../dialect.hpp"

#include "../rpc.hpp"
#include "amqp/client.hpp"
#include "amqp/options.hpp"
#include "amqp/server.hpp"

#endif
