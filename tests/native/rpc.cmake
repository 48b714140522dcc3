# The tests of ipc.hpp and ipc/rpc.hpp, and the C++ RPC peer. Every TEST(Name) of a file is a test of its own.
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/IpcProtobuf.cmake)

ipc_add_proto(rpc_tests_proto tests.proto)

add_executable(rpc_peer rpc_peer.cpp)
target_link_libraries(rpc_peer PRIVATE rpc_tests_proto ipc::rpc)
add_executable(rpc_probe rpc_probe.cpp) # a client for wrong servers
target_link_libraries(rpc_probe PRIVATE rpc_tests_proto ipc::rpc)
add_executable(rpc_storm rpc_storm.cpp) # clients that are killed
target_link_libraries(rpc_storm PRIVATE rpc_tests_proto ipc::rpc)

function(ipc_add_cpp_test program)
    add_executable(${program} ${program}.cpp)
    target_link_libraries(${program} PRIVATE rpc_tests_proto ipc::rpc)
    target_compile_definitions(${program} PRIVATE RPC_PEER="$<TARGET_FILE:rpc_peer>")
    add_dependencies(${program} rpc_peer)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${program}.cpp)
    file(STRINGS ${program}.cpp lines REGEX "^TEST\\(")
    foreach(line IN LISTS lines)
        string(REGEX REPLACE "^TEST\\(([A-Za-z0-9_]+)\\).*" "\\1" name "${line}")
        add_test(NAME ${program}.${name} COMMAND ${program} ${name})
    endforeach()
endfunction()

ipc_add_cpp_test(cpp_face_test)
ipc_add_cpp_test(other_version_test)
ipc_add_cpp_test(rpc_calls_test)
ipc_add_cpp_test(rpc_streams_test)
ipc_add_cpp_test(rpc_input_test)
ipc_add_cpp_test(rpc_extras_test)
ipc_add_cpp_test(rpc_callbacks_test)
ipc_add_cpp_test(rpc_async_test)
ipc_add_cpp_test(rpc_options_test)
ipc_add_cpp_test(rpc_observer_test)
ipc_add_cpp_test(rpc_frames_test)
ipc_add_cpp_test(rpc_protocol_test)
ipc_add_cpp_test(rpc_death_test)

# One program, with exceptions and type information and without.
foreach(program IN ITEMS plain_test bare_test)
    add_executable(${program} plain_test.cpp)
    target_link_libraries(${program} PRIVATE rpc_tests_proto ipc::rpc)
    target_compile_options(${program} PRIVATE -Wpedantic -Wconversion -O0) # quick to compile is what counts here
    add_test(NAME ${program} COMMAND ${program})
endforeach()
target_compile_options(bare_test PRIVATE -fno-exceptions -fno-rtti)
target_compile_definitions(bare_test PRIVATE IPC_EXPECT_BARE)
