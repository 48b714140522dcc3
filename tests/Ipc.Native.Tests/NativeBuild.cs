using System;
using System.IO;
using System.Runtime.CompilerServices;

namespace Ipc.Native.Tests;

/// <summary>What CMake has built, as the other tests find it, and the library of it as the one that the binding loads.</summary>
internal static class NativeBuild
{
    public const string PathSetting = "Ipc.Native.Library";

    public static string Library => Path.Combine(Folder, "src", "Ipc.Native", "libipc.so");

    /// <summary>A library that stands in for another version of this one, or for something else of that name.</summary>
    public static string StandIn(string name) => Path.Combine(Folder, "tests", "native", "lib" + name + ".so");

    private static string Folder => Environment.GetEnvironmentVariable("IPC_NATIVE_BUILD") is { Length: > 0 } set
        ? set
        : Path.Combine(Path.GetDirectoryName(Here())!, "..", "..", "build", "native");

    [ModuleInitializer]
    public static void Use()
    {
        // A project reference brings no native files: only the package does. So the tests say where the library is.
        if (!File.Exists(Library))
            throw new FileNotFoundException(Library + " is not built: run eng/build.sh (or set IPC_NATIVE_BUILD to the native build).");
        AppContext.SetData(PathSetting, Library);
        _ = IpcNative.Version; // decided from here on, whatever other copies of the binding are told
    }

    private static string Here([CallerFilePath] string path = "") => path;
}
