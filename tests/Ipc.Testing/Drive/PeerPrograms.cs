using System;
using System.IO;

namespace Ipc.Testing.Drive;

/// <summary>Where the two peer programs are.</summary>
public static class PeerPrograms
{
    private static readonly string _top = FindTop();

    /// <summary>The program, and what stands before its verb.</summary>
    public static string[] Of(Language language) => language == Language.C
        ? [.. NativeEmulator is { } emulator ? [emulator] : Array.Empty<string>(), Native("tests/native/peer")]
        : [Dotnet, Existing(Path.Combine(_top, "tests", "peers", "cs", "Ipc.Peer", Output(), "Ipc.Peer.dll"))];

    /// <summary>The top of the repository.</summary>
    public static string Top => _top;

    /// <summary>The program that runs assemblies.</summary>
    public static string Dotnet { get; } = DotnetHost();

    /// <summary>A program of the C build.</summary>
    public static string Native(string program) => Existing(Path.Combine(NativeBuild, OperatingSystem.IsWindows() ? program + ".exe" : program));

    /// <summary>Where the C build is: IPC_NATIVE_BUILD, or that of the preset.</summary>
    public static string NativeBuild { get; } =
        Environment.GetEnvironmentVariable("IPC_NATIVE_BUILD") is { Length: > 0 } set ? set : Path.Combine(_top, "build", "native");

    /// <summary>Whether the peers in C have 32 bits, and too few addresses for the default loan budget of others.</summary>
    public static bool NativeHas32Bits { get; } = !OperatingSystem.IsWindows() && ElfClass(Path.Combine(NativeBuild, "tests", "native", "peer")) == 1;

    /// <summary>The emulator that runs the peers in C, on a kernel that does not run programs of 32 bits; null where none is needed.</summary>
    public static string? NativeEmulator { get; } =
        Path.Combine(NativeBuild, "emulator") is var file && File.Exists(file) ? File.ReadAllText(file).Trim() : null;

    private static int ElfClass(string program)
    {
        if (!File.Exists(program))
            return 0;
        using FileStream file = File.OpenRead(program);
        file.Position = 4;
        return file.ReadByte();
    }

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
        : throw new FileNotFoundException($"{path} is not built: cmake --preset native && cmake --build --preset native (or set IPC_NATIVE_BUILD), dotnet build Ipc.sln");

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
