using System;
using System.Diagnostics.CodeAnalysis;
using System.IO;
using System.Runtime.CompilerServices;
using System.Runtime.Versioning;

namespace OfficeAddin.Tests;

/// <summary>A directory of regions of its own: daemons are killed here, and what a killed one leaves is cleared by the next of its name, which these names never get.</summary>
[SupportedOSPlatform("linux")]
internal static class OwnDirectory
{
    [ModuleInitializer]
    [SuppressMessage("Usage", "CA2255:The 'ModuleInitializer' attribute should not be used in libraries", Justification = "A test project is a program.")]
    internal static void Take()
    {
        string? parent = Environment.GetEnvironmentVariable("IPC_DIR");
        if (string.IsNullOrEmpty(parent))
            parent = Directory.Exists("/dev/shm") ? "/dev/shm" : Path.GetTempPath();
        string path = Path.Combine(parent, $"ipc-test-{Environment.ProcessId}-{Guid.NewGuid():N}");
        Directory.CreateDirectory(path, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        Environment.SetEnvironmentVariable("IPC_DIR", path);
        AppDomain.CurrentDomain.ProcessExit += (_, _) => Directory.Delete(path, recursive: true);
    }
}
