using System;
using System.IO;

namespace Ipc.Testing.Drive;

/// <summary>Where the two peer programs are.</summary>
public static class PeerPrograms
{
    private static readonly string _top = FindTop();

    /// <summary>The program, and what stands before its verb.</summary>
    public static string[] Of(Language language) => language == Language.C
        ? [Existing(Path.Combine(NativeBuild(), "tests", "native", "peer"))]
        : [DotnetHost(), Existing(Path.Combine(_top, "tests", "peers", "cs", "Ipc.Peer", Output(), "Ipc.Peer.dll"))];

    /// <summary>The top of the repository.</summary>
    public static string Top => _top;

    private static string NativeBuild() =>
        Environment.GetEnvironmentVariable("IPC_NATIVE_BUILD") is { Length: > 0 } set ? set : Path.Combine(_top, "build", "native");

    /// <summary>Tests and peer are built together: what stands behind tests/NAME/ is the same for both.</summary>
    private static string Output()
    {
        string fromTests = Path.GetRelativePath(Path.Combine(_top, "tests"), AppContext.BaseDirectory);
        return fromTests[(fromTests.IndexOf(Path.DirectorySeparatorChar) + 1)..];
    }

    private static string DotnetHost()
    {
        string name = OperatingSystem.IsWindows() ? "dotnet.exe" : "dotnet";
        if (Environment.ProcessPath is { } running && Path.GetFileName(running) == name)
            return running;
        string? root = Environment.GetEnvironmentVariable("DOTNET_ROOT");
        return root != null && File.Exists(Path.Combine(root, name)) ? Path.Combine(root, name) : name;
    }

    private static string Existing(string path) => File.Exists(path)
        ? path
        : throw new FileNotFoundException($"{path} is not built: run eng/build.sh (or set IPC_NATIVE_BUILD to the native build).");

    private static string FindTop()
    {
        for (string? folder = AppContext.BaseDirectory; folder != null; folder = Path.GetDirectoryName(folder))
        {
            if (File.Exists(Path.Combine(folder, "Ipc.sln")))
                return folder;
        }
        throw new DirectoryNotFoundException($"{AppContext.BaseDirectory} is not inside the repository.");
    }
}
