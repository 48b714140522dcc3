// Calls over a RabbitMQ broker, for services on many machines: header only, beside ipc/rpc.hpp, and with rabbitmq-c
// (Debian: librabbitmq-dev) to be linked: -lrabbitmq. In CMake: find_package(ipc COMPONENTS rpc amqp), ipc::rpc_amqp.
//
// What is served and called is the same as over shared memory, and the same contract in C#: docs/guide/many-machines.md.
//
//     ipc::rpc::amqp::server server("amqp://me:secret@broker/trading/store");
//     server.unary(store::get, [](const Name &name, Item &item) { ... });
//     server.start();
//
//     ipc::rpc::amqp::client client("amqp://me:secret@broker/trading/store");
//     Item apple = client.call(store::get, name, std::chrono::seconds(5));
#ifndef IPC_RPC_AMQP_HPP
#define IPC_RPC_AMQP_HPP

#include "../rpc.hpp"
#include "amqp/client.hpp"
#include "amqp/options.hpp"
#include "amqp/server.hpp"

#endif
