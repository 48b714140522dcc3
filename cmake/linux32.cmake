# 32-bit Linux on a 64-bit one (Debian: gcc-i686-linux-gnu). C alone: protobuf's C++ library is there for one architecture. Linked as a whole: the
# system need not have a 32-bit C library.
set(CMAKE_C_COMPILER i686-linux-gnu-gcc)
set(IPC_C_ALONE ON)
# Files of more than 2 GiB, and inode numbers of 64 bits, are an option there.
set(CMAKE_C_FLAGS_INIT "-msse2 -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64")
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
