using System;
using System.IO;
using Ipc.Testing.Drive;

namespace Ipc.Packages.Tests;

/// <summary>The C library of the build, installed and moved.</summary>
public sealed class InstalledLibrary : IDisposable
{
    public InstalledLibrary()
    {
        Place.Run(Work, null, "cmake", "--install", PeerPrograms.NativeBuild, "--prefix", Path.Combine(Work, "first"));
        Directory.Move(Path.Combine(Work, "first"), Prefix);
    }

    public string Work { get; } = Directory.CreateTempSubdirectory("ipc-installed-").FullName;

    public string Prefix => Path.Combine(Work, "moved");

    /// <summary>Where pkg-config finds it.</summary>
    public string PkgConfig => Path.GetDirectoryName(Directory.GetFiles(Prefix, "ipc.pc", SearchOption.AllDirectories)[0])!;

    public void Dispose() => Directory.Delete(Work, recursive: true);
}
