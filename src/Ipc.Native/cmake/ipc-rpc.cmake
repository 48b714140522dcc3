# Typed calls for C++: ipc::rpc is ipc/rpc.hpp and what it needs; ipc_add_proto(TARGET FILE.proto) makes a library of what
# protoc writes for the messages. In an installed library it is find_package(ipc COMPONENTS rpc). To be included by every
# folder that uses it: what find_package finds is known in the folder that asked, and below.
#
# IPC_RPC_STATIC, set before, takes the C library as an archive.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(Protobuf 3.12 REQUIRED)

if(NOT TARGET ipc::rpc)
    add_library(ipc::rpc INTERFACE IMPORTED)
    set_target_properties(ipc::rpc PROPERTIES INTERFACE_COMPILE_FEATURES cxx_std_17
        INTERFACE_LINK_LIBRARIES "$<IF:$<BOOL:${IPC_RPC_STATIC}>,ipc::ipc_static,ipc::ipc>;protobuf::libprotobuf;Threads::Threads")
endif()

function(ipc_add_proto target file)
    get_filename_component(source ${file} ABSOLUTE)
    get_filename_component(folder ${source} DIRECTORY)
    get_filename_component(name ${source} NAME_WLE) # sheet.v1 of sheet.v1.proto
    set(out ${CMAKE_CURRENT_BINARY_DIR}/${target})
    file(MAKE_DIRECTORY ${out})
    add_custom_command(
        OUTPUT ${out}/${name}.pb.cc ${out}/${name}.pb.h
        COMMAND protobuf::protoc --cpp_out=${out} --proto_path=${folder} ${source}
        DEPENDS ${source}
        VERBATIM)
    add_library(${target} STATIC ${out}/${name}.pb.cc ${out}/${name}.pb.h)
    target_include_directories(${target} SYSTEM PUBLIC ${out})
    target_link_libraries(${target} PUBLIC protobuf::libprotobuf)
    target_compile_options(${target} PRIVATE -w) # what protoc writes is not ours to judge
endfunction()
