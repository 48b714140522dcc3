# Not run: Conan is not on the machine where this was written. What it calls is `cmake --install` of src/Ipc.Native, which is (InstalledTests).
#
# Conan 2, of the sources beside it:
#     conan create nuget/conan
# It packs the library's own find_package(ipc): ipc::ipc, ipc::ipc_static, and with `-o ipc/*:rpc=True` what COMPONENTS rpc needs.
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, cmake_layout
from conan.tools.files import copy, load


class Ipc(ConanFile):
    name = "ipc"
    description = "Messages, queues, topics, locks and typed calls between the processes of one machine, through shared memory"
    license = "MIT"
    settings = "os", "arch", "compiler", "build_type"
    options = {"rpc": [True, False]}
    default_options = {"rpc": False}
    generators = "CMakeToolchain"

    def _native(self, *names):
        return os.path.join(self.recipe_folder, "..", "..", "src", "Ipc.Native", *names)

    def set_version(self):
        base = load(self, self._native("include", "ipc", "base.h"))
        self.version = re.search(r'#define IPC_VERSION +"([0-9.]+)"', base).group(1)

    def export_sources(self):
        copy(self, "*", src=self._native(), dst=self.export_sources_folder, excludes=["bin/*", "obj/*"])
        copy(self, "LICENSE", src=os.path.join(self.recipe_folder, "..", ".."), dst=self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        if self.options.rpc:
            self.requires("protobuf/[>=3.12]", transitive_headers=True)

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")  # the library's own, which is installed
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "ipc")]
