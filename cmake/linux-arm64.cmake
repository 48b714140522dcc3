# 64-bit ARM (Debian: gcc-aarch64-linux-gnu, qemu-user): compiled for it, run by an emulator of its instructions on the kernel of this machine. C alone,
# linked as a whole, as in linux32.cmake.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_NM aarch64-linux-gnu-nm)
set(CMAKE_READELF aarch64-linux-gnu-readelf)
set(IPC_C_ALONE ON)
set(CMAKE_C_FLAGS_INIT "-DIPC_PROC='\"/proc/.\"'") # linux_process.c says why
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
