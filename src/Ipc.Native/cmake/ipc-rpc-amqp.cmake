# Calls over a RabbitMQ broker for C++: ipc::rpc_amqp is ipc/rpc/amqp.hpp and what it needs, if rabbitmq-c is there (Debian:
# librabbitmq-dev). In an installed library it is find_package(ipc COMPONENTS rpc amqp).
find_path(IPC_RABBITMQ_INCLUDE amqp_tcp_socket.h)
find_library(IPC_RABBITMQ_LIBRARY rabbitmq)
mark_as_advanced(IPC_RABBITMQ_INCLUDE IPC_RABBITMQ_LIBRARY)
if(IPC_RABBITMQ_INCLUDE AND IPC_RABBITMQ_LIBRARY AND NOT TARGET ipc::rpc_amqp)
    add_library(ipc::rpc_amqp INTERFACE IMPORTED)
    set_target_properties(ipc::rpc_amqp PROPERTIES
        INTERFACE_LINK_LIBRARIES "ipc::rpc;${IPC_RABBITMQ_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${IPC_RABBITMQ_INCLUDE}")
endif()
