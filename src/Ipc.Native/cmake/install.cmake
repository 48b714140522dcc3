# What `cmake --install` puts under a prefix: libraries, headers, find_package(ipc), pkg-config ipc and ipc-rpc, the licence.
# Nothing of it names the prefix: it may be moved as a whole.
set(ipc_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/ipc)

install(TARGETS ipc_shared ipc_static EXPORT ipc-targets)
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

install(EXPORT ipc-targets NAMESPACE ipc:: DESTINATION ${ipc_package_folder})
configure_package_config_file(cmake/ipc-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/ipc-config.cmake
    INSTALL_DESTINATION ${ipc_package_folder} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/ipc-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ipc-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/ipc-config-version.cmake
    cmake/ipc-rpc.cmake cmake/ipc-rpc-amqp.cmake DESTINATION ${ipc_package_folder})

# From lib/pkgconfig up to the prefix; a library folder that was given as an absolute path is one.
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    set(ipc_pc_prefix ${CMAKE_INSTALL_PREFIX})
    set(ipc_pc_libdir ${CMAKE_INSTALL_LIBDIR})
else()
    file(RELATIVE_PATH ipc_pc_up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
    string(REGEX REPLACE "/$" "" ipc_pc_up ${ipc_pc_up})
    set(ipc_pc_prefix "\${pcfiledir}/${ipc_pc_up}")
    set(ipc_pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
    set(ipc_pc_includedir ${CMAKE_INSTALL_INCLUDEDIR})
else()
    set(ipc_pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
foreach(file IN ITEMS ipc.pc ipc-rpc.pc)
    configure_file(cmake/${file}.in ${CMAKE_CURRENT_BINARY_DIR}/${file} @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${file} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

foreach(licence IN ITEMS ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/../../LICENSE)
    if(EXISTS ${licence})
        install(FILES ${licence} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/ipc)
        break()
    endif()
endforeach()
