using System;
using System.Diagnostics.CodeAnalysis;
using System.IO;
using System.Runtime.CompilerServices;
using System.Runtime.Versioning;

namespace Ipc.Rpc.Tests;

/// <summary>A run of tests that nobody has given an IPC_DIR takes a directory of its own, and so do the processes that it starts: the user's is for programs.
/// Also compiled into the tests between the languages.</summary>
[SupportedOSPlatform("linux")]
internal static class OwnDirectory
{
    [ModuleInitializer]
    [SuppressMessage("Usage", "CA2255:The 'ModuleInitializer' attribute should not be used in libraries", Justification = "A test project is a program.")]
    internal static void Take()
    {
        if (!string.IsNullOrEmpty(Environment.GetEnvironmentVariable("IPC_DIR")))
            return;
        string parent = Directory.Exists("/dev/shm") ? "/dev/shm" : Path.GetTempPath();
        string path = Path.Combine(parent, $"ipc-test-{Environment.ProcessId}-{Guid.NewGuid():N}");
        Directory.CreateDirectory(path, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        Environment.SetEnvironmentVariable("IPC_DIR", path);
        AppDomain.CurrentDomain.ProcessExit += (_, _) => Directory.Delete(path, recursive: true);
    }
}
