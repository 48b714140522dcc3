# What is compiled or read only to be judged: the headers, for a stranger's compiler; the library, by clang-tidy; the models, by spin. Each is a test of CTest,
# `headers` and `tidy` with the label `analysis`. They are targets, too (`cmake --build build/native --target headers`): what was good stays so until
# something that it was made of changes, and a second run does nothing.
if(IPC_SANITIZE OR WIN32)
    return()
endif()
find_program(IPC_GCC gcc)
find_program(IPC_CLANG clang)
find_program(IPC_CLANG_TIDY clang-tidy)
find_program(SPIN spin)

# ipc_judge(GROUP NAME [DEPFILE] [DEPENDS file...] COMMAND word...): good when the command succeeds. With DEPFILE the command writes what it has read to OUTPUT.d.
function(ipc_judge group name)
    cmake_parse_arguments(PARSE_ARGV 2 arg "DEPFILE" "" "DEPENDS;COMMAND")
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${group}/${name})
    set(depfile)
    if(arg_DEPFILE)
        set(depfile DEPFILE ${output}.d)
        list(APPEND arg_COMMAND -MD -MF ${output}.d -MT ${output})
    endif()
    add_custom_command(OUTPUT ${output} COMMAND ${arg_COMMAND} COMMAND ${CMAKE_COMMAND} -E touch ${output} DEPENDS ${arg_DEPENDS} ${depfile}
        COMMENT "Judging ${name}" VERBATIM)
    set_property(DIRECTORY APPEND PROPERTY judged_${group} ${output})
endfunction()

# ipc_judged(GROUP): the target and the test of all of a group.
function(ipc_judged group)
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${group})
    get_property(outputs DIRECTORY PROPERTY judged_${group})
    add_custom_target(${group} DEPENDS ${outputs})
    set(keep_going)
    if(CMAKE_GENERATOR MATCHES "Ninja")
        set(keep_going -- -k 0)
    endif()
    add_test(NAME ${group} COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --parallel ${IPC_CORES} --target ${group} ${keep_going})
    set_tests_properties(${group} PROPERTIES LABELS analysis RESOURCE_LOCK build TIMEOUT 1800)
endfunction()

# ---- headers ---------------------------------------------------------------------------------------------------------
# With warnings as errors:
#   alone      every header as the first and only thing of a file: each includes what it uses
#   dialects   a program that uses all of them (plain_test.cpp), with gcc and clang, as C++17, 20 and 23, with exceptions and type information and without
#   refused    what must not compile, and the first thing that is said of it: a header in an older dialect, misuse (refused.cpp)

set(include ${ipc_SOURCE_DIR}/include)
set(generated ${CMAKE_CURRENT_BINARY_DIR}/rpc_tests_proto)

# ipc_judged_source(FILE NAME): sets source: a program of rpc/, or for a header one that is called NAME and does nothing but include it.
function(ipc_judged_source file name)
    set(source ${CMAKE_CURRENT_SOURCE_DIR}/rpc/${file})
    if(NOT file MATCHES "\\.cpp$")
        set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/source-${name})
        file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${file}\"\n" @ONLY)
    endif()
    set(source ${source} PARENT_SCOPE)
endfunction()

# ipc_judge_header(COMPILER DIALECT FILE [OPTION...]): FILE as C or C++, by its dialect.
function(ipc_judge_header compiler dialect file)
    set(language c)
    if(dialect MATCHES "^c\\+\\+")
        set(language c++)
    endif()
    cmake_path(GET compiler FILENAME compiler_name)
    list(JOIN ARGN "" options)
    string(REPLACE "/" "_" name "${compiler_name}-${dialect}${options}-${file}")
    ipc_judged_source(${file} ${name})
    ipc_judge(headers ${name} DEPFILE DEPENDS ${source} rpc_tests_proto COMMAND ${compiler} -x ${language} -std=${dialect} -fsyntax-only
        -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror ${ARGN} -I${include} -isystem ${generated} ${source})
endfunction()

