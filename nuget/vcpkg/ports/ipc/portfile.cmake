# Not run: vcpkg is not on the machine where this was written. What it calls is `cmake --install` of src/Ipc.Native, which is (InstalledTests).
#
# An overlay port of the sources beside it:
#     vcpkg install ipc --overlay-ports=nuget/vcpkg/ports
# A port of a registry would fetch a release instead (vcpkg_from_github with its REF and SHA512).
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../../src/Ipc.Native" ABSOLUTE)

vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/ipc)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/../../LICENSE")
