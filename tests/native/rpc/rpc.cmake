# The tests of ipc.hpp and ipc/rpc.hpp. Every TEST(Name) of a file is a test of its own.
include(${CMAKE_CURRENT_LIST_DIR}/../../../cmake/IpcProtobuf.cmake)

ipc_add_proto(rpc_tests_proto rpc/tests.proto)

add_library(rpc_tests INTERFACE) # what the tests and the peers (../peers) have in common
target_include_directories(rpc_tests INTERFACE ${CMAKE_CURRENT_LIST_DIR})
target_link_libraries(rpc_tests INTERFACE rpc_tests_proto ipc::rpc)

# ipc/rpc.hpp and protoc's headers are compiled once: they are most of what a compiler has to read for any of these programs.
function(ipc_precompiled program)
    target_precompile_headers(${program} REUSE_FROM rpc_headers)
    if(TARGET rpc_headers_code)
        add_dependencies(${program} rpc_headers_code)
        target_link_libraries(${program} PRIVATE ${rpc_headers_code})
    endif()
endfunction()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/rpc_headers.cpp CONTENT "")
add_library(rpc_headers OBJECT ${CMAKE_CURRENT_BINARY_DIR}/rpc_headers.cpp)
target_link_libraries(rpc_headers PRIVATE rpc_tests)
target_precompile_headers(rpc_headers PRIVATE rpc/rpc_contract.hpp)
# What a sanitizer adds to a function is most of what it costs to compile: those of the headers are compiled with them, and not again with each program.
if(IPC_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(rpc_headers PRIVATE -fpch-codegen)
    set(precompiled ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/rpc_headers.dir/cmake_pch.hxx.pch)
    set(rpc_headers_code ${CMAKE_CURRENT_BINARY_DIR}/rpc_headers_code.o CACHE INTERNAL "")
    add_custom_command(OUTPUT ${rpc_headers_code} COMMAND ${CMAKE_CXX_COMPILER} ${IPC_SANITIZER_OPTIONS} -O0 -c ${precompiled} -o ${rpc_headers_code}
        DEPENDS rpc_headers ${precompiled} VERBATIM)
    add_custom_target(rpc_headers_code DEPENDS ${rpc_headers_code})
endif()

# ipc_add_cpp_tests(PROGRAM FILE...): the tests of each file, which PROGRAM runs by name.
function(ipc_add_cpp_tests program)
    target_link_libraries(${program} PRIVATE rpc_tests)
    foreach(file IN LISTS ARGN)
        get_filename_component(suite ${file} NAME)
        target_sources(${program} PRIVATE rpc/${file}.cpp)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS rpc/${file}.cpp)
        file(STRINGS rpc/${file}.cpp lines REGEX "^TEST\\(")
        foreach(line IN LISTS lines)
            string(REGEX REPLACE "^TEST\\(([A-Za-z0-9_]+)\\).*" "\\1" name "${line}")
            add_test(NAME ${suite}.${name} COMMAND ${program} ${name})
        endforeach()
    endforeach()
endfunction()

foreach(program IN ITEMS cpp_face_test cpp_named_test other_version_test pipe_stream_test)
    add_executable(${program})
    ipc_add_cpp_tests(${program} ${program})
endforeach()

# It has a clock of its own (support/counted_clock.c), as a sanitizer has, and for 64 bits. Its calls await where the compiler can.
if(NOT IPC_SANITIZE AND NOT CMAKE_CROSSCOMPILING_EMULATOR AND CMAKE_SIZEOF_VOID_P EQUAL 8)
    add_executable(time_limit_test support/counted_clock.c)
    ipc_add_cpp_tests(time_limit_test time_limit_test)
endif()

# Where the compiler knows coroutines: clang does so from 15 on, and the header is empty before.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_FLAGS -std=c++20)
check_cxx_source_compiles("#include <coroutine>\n#ifndef __cpp_impl_coroutine\n#error none\n#endif\nint main() {}" IPC_HAS_COROUTINES)
unset(CMAKE_REQUIRED_FLAGS)
if(IPC_HAS_COROUTINES)
    add_executable(coroutine_test)
    ipc_add_cpp_tests(coroutine_test coroutine_test coroutine_room_test)
    set_target_properties(coroutine_test PROPERTIES CXX_STANDARD 20)
    if(TARGET time_limit_test)
        set_target_properties(time_limit_test PROPERTIES CXX_STANDARD 20)
    endif()
