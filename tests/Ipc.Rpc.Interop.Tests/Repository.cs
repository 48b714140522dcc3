using System;
using System.IO;
using System.Runtime.CompilerServices;
using Ipc.Testing.Drive;

namespace Ipc.Rpc.Interop.Tests;

/// <summary>Where things are.</summary>
internal static class Repository
{
    /// <summary>How long anything may take before the test is called hung.</summary>
    public static readonly TimeSpan Watchdog = TimeSpan.FromSeconds(60);

    public static string Root { get; } = Path.GetFullPath(Path.Combine(Here(), "..", ".."));

    public static string NativePeer => PeerPrograms.Native("tests/native/rpc_peer");

    /// <summary>The same with fault points.</summary>
    public static string NativeFaultPeer => PeerPrograms.Native("tests/native/rpc_fault_peer");

    /// <summary>A name that no other test uses.</summary>
    public static string NewName() => "rpc-interop-" + Guid.NewGuid().ToString("N");

    private static string Here([CallerFilePath] string path = "") => Path.GetDirectoryName(path)!;
}
