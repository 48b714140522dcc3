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

    /// <summary>What runs every runner, and says what of it counts.</summary>
    private static readonly string[] OfAll = ["test.sh", "eng/common.sh", "eng/leftovers.sh", "eng/setup.sh"];

    /// <summary>The tests of C read nothing but vectors, models and the corpora of the fuzzers; checks read the sources of the library.</summary>
    private static readonly string[] OfNative =
        ["CMakeLists.txt", "CMakePresets.json", "cmake", "docs/models", "src/Ipc.Native", "tests/native", "tests/peers/c", "tests/peers/cpp", "tests/peers/CMakeLists.txt", "tests/vectors"];

    /// <summary>The partners in C++ and python, and the messages that are kept.</summary>
    private static readonly string[] OfCodecs = [$"{NativePrograms}/codec_peer", "tests/Ipc.Rpc.Codec.Tests", "tests/vectors"];

    private static readonly Dictionary<string, string[]> OfProjects = new()
    {
        ["Ipc.AspNetCore.Tests"] = [],
        ["Ipc.Core.Tests"] = [NativePrograms, Peers],
        ["Ipc.Crash.Tests"] = [NativePrograms, Peers, "src/Ipc.Core", "src/Ipc.Native", "tests/storm.sh", "tests/soak.sh", "eng/common.sh", "eng/programs.sh", "eng/setup.sh"],
        ["Ipc.Grpc.Tests"] = [$"{NativePrograms}/rpc_peer", "tests/Ipc.Grpc.Tests", "tests/native/rpc"],
        ["Ipc.Hosting.RabbitMq.Tests"] = [],
        ["Ipc.Hosting.Tests"] = [],
        ["Ipc.Interop.Tests"] = [NativePrograms, Peers, "src/Ipc.Core", "src/Ipc.Native", "tests/vectors", "docs/wire-format.md"],
        ["Ipc.Native.Tests"] = [NativePrograms, "build/native/src", "src/Ipc.Native"],
        ["Ipc.Pipelines.Tests"] = [$"{NativePrograms}/pipe_peer"],
        ["Ipc.Tcp.Tests"] = [],
        ["Ipc.Rpc.Codec.Tests"] = OfCodecs,
        ["Ipc.Rpc.RabbitMq.Tests"] = [],
        ["Ipc.Rpc.Contracts.Tests"] = [],
        ["Ipc.Rpc.Generator.Tests"] = ["docs/diagnostics", "src/Ipc.Rpc.Generator", "tests/Ipc.Rpc.Generator.Tests"],
        ["Ipc.Rpc.Serializers.Newest.Tests"] = OfCodecs,
        ["Ipc.Rpc.Serializers.Tests"] = OfCodecs,
        ["Ipc.Rpc.Tests"] = [],
    };

    /// <summary>The paths from the top; null when the runner always runs.</summary>
    /// <param name="top">The top of the repository.</param>
    /// <param name="runner">A project of tests, or native, or a preset of CMake.</param>
    /// <param name="configuration">Debug or Release.</param>
    public static IReadOnlyList<string>? Of(string top, string runner, string configuration)
    {
        if (runner == "native")
            return [.. OfAll, .. OfNative, NativePrograms, "bench/native", "build/native/docs", "build/native/src", "docs/snippets"];
        if (runner is "asan" or "tsan" or "musl" or "linux32" or "linux-arm64")
            return [.. OfAll, .. OfNative, $"build/{runner}/tests/native", $"build/{runner}/src"];
        if (!OfProjects.TryGetValue(runner, out string[]? others))
            return null;
        if (others.Length == 0 && SourcesOf(Path.Combine(top, "tests", runner)).Any(static file => ReadsTheRepository().IsMatch(File.ReadAllText(file))))
            return null; // since it was written here that it does not
        return [.. OfAll, .. others.Select(path => path.Replace("CONFIGURATION", configuration, StringComparison.Ordinal)), $"tests/{runner}/bin/{configuration}/net10.0"];
    }

    /// <summary>Those of its folder, and those of other folders that it compiles: of a pattern, all that is where it looks.</summary>
    private static IEnumerable<string> SourcesOf(string project)
    {
        string[] linked = [.. Directory.EnumerateFiles(project, "*.csproj").SelectMany(static file => LinkedSources().Matches(File.ReadAllText(file)))
            .SelectMany(static compiled => compiled.Groups[1].Value.Split(';')).Select(path => Path.Combine(project, path.Split('*')[0]))];
        return linked.Where(File.Exists).Concat(linked.Where(Directory.Exists).Append(project).SelectMany(static folder => Directory.EnumerateFiles(folder, "*.cs", SearchOption.AllDirectories)));
    }

    [GeneratedRegex(@"<Compile Include=""([^""]*)""")]
    private static partial Regex LinkedSources();

    [GeneratedRegex(@"CallerFilePath|PeerPrograms\.(Top|Native|Of)|\b(Driven|Peers)\b|IPC_NATIVE_BUILD|Ipc\.sln")]
    private static partial Regex ReadsTheRepository();
}
