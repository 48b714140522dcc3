using System;
using System.Collections.Generic;
using System.IO;
using Ipc.Testing.Drive;

namespace Ipc.Tool.Tests;

/// <summary>A server of tests/native/rpc/tests.proto, in either language.</summary>
internal static class RpcPeer
{
    public static string Assembly
        => Path.Combine(PeerPrograms.Top, "tests", "peers", "cs", "Ipc.Rpc.Peer", AppContext.BaseDirectory[(AppContext.BaseDirectory.IndexOf("Ipc.Tool.Tests", StringComparison.Ordinal) + 15)..], "Ipc.Rpc.Peer.dll");

    public static OtherProcess Start(Language language, RegionDirectory directory, string name)
    {
        string[] command = language == Language.C ? [PeerPrograms.Native("tests/native/rpc_peer"), "serve", name] : [PeerPrograms.Dotnet, Assembly, "tests", name];
        return new OtherProcess(true, new Dictionary<string, string> { ["IPC_DIR"] = directory.Path }, command).WaitUntilReady();
    }
}
