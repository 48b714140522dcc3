# Fuzzers, guided by coverage, of what the C++ calls read: only where clang's libFuzzer and AddressSanitizer are (the asan build).
#   fuzz_codec    messages, heads, error bodies, frame headers
#   fuzz_server   frames of a client, into a real server
#   fuzz_client   frames of a server, into a real client
# The C# side has its own, by mutation: FrameFuzzTests, MutationTests, HostileBytesTests. The library is compiled once more, for its coverage to count; ipc/rpc is headers and counts by itself.
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
    add_test(NAME ${program} COMMAND ${CMAKE_COMMAND} -DFUZZER=$<TARGET_FILE:${program}> -DCORPUS=${CMAKE_CURRENT_LIST_DIR}/corpus/${program}
        -DKEPT=${Ipc_SOURCE_DIR}/build/fuzz -P ${CMAKE_CURRENT_LIST_DIR}/run.cmake)
    set_tests_properties(${program} PROPERTIES LABELS fuzz TIMEOUT 900)
endforeach()
