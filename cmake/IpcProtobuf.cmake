# ipc::rpc and ipc_add_proto() for the programs of the repository: what an installed library offers too.
include(${CMAKE_CURRENT_LIST_DIR}/../src/Ipc.Native/cmake/ipc-rpc.cmake)
