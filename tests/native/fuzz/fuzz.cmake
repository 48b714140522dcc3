# Fuzzers, guided by coverage: only where clang's libFuzzer and AddressSanitizer are (the asan build). tests/fuzz.sh runs
# them. The library is compiled once more, for its coverage to count; ipc/rpc is headers and counts by itself.
if(NOT IPC_SANITIZE MATCHES "address" OR NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    return()
endif()

add_library(ipc_fuzzed STATIC EXCLUDE_FROM_ALL ${IPC_LIBRARY_SOURCES})
ipc_configure_library(ipc_fuzzed)
target_compile_options(ipc_fuzzed PUBLIC -fsanitize=fuzzer-no-link)
foreach(program fuzz_client fuzz_codec fuzz_server)
    add_executable(${program} fuzz/${program}.cpp)
    target_link_libraries(${program} PRIVATE rpc_tests_proto ipc_fuzzed protobuf::libprotobuf)
    target_link_options(${program} PRIVATE -fsanitize=fuzzer)
    target_compile_options(${program} PRIVATE -O1) # their speed is their worth
endforeach()
