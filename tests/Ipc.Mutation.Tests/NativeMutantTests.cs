using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Mutation.Tests;

/// <summary>Weakens one ordering, or one step, of the C library and of the C++ calls at a time: some check must notice. native.mutants has them.</summary>
public sealed class NativeMutantTests : IDisposable
{
    private static readonly MutantList List = new("native.mutants");

    private readonly Scratch _scratch = new();

    public static IEnumerable<TheoryDataRow<string>> Chosen => List.Rows();

    /// <summary>Edits are made to a copy. A mutant that is not the library's own is linked with what is built already.</summary>
    [Theory]
    [MemberData(nameof(Chosen))]
    public void TheTestThatIsNamedNotices(string mutant)
    {
        Mutant one = List[mutant];
        foreach (string part in new[] { "src/Ipc.Native", "tests/native" })
            Command.Copy(Path.Combine(PeerPrograms.Top, part), _scratch.PathOf("tree", part));
        File.WriteAllText(_scratch.PathOf("tree", one.File), one.Apply(File.ReadAllText(_scratch.PathOf("tree", one.File))).Text);
        string[] test = one.Test.Split('.', 2);
        if (one.Kind == "calls")
            CompileCalls(test[0]);
        else
            CompileLibrary(one.Kind, test[0]);
        Assert.True(one.Kind == "calls" ? FailsOrHangs(test[1]) : FailsOnceInAMinute(test[1]), $"survived: {one.Test} passes");
    }

    [Fact]
    public void EveryEditHasOnePlace() => Assert.Empty(List.All.Select(static mutant => mutant.Apply(File.ReadAllText(Path.Combine(PeerPrograms.Top, mutant.File))).Problem).OfType<string>());

    public void Dispose() => _scratch.Dispose();

    /// <summary>One program of C tests, compiled from the copy; with the kind `library` the library's own sources come from the copy, too.</summary>
    private void CompileLibrary(string kind, string program)
    {
        string native = _scratch.PathOf("tree/src/Ipc.Native"), tests = _scratch.PathOf("tree/tests/native");
        string[] compiler = kind == "races" ? ["clang", "-O1", "-g", "-fsanitize=thread"] : ["gcc", "-O2"];
        string built = kind == "races" ? Path.Combine(PeerPrograms.Top, "build/tsan") : PeerPrograms.NativeBuild;
        IEnumerable<string> library = kind == "library"
            ? Directory.EnumerateFiles(native, "*.c", SearchOption.AllDirectories)
                .Concat(Directory.EnumerateFiles(Path.Combine(tests, "support"), "*.c").Where(static file => Path.GetFileName(file) is "test.c" or "test_posix.c" or "memory_ring.c" or "echo_server.c"))
                .Where(static file => !Path.GetFileName(file).StartsWith("windows_", StringComparison.Ordinal))
            : ["libipc_test_main.a", "libipc_testing.a"];
        if (kind != "library")
            library = library.Select(archive => Path.Combine(built, "tests/native", archive)).ToArray();
        Assert.All(library, file => Assert.True(File.Exists(file), $"{file} is not built: cmake --preset {Path.GetFileName(built)} && cmake --build --preset {Path.GetFileName(built)}"));
        string source = Directory.EnumerateFiles(tests, $"{program}.c", SearchOption.AllDirectories).Single();
        Command.Must(300, _scratch.Folder, _scratch.Environment(), [.. compiler, "-std=c11", "-DIPC_FAULT_POINTS", "-w", $"-I{native}/include", $"-I{native}/src", $"-I{tests}/support",
            source, .. library, "-pthread", "-o", "program"]);
    }

    private void CompileCalls(string file)
    {
        string tests = _scratch.PathOf("tree/tests/native/rpc"), built = PeerPrograms.NativeBuild;
        Command.Must(300, _scratch.Folder, _scratch.Environment(), "g++", "-std=c++17", "-O0", "-DNDEBUG", "-w", $"-DRPC_PEER=\"{built}/tests/native/rpc_peer\"",
            $"-I{_scratch.PathOf("tree/src/Ipc.Native/include")}", $"-I{tests}", "-isystem", $"{built}/tests/native/rpc_tests_proto", $"{tests}/{file}.cpp", $"{tests}/rpc_test.cpp",
            $"{built}/tests/native/librpc_tests_proto.a", $"{built}/src/Ipc.Native/libipc.a", "-lprotobuf", "-pthread", "-o", "program");
    }

    private bool FailsOrHangs(string test)
    {
        for (int tries = 0; tries < 3; tries++)
        {
            if (Command.Run(45, _scratch.Folder, _scratch.Environment(), _scratch.PathOf("program"), test).Code != 0)
                return true;
        }

        return false;
    }

    /// <summary>Two threads have to meet: on a busy machine that takes more tries.</summary>
    private bool FailsOnceInAMinute(string test)
    {
        for (long began = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(began).TotalSeconds < 60;)
        {
            if (Command.Run(120, _scratch.Folder, _scratch.Environment(("TSAN_OPTIONS", "exitcode=86:halt_on_error=1")), "setarch", "-R", _scratch.PathOf("program"), test).Code != 0)
                return true;
        }

        return false;
    }
}
