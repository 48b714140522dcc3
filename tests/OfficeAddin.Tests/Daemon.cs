using System;
using System.Collections.Generic;
using System.IO;
using Ipc.Testing.Drive;
using Xunit;

namespace OfficeAddin.Tests;

/// <summary>A daemon as a process, of either language.</summary>
internal static class Daemon
{
    public const string CSharp = "C#", Cpp = "C++";

    public static TheoryData<string> Languages => [CSharp, Cpp];

    public static OtherProcess Start(string language, string name, params string[] arguments)
    {
        string[] command = language == CSharp ? [PeerPrograms.Dotnet, Path.Combine(AppContext.BaseDirectory, "OfficeAddin.Daemon.dll")]
            : [PeerPrograms.Native("samples/OfficeAddin/cpp/officeaddin_daemon")];
        return new OtherProcess(false, new Dictionary<string, string> { ["DOTNET_TieredPGO"] = "0" /* starts sooner */ }, [.. command, "--name", name, .. arguments]).WaitUntilReady();
    }
}
