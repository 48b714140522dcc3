# Linux with musl instead of the GNU C library (Debian: musl-tools), as on Alpine. C alone: there is no C++ library for it here.
# The kernel's headers are everybody's; musl-gcc does not look where they are, and must not find those of the other C library there.
set(CMAKE_C_COMPILER musl-gcc)
set(IPC_C_ALONE ON)
set(kernel ${CMAKE_BINARY_DIR}/kernel)
file(MAKE_DIRECTORY ${kernel})
foreach(part IN ITEMS linux asm asm-generic)
    foreach(place IN ITEMS /usr/include /usr/include/${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-gnu)
        if(EXISTS ${place}/${part} AND NOT EXISTS ${kernel}/${part})
            file(CREATE_LINK ${place}/${part} ${kernel}/${part} SYMBOLIC)
        endif()
    endforeach()
endforeach()
set(CMAKE_C_FLAGS_INIT "-isystem ${kernel}")
