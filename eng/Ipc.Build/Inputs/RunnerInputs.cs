using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;

namespace Ipc.Build.Inputs;

/// <summary>
/// What the results of a runner of test.sh depend on: what was built for it, and what its tests read or start beside that. A runner that is not here depends on everything,
/// and so on nothing that could be named: it always runs.
/// </summary>
internal static partial class RunnerInputs
{
    private const string NativePrograms = "build/native/tests/native", Peers = "tests/peers/cs/Ipc.Peer/bin/CONFIGURATION/net10.0";

    /// <summary>The tests of C read nothing but vectors, models and the corpora of the fuzzers; checks read the sources of the library.</summary>
    private static readonly string[] OfNative =
        ["CMakeLists.txt", "CMakePresets.json", "cmake", "docs/models", "src/Ipc.Native", "tests/native", "tests/peers/c", "tests/peers/cpp", "tests/peers/CMakeLists.txt", "tests/vectors"];

    private static readonly Dictionary<string, string[]> OfProjects = new()
    {
        ["Ipc.Core.Tests"] = [NativePrograms, Peers],
        ["Ipc.Crash.Tests"] = [NativePrograms, Peers, "src/Ipc.Core", "src/Ipc.Native", "tests/storm.sh", "tests/soak.sh", "eng/common.sh", "eng/programs.sh", "eng/setup.sh"],
        ["Ipc.Hosting.Tests"] = [],
        ["Ipc.Interop.Tests"] = [NativePrograms, Peers, "src/Ipc.Core", "src/Ipc.Native", "tests/vectors", "docs/wire-format.md"],
        ["Ipc.Rpc.Contracts.Tests"] = [],
        ["Ipc.Rpc.Serializers.Newest.Tests"] = [],
        ["Ipc.Rpc.Tests"] = [],
    };

    /// <summary>The paths from the top; null when the runner always runs.</summary>
    /// <param name="top">The top of the repository.</param>
    /// <param name="runner">A project of tests, or native, asan or tsan.</param>
    /// <param name="configuration">Debug or Release.</param>
    public static IReadOnlyList<string>? Of(string top, string runner, string configuration)
    {
        if (runner == "native")
            return [.. OfNative, NativePrograms, "build/native/docs", "build/native/src", "docs/snippets"];
        if (runner is "asan" or "tsan")
            return [.. OfNative, $"build/{runner}/tests/native", $"build/{runner}/src"];
        if (!OfProjects.TryGetValue(runner, out string[]? others))
            return null;
        string sources = Path.Combine(top, "tests", runner);
        if (others.Length == 0 && Directory.EnumerateFiles(sources, "*.cs", SearchOption.AllDirectories).Any(static file => ReadsTheRepository().IsMatch(File.ReadAllText(file))))
            return null; // since it was written here that it does not
        return [.. others.Select(path => path.Replace("CONFIGURATION", configuration, StringComparison.Ordinal)), $"tests/{runner}/bin/{configuration}/net10.0"];
    }

    [GeneratedRegex(@"CallerFilePath|PeerPrograms\.(Top|Native|Of)|\b(Driven|Peers)\b|IPC_NATIVE_BUILD|Ipc\.sln")]
    private static partial Regex ReadsTheRepository();
}
