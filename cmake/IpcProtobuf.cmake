# Protobuf classes for C++: ipc_add_proto(TARGET FILE.proto) makes a library of what protoc writes. ipc::rpc is the headers of
# ipc/rpc.hpp and what they need. To be included by every folder that uses them: what find_package finds is known in the
# folder that asked, and below.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(Protobuf 3.12 REQUIRED)

if(NOT TARGET ipc_rpc)
    add_library(ipc_rpc INTERFACE)
    add_library(ipc::rpc ALIAS ipc_rpc)
    target_link_libraries(ipc_rpc INTERFACE ipc::ipc protobuf::libprotobuf Threads::Threads)
endif()

function(ipc_add_proto target file)
    get_filename_component(source ${file} ABSOLUTE)
    get_filename_component(folder ${source} DIRECTORY)
    get_filename_component(name ${source} NAME_WE)
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
