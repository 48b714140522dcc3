using System;
using System.IO;
using Ipc.Testing.Drive;

namespace Ipc.Rpc.Tests;

/// <summary>The other process: Ipc.Rpc.Peer with a verb.</summary>
internal static class Peer
{
    public static OtherProcess Start(params string[] words)
        => new OtherProcess(words[0] == "serve", null, [PeerPrograms.Dotnet, Path.Combine(AppContext.BaseDirectory, "Ipc.Rpc.Peer.dll"), .. words]).WaitUntilReady();
}
