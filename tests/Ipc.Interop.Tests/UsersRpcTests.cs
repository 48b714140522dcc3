using System;
using System.Collections.Generic;
using System.IO;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>Calls from one user's program to another's, with the programs of the tests of calls between the languages.</summary>
public sealed class UsersRpcTests
{
    /// <summary>Unary calls of all sizes and a stream of the server's; where the client is in C++, also its errors and a deadline.</summary>
    [Theory]
    [InlineData(Language.CSharp, Language.CSharp)]
    [InlineData(Language.CSharp, Language.C)]
    [InlineData(Language.C, Language.CSharp)]
    [InlineData(Language.C, Language.C)]
    public void CallsAndStreamsCrossUsers(Language server, Language client)
    {
        using UserGround ground = new();
        Assert.SkipUnless(File.Exists("/usr/bin/setpriv"), "needs setpriv to become other users");
        Assert.SkipWhen(PeerPrograms.NativeHas32Bits && (server == Language.C || client == Language.C), "calls in C++ need libprotobuf, which is not there with 32 bits");
        using OtherProcess anna = Start(ground, UserGround.Anna, server, server == Language.C ? "serve" : "tests", "machine/store").WaitUntilReady();
        using OtherProcess bert = Start(ground, UserGround.Bert, client, client == Language.C ? "call" : "call-tests", "machine/store", "100");
        bert.MustEndWell();
        Assert.Equal(["store"], ground.Files); // the connection's name is gone
        Assert.Equal(0, anna.EndInput());
        Assert.Empty(ground.Files);
    }

    private static OtherProcess Start(UserGround ground, uint user, Language language, params string[] words)
    {
        Dictionary<string, string> environment = new() { ["IPC_MACHINE_DIR"] = ground.Machine, ["IPC_DIR"] = $"{ground.Path}/of-{user}" };
        string[] program = language == Language.C ? [PeerPrograms.Native("tests/native/rpc_peer")] : [PeerPrograms.Dotnet, Managed];
        return new OtherProcess(isServer: words.Length == 2, environment, ["setpriv", $"--reuid={user}", $"--regid={user}", "--clear-groups", .. program, .. words]);
    }

    private static string Managed =>
        Path.Combine(PeerPrograms.Top, "tests", "peers", "cs", "Ipc.Rpc.Peer", AppContext.BaseDirectory[(AppContext.BaseDirectory.IndexOf("Ipc.Interop.Tests", StringComparison.Ordinal) + 18)..], "Ipc.Rpc.Peer.dll");
}
