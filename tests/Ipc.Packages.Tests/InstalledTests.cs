using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Packages.Tests;

/// <summary>The C library as it is installed from the sources, and moved elsewhere: fresh projects (nuget/consumers) find it there, by pkg-config and find_package.</summary>
public class InstalledTests(InstalledLibrary library) : IClassFixture<InstalledLibrary>
{
    [Fact]
    public void NothingThatIsInstalledKnowsWhereItWas()
    {
        string[] places = [library.Work, PeerPrograms.Top];
        foreach (string file in Directory.EnumerateFiles(library.Prefix, "*", SearchOption.AllDirectories).Where(static file => !IsBinary(file)))
            Assert.DoesNotContain(places, place => File.ReadAllText(file).Contains(place, StringComparison.Ordinal));
    }

    /// <summary>The shared library, and the archive.</summary>
    [Fact]
    public void CFindsItByPkgConfig()
    {
        string project = Fresh("c-pkgconfig"), libraries = Libraries(project);
        string[] compile = ["cc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", .. Config(project, "--cflags", "ipc"), "echo.c"];
        Run(project, [.. compile, .. Config(project, "--libs", "ipc"), $"-Wl,-rpath,{libraries}", "-o", "echo_shared"]);
        Run(project, [.. compile, .. Config(project, "--variable=archive", "ipc"), "-pthread", "-o", "echo_static"]);
        Assert.Contains($" {libraries}/libipc.so.", Run(project, "ldd", "echo_shared"), StringComparison.Ordinal);
        Assert.DoesNotContain("libipc", Run(project, "ldd", "echo_static"), StringComparison.Ordinal);
        foreach (string program in new[] { "echo_shared", "echo_static" })
            Place.Beside(Place.EchoServer("consumer"), project, null, Bare(Path.Combine(project, program), "consumer"));
    }

    [Fact]
    public void CppFindsItByPkgConfig()
    {
        Place.SkipUnlessFull();
        string project = Fresh("cpp-pkgconfig");
        string[] flags = Config(project, "--cflags", "ipc-rpc");
        Run(project, "protoc", "--cpp_out=.", "quotes.proto");
        Run(project, ["c++", "-std=c++17", "-c", "-w", .. flags, "quotes.pb.cc"]);
        Run(project, ["c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", .. flags, "client.cpp", "quotes.pb.o", .. Config(project, "--libs", "ipc-rpc"), $"-Wl,-rpath,{Libraries(project)}", "-o", "client"]);
        Place.Beside(Place.QuotesServer, project, null, Bare(Path.Combine(project, "client")));
    }

    /// <summary>Shared, and ipc::ipc_static. Of a project that wants another minor version, before 1.0, the library is not found.</summary>
    [Fact]
    public void CppFindsItByFindPackage()
    {
        string project = Fresh("cpp-cmake"), archived = Path.Combine(project, "build", "archived");
        Run(project, "cmake", "-S", ".", "-B", "build", $"-DCMAKE_PREFIX_PATH={library.Prefix}", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF");
        Run(project, "cmake", "--build", "build");
        Run(project, "cmake", "-S", "other", "-B", "other/build", $"-DCMAKE_PREFIX_PATH={library.Prefix}");
        Assert.DoesNotContain("libipc", Run(project, "ldd", archived), StringComparison.Ordinal);
        Place.Beside(Place.QuotesServer, project, null, Bare(Path.Combine(project, "build", "client")));
        using RegionDirectory regions = new();
        Place.Run(project, new() { ["IPC_DIR"] = regions.Path }, Bare(archived));
    }

    /// <summary>Not installed at all: fetched, as an archive of the sources, and built as a part of the project; which gets no tests from it, and installs nothing of it.</summary>
    [Fact]
    public void CppTakesItAsAPartOfItself()
    {
        Place.SkipUnlessFull();
        string project = Fresh("cpp-cmake"), sources = Path.Combine(project, "sources.tar.gz"), prefix = Path.Combine(project, "prefix");
        Run(project, "tar", "-czf", sources, "-C", PeerPrograms.Top, "--exclude=bin", "--exclude=obj", "--transform=s,^,ipc/,", "LICENSE", "src/Ipc.Native");
        Run(project, "cmake", "-S", "fetched", "-B", "build", $"-DIPC_SOURCES={sources}", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF");
        Run(project, "cmake", "--build", "build", "--parallel", "2");
        Run(project, "cmake", "--install", "build", "--prefix", prefix);
        Assert.False(Directory.Exists(prefix));
        Assert.Contains("Total Tests: 0", Run(project, "ctest", "--test-dir", "build", "-N"), StringComparison.Ordinal);
        Assert.Contains($"{project}/build/_deps/", Run(project, "ldd", "build/client"), StringComparison.Ordinal);
        Place.Beside(Place.QuotesServer, project, null, Bare(Path.Combine(project, "build", "client")));
    }

    private static bool IsBinary(string file) => File.ReadAllBytes(file).AsSpan().Contains((byte)0);

    /// <summary>Nothing of this build's environment helps: only the prefix that is named.</summary>
    private string[] Bare(params IEnumerable<string> words)
        => ["env", "-u", "CMAKE_PREFIX_PATH", "-u", "LD_LIBRARY_PATH", $"PKG_CONFIG_PATH={library.PkgConfig}", .. words];

    private string Run(string project, params IEnumerable<string> words) => Place.Run(project, null, Bare(words));

    private string[] Config(string project, params IEnumerable<string> words)
        => Run(project, words.Prepend("pkg-config")).Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries);

    private string Libraries(string project) => Path.GetFullPath(Config(project, "--variable=libdir", "ipc").Single());

    /// <summary>A copy outside of the repository.</summary>
    private string Fresh(string consumer)
    {
        string project = Path.Combine(library.Work, consumer), contract = Path.Combine(project, "quotes.proto");
        if (Directory.Exists(project)) // another test's
            Directory.Delete(project, recursive: true);
        Command.Copy(Place.Of($"nuget/consumers/{consumer}"), project);
        if (File.Exists(contract))
            Assert.Equal(File.ReadAllText(Place.Of("samples/QuickStart/Contract/quotes.proto")), File.ReadAllText(contract));
        return project;
    }
}
