using System;
using System.Collections.Generic;
using System.IO;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Samples.Tests;

/// <summary>Where the programs of the samples are.</summary>
internal static class Repository
{
    /// <summary>Debug or Release, as these tests are.</summary>
    private static readonly string _configuration = AppContext.BaseDirectory.TrimEnd('/').Split('/')[^2];

    public static bool IsRelease => _configuration == "Release";

    public static string PathOf(string file) => Path.Combine(PeerPrograms.Top, file);

    /// <summary>A program of a sample, in C#.</summary>
    public static string[] Managed(string folder, string name) => ["dotnet", Built(PathOf($"samples/{folder}/bin/{_configuration}/net10.0/{name}.dll"))];

    /// <summary>A program of a sample, in C++.</summary>
    public static string[] Native(string name)
        => [Built(Path.Combine(Environment.GetEnvironmentVariable("IPC_NATIVE_BUILD") is { Length: > 0 } set ? set : PathOf("build/native"), "samples", name))];

    /// <summary>A region directory of a test's own, told to what it starts.</summary>
    public static Dictionary<string, string> In(RegionDirectory regions) => new() { ["IPC_DIR"] = regions.Path };

    private static string Built(string path)
    {
        Assert.True(File.Exists(path), $"{path} is not built: `cmake --preset native && cmake --build --preset native`, `dotnet build Ipc.sln`");
        return path;
    }
}
