# find_package(ipc) in the folder of the NuGet package: -Dipc_DIR=.../ipc.native/VERSION/build/native
# The C library is an archive here: a shared one would have to be beside the program when it runs, which a package cannot see to. ipc::ipc and
# ipc::ipc_static both name it, so that a CMakeLists.txt that was written for an installed library is content. COMPONENTS rpc: as there.
include(CMakeFindDependencyMacro)
find_dependency(Threads)

set(_ipc_processor ${CMAKE_SYSTEM_PROCESSOR})
if(_ipc_processor MATCHES "^(x86_64|AMD64)$")
    set(_ipc_processor x64)
elseif(_ipc_processor MATCHES "^(aarch64|ARM64)$")
    set(_ipc_processor arm64)
endif()
string(TOLOWER "${CMAKE_SYSTEM_NAME}-${_ipc_processor}" _ipc_platform)
string(REPLACE "windows-" "win-" _ipc_platform "${_ipc_platform}")
file(GLOB _ipc_archive "${CMAKE_CURRENT_LIST_DIR}/lib/${_ipc_platform}/libipc.a" "${CMAKE_CURRENT_LIST_DIR}/lib/${_ipc_platform}/ipc.lib")

if(NOT _ipc_archive)
    set(ipc_FOUND FALSE)
    set(ipc_NOT_FOUND_MESSAGE "this package has no C library for ${_ipc_platform}: build it from the sources")
elseif(NOT TARGET ipc::ipc_static)
    add_library(ipc::ipc_static STATIC IMPORTED)
    set_target_properties(ipc::ipc_static PROPERTIES
        IMPORTED_LOCATION "${_ipc_archive}"
        INTERFACE_INCLUDE_DIRECTORIES "${CMAKE_CURRENT_LIST_DIR}/include"
        INTERFACE_LINK_LIBRARIES Threads::Threads)
    add_library(ipc::ipc ALIAS ipc::ipc_static)
endif()
if("rpc" IN_LIST ipc_FIND_COMPONENTS AND NOT DEFINED ipc_NOT_FOUND_MESSAGE)
    find_package(Protobuf 3.12 QUIET)
    if(Protobuf_FOUND)
        include("${CMAKE_CURRENT_LIST_DIR}/ipc-rpc.cmake")
    elseif(ipc_FIND_REQUIRED_rpc)
        set(ipc_FOUND FALSE)
        set(ipc_NOT_FOUND_MESSAGE "ipc/rpc.hpp needs libprotobuf 3.12 or newer, which was not found")
    endif()
endif()
unset(_ipc_archive)
unset(_ipc_platform)
unset(_ipc_processor)
