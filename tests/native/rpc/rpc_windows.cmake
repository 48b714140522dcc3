# The tests of calls in C++ for Windows, those of one process: an empty IPC_WINDOWS_PROTOBUF leaves them out. No package of Debian's has libprotobuf for mingw-w64;
# IPC_WINDOWS_PROTOBUF is the folder where one of protoc's version was installed (posix threads, static). `eng/windows.sh` takes it from the environment.
list(APPEND CMAKE_FIND_ROOT_PATH ${IPC_WINDOWS_PROTOBUF})
set(Protobuf_PROTOC_EXECUTABLE protoc)
set(IPC_RPC_STATIC ON)
include(${CMAKE_CURRENT_LIST_DIR}/../../../cmake/IpcProtobuf.cmake)
ipc_add_proto(rpc_tests_proto rpc/tests.proto)

add_executable(rpc_test rpc/rpc_test.cpp)
foreach(file IN ITEMS rpc_calls_test rpc_streams_test rpc_input_test rpc_extras_test rpc_callbacks_test rpc_async_test rpc_options_test rpc_server_end_test rpc_unread_test
        rpc_observer_test rpc_interceptor_test rpc_reflection_test rpc_frames_test rpc_protocol_test rpc_ending_test rpc_cancel_test rpc_drain_test)
    target_sources(rpc_test PRIVATE rpc/${file}.cpp)
endforeach()
target_include_directories(rpc_test PRIVATE ${CMAKE_CURRENT_LIST_DIR})
target_link_libraries(rpc_test PRIVATE rpc_tests_proto ipc::rpc)
target_compile_definitions(rpc_test PRIVATE _WIN32_WINNT=0x0A00 __USE_MINGW_ANSI_STDIO=1)
target_compile_options(rpc_test PRIVATE -O0 -Wpedantic -Wa,-mbig-obj)
set_target_properties(rpc_test PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
