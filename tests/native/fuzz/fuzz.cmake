# Fuzzers, guided by coverage, of what the C++ calls read: only where clang's libFuzzer and AddressSanitizer are (the asan build).
#   fuzz_codec    messages, heads, error bodies, frame headers
#   fuzz_server   frames of a client, into a real server
#   fuzz_client   frames of a server, into a real client
# The C# side has its own, by mutation: FrameFuzzTests, MutationTests, HostileBytesTests. The library counts its coverage in every program of this build, which is cheaper than to compile it
# once more; ipc/rpc is headers and counts by itself.
if(NOT IPC_SANITIZE MATCHES "address" OR NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    return()
endif()

target_compile_options(ipc_objects PRIVATE -fsanitize=fuzzer-no-link)
# Compiled as one, as rpc_test is (../rpc/rpc.cmake); each fuzzer has a namespace of its own, and a program that calls its run().
add_library(fuzzers STATIC fuzz/fuzz_client.cpp fuzz/fuzz_codec.cpp fuzz/fuzz_server.cpp)
target_link_libraries(fuzzers PUBLIC rpc_tests_proto ipc_static protobuf::libprotobuf)
target_compile_options(fuzzers PRIVATE -fsanitize=fuzzer-no-link -O1) # their speed is their worth
set_target_properties(fuzzers PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
foreach(program fuzz_client fuzz_codec fuzz_server)
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${program}.cpp CONTENT [[
#include <cstddef>
#include <cstdint>

namespace @program@
{
int run(const uint8_t *data, size_t size);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return @program@::run(data, size);
}
]] @ONLY)
    add_executable(${program} ${CMAKE_CURRENT_BINARY_DIR}/${program}.cpp)
    target_link_libraries(${program} PRIVATE fuzzers)
    target_link_options(${program} PRIVATE -fsanitize=fuzzer)
    add_test(NAME ${program} COMMAND ${CMAKE_COMMAND} -DFUZZER=$<TARGET_FILE:${program}> -DCORPUS=${CMAKE_CURRENT_LIST_DIR}/corpus/${program}
        -DKEPT=${Ipc_SOURCE_DIR}/build/fuzz -P ${CMAKE_CURRENT_LIST_DIR}/run.cmake)
    set_tests_properties(${program} PROPERTIES LABELS fuzz TIMEOUT 900)
endforeach()