file(GLOB_RECURSE faces CONFIGURE_DEPENDS RELATIVE ${include} ${include}/*.hpp)
find_path(IPC_RABBITMQ_INCLUDE amqp_tcp_socket.h)
if(NOT IPC_RABBITMQ_INCLUDE) # those of ipc/rpc/amqp include it
    list(FILTER faces EXCLUDE REGEX "^ipc/rpc/amqp")
endif()
file(GLOB plain_headers CONFIGURE_DEPENDS RELATIVE ${include} ${include}/ipc.h ${include}/ipc/*.h)
if(IPC_GCC)
    set(faces_17 ${faces})
    list(REMOVE_ITEM faces_17 ipc/coroutines.hpp)
    foreach(header IN LISTS faces_17)
        ipc_judge_header(${IPC_GCC} c++17 ${header})
    endforeach()
endif()
foreach(compiler IN ITEMS ${IPC_GCC} ${IPC_CLANG})
    foreach(dialect IN ITEMS c99 c17 c++17)
        foreach(header IN LISTS plain_headers)
            ipc_judge_header(${compiler} ${dialect} ${header})
        endforeach()
    endforeach()
    foreach(dialect IN ITEMS c++20 c++2b)
        ipc_judge_header(${compiler} ${dialect} plain_test.cpp)
        ipc_judge_header(${compiler} ${dialect} ipc/coroutines.hpp)
    endforeach()
    ipc_judge_header(${compiler} c++20 ipc/coroutines.hpp -fno-exceptions -fno-rtti)
    ipc_judge_header(${compiler} c++17 plain_test.cpp -fno-rtti) # gcc's c++17 with both and without is what the build compiles
endforeach()
if(IPC_CLANG)
    ipc_judge_header(${IPC_CLANG} c++17 plain_test.cpp)
    ipc_judge_header(${IPC_CLANG} c++2b plain_test.cpp -fno-exceptions -fno-rtti -DIPC_EXPECT_BARE)
endif()

# ipc_judge_refused(COMPILER DIALECT FILE TEXT [OPTION...]): FILE does not compile, and the first error says TEXT.
function(ipc_judge_refused compiler dialect file text)
    cmake_path(GET compiler FILENAME compiler_name)
    list(JOIN ARGN "" options)
    string(REPLACE "/" "_" name "refused-${compiler_name}-${dialect}${options}-${file}")
    ipc_judged_source(${file} ${name})
    ipc_judge(headers ${name} DEPENDS ${source} ${all_headers} ${CMAKE_CURRENT_SOURCE_DIR}/refused.cmake rpc_tests_proto
        COMMAND ${CMAKE_COMMAND} "-DCOMMAND=${compiler};-x;c++;-std=${dialect};-fsyntax-only;${ARGN};-I${include};-isystem;${generated};${source}"
            -DTEXT=${text} -P ${CMAKE_CURRENT_SOURCE_DIR}/refused.cmake)
endfunction()

file(GLOB_RECURSE all_headers CONFIGURE_DEPENDS ${include}/*.hpp ${include}/*.h)
set(public_faces ${faces})
list(FILTER public_faces EXCLUDE REGEX "/detail/|/coroutines/")
file(STRINGS rpc/refused.cpp cases REGEX "^// [a-z_]+: ipc: ")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS rpc/refused.cpp)
foreach(compiler IN ITEMS ${IPC_GCC} ${IPC_CLANG})
    foreach(header IN LISTS public_faces)
        ipc_judge_refused(${compiler} c++14 ${header} "ipc: these headers need C++17 or newer")
    endforeach()
    ipc_judge_refused(${compiler} c++17 ipc/coroutines.hpp "ipc: ipc/coroutines.hpp needs C++20 or newer")
endforeach()
if(IPC_GCC)
    ipc_judge_header(${IPC_GCC} c++17 refused.cpp) # only what its cases add is refused
    foreach(line IN LISTS cases)
        string(REGEX MATCH "^// ([a-z_]+): (.*)$" line "${line}")
        ipc_judge_refused(${IPC_GCC} c++17 refused.cpp "${CMAKE_MATCH_2}" -DREFUSED_${CMAKE_MATCH_1})
    endforeach()
endif()
ipc_judged(headers)

# ---- clang-tidy ------------------------------------------------------------------------------------------------------
# Sources for another system are not here: this build knows no flags for them.

if(IPC_CLANG_TIDY)
    file(GLOB_RECURSE library_headers CONFIGURE_DEPENDS ${ipc_SOURCE_DIR}/*.h)
    set(rules ${Ipc_SOURCE_DIR}/.clang-tidy ${library_headers})
    foreach(source IN LISTS IPC_LIBRARY_SOURCES)
        cmake_path(GET source FILENAME name)
        ipc_judge(tidy ${name} DEPENDS ${source} ${rules} COMMAND ${IPC_CLANG_TIDY} --quiet -p ${CMAKE_BINARY_DIR} ${source})
    endforeach()
    ipc_judge(tidy fault.c-compiled-in DEPENDS ${ipc_SOURCE_DIR}/src/platform/fault.c ${rules} # nothing, where it ships
        COMMAND ${IPC_CLANG_TIDY} --quiet -p ${CMAKE_BINARY_DIR} --extra-arg=-DIPC_FAULT_POINTS ${ipc_SOURCE_DIR}/src/platform/fault.c)
    ipc_judged(tidy)
endif()

# ---- models ----------------------------------------------------------------------------------------------------------

if(SPIN)
    include(${Ipc_SOURCE_DIR}/docs/models/worlds.cmake)
endif()