endif()

# Compiled as one: ipc/rpc is headers, and a compiler makes all of it once for each thing that it compiles. Two programs: two processors compile them at once.
# ipc_cpp_program(PROGRAM FILE...): the tests of the files, and the stress of those that are named *_stress.
function(ipc_cpp_program program)
    add_executable(${program} rpc/rpc_test.cpp)
    ipc_add_cpp_tests(${program} ${ARGN})
    foreach(file IN LISTS ARGN)
        if(file MATCHES "_stress$")
            add_test(NAME ${file} COMMAND ${program} ${file})
        endif()
    endforeach()
    set_target_properties(${program} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    target_compile_definitions(${program} PRIVATE RPC_PEER="$<TARGET_FILE:rpc_peer>")
    add_dependencies(${program} rpc_peer)
    ipc_precompiled(${program})
endfunction()

ipc_cpp_program(rpc_test rpc_calls_test rpc_streams_test rpc_input_test rpc_extras_test rpc_callbacks_test rpc_async_test
    rpc_options_test rpc_aside_test rpc_server_end_test rpc_unread_test rpc_user_code_server_test rpc_user_code_message_test rpc_observer_test rpc_interceptor_test rpc_reflection_test rpc_frames_test rpc_protocol_test rpc_death_test rpc_restart_test rpc_follow_test rpc_drain_test
    rpc_server_stress) # servers that are stopped under load
# It leaves no thread to its process, and the check for leaks wants one at the end.
set_tests_properties(rpc_server_end_test.ClientsThatHaveTakenTheSystemsLastThreadsGiveThemBackWhenTheyGo PROPERTIES LABELS no-asan)
# How a client ends, is cancelled, and queues; cells of tables that nobody else meets. Ten minutes: rpc_client_test rpc_client_stress --seconds 600. It prints its seed.
ipc_cpp_program(rpc_client_test rpc_ending_test rpc_cancel_test rpc_lateness_test rpc_flood_test rpc_room_test rpc_cells_test rpc_client_stress)

# The deadlines of calls once more, with a wall clock that jumps at every look (../peers/c/jumping_clock.c).
if(NOT IPC_SANITIZE AND NOT CMAKE_CROSSCOMPILING_EMULATOR AND CMAKE_SIZEOF_VOID_P EQUAL 8)
    foreach(case IN ITEMS rpc_calls_test.ADeadlineEndsTheCallHereAndTheHandlerThere rpc_async_test.AnAsynchronousCallEndsAtItsDeadline
            rpc_streams_test.TheDeadlineOfAStreamEndsItOnBothSides)
        string(REGEX REPLACE ".*\\." "" name ${case})
        add_test(NAME clock.${case} COMMAND rpc_test ${name})
        set_tests_properties(clock.${case} PROPERTIES ENVIRONMENT "LD_PRELOAD=$<TARGET_FILE:jumping_clock>")
    endforeach()
endif()

# Looks at what a sanitizer must not let it look at.
if(NOT IPC_SANITIZE)
    add_executable(rpc_poison_test)
    ipc_add_cpp_tests(rpc_poison_test rpc_poison_test)
    target_compile_definitions(rpc_poison_test PRIVATE IPC_POISON=1)
    add_executable(rpc_allocation_test) # counts what a sanitizer allocates, too
    ipc_add_cpp_tests(rpc_allocation_test rpc_allocation_test)
    target_compile_definitions(rpc_allocation_test PRIVATE IPC_POISON=0)
    foreach(program IN ITEMS rpc_poison_test rpc_allocation_test)
        target_compile_options(${program} PRIVATE -O0) # of its own definition, and so without the headers that are compiled already
    endforeach()
endif()

# One program, with exceptions and type information and without.
foreach(program IN ITEMS plain_test bare_test)
    add_executable(${program} rpc/plain_test.cpp)
    target_link_libraries(${program} PRIVATE rpc_tests)
    target_compile_options(${program} PRIVATE -Wpedantic -Wconversion -O0) # quick to compile is what counts here
    add_test(NAME ${program} COMMAND ${program})
endforeach()
if(IPC_SANITIZE) # the headers have had this program's warnings without one
    ipc_precompiled(plain_test)
endif()
target_compile_options(bare_test PRIVATE -fno-exceptions -fno-rtti)
target_compile_definitions(bare_test PRIVATE IPC_EXPECT_BARE)
