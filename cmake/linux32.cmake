# 32-bit Linux on a 64-bit one (Debian: gcc-i686-linux-gnu). C alone: protobuf's C++ library is there for one architecture. Linked as a whole: the
# system need not have a 32-bit C library.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR i686)
set(CMAKE_C_COMPILER i686-linux-gnu-gcc)
set(IPC_C_ALONE ON)
# Files of more than 2 GiB, and inode numbers of 64 bits, are an option there.
set(CMAKE_C_FLAGS_INIT "-msse2 -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64")
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
# Some kernels run no programs of 32 bits: an emulator (Debian: qemu-user) does it there, with what linux-arm64.cmake says of it. The compiler's own loader
# is such a program, and tells.
execute_process(COMMAND /usr/i686-linux-gnu/lib/ld-linux.so.2 --version RESULT_VARIABLE IPC_RUNS_32_BITS OUTPUT_QUIET ERROR_QUIET)
if(NOT IPC_RUNS_32_BITS EQUAL 0)
    string(APPEND CMAKE_C_FLAGS_INIT " -DIPC_PROC='\"/proc/.\"'")
    set(CMAKE_CROSSCOMPILING_EMULATOR qemu-i386)
endif()
