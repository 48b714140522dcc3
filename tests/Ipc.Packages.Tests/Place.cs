using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.InteropServices;
using Ipc.Testing.Drive;
using Xunit;

// They build in the same folders.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
[assembly: AssemblyFixture(typeof(Ipc.Packages.Tests.Packed))]

namespace Ipc.Packages.Tests;

/// <summary>Where things are, and how programs are run here.</summary>
internal static class Place
{
    private const int Minutes = 20;

    /// <summary>This machine, as .NET calls it.</summary>
    public static string Runtime { get; } = RuntimeInformation.OSArchitecture == Architecture.Arm64 ? "linux-arm64" : "linux-x64";

    /// <summary>A server of samples/QuickStart, which serves `quotes`.</summary>
    public static string[] QuotesServer => [PeerPrograms.Native("samples/QuickStart/cpp/quickstart_server")];

    /// <summary>The echo server of the tests.</summary>
    public static string[] EchoServer(string name) => [PeerPrograms.Native("tests/native/peer"), "listen", name];

    /// <summary>A program of tests/peers/cs, as the Release of these tests has built it.</summary>
    public static string[] Peer(string project, params string[] words) => [PeerPrograms.Dotnet, Of($"tests/peers/cs/{project}/bin/Release/net10.0/{project}.dll"), .. words];

    public static string Of(string path) => Path.Combine(PeerPrograms.Top, path);

    /// <summary>What ships is built as Release, whatever these tests are, and takes minutes.</summary>
    public static void SkipIfNotWanted()
    {
        Assert.SkipUnless(AppContext.BaseDirectory.TrimEnd('/').Split('/')[^2] == "Release", "what ships is Release: dotnet test -c Release");
        Assert.SkipWhen(Environment.GetEnvironmentVariable("IPC_TEST_QUICK") == "1", "IPC_TEST_QUICK=1");
    }

    /// <summary>What takes the longest: the default run has the other packages and programs as its sample.</summary>
    public static void SkipUnlessFull()
    {
        SkipIfNotWanted();
        Assert.SkipUnless(Switches.FullRuns, "IPC_TEST_FULL=1");
    }

    /// <summary>Runs to its good end; returns what it said. Nothing that it starts stays behind to be used again.</summary>
    public static string Run(string folder, Dictionary<string, string>? environment, params IReadOnlyList<string> words)
    {
        (int? code, string said) = TryRun(folder, environment, words);
        Assert.True(code == 0, $"{string.Join(' ', words)}: {(code is null ? "does not end" : $"exit code {code}")}\n{said}");
        return said;
    }

    /// <summary>The same, whatever its end is. One compiler serves all that is built here (<see cref="Packed.Dispose"/> ends it): to start it costs more than most of these projects.</summary>
    public static (int? Code, string Said) TryRun(string folder, Dictionary<string, string>? environment, params IReadOnlyList<string> words)
        => Command.Run(60 * Minutes, folder, new Dictionary<string, string>(environment ?? [])
        {
            ["MSBUILDDISABLENODEREUSE"] = "1",
            ["UseSharedCompilation"] = "true",
            ["DOTNET_TieredPGO"] = "0", // as in eng/build.sh
        }, words);

    /// <summary>Runs <paramref name="client"/> beside a server, which ends well when its input does; neither leaves anything behind. Returns what the client said.</summary>
    public static string Beside(string[] server, string folder, Dictionary<string, string>? environment, params IReadOnlyList<string> client)
    {
        using RegionDirectory regions = new();
        Dictionary<string, string> all = new(environment ?? []) { ["IPC_DIR"] = regions.Path };
        using OtherProcess serving = new OtherProcess(true, all, server).WaitUntilReady(null);
        string said = Run(folder, all, client);
        Assert.Equal(0, serving.EndInput());
        Assert.Empty(Directory.GetFileSystemEntries(regions.Path));
        return said;
    }
}
