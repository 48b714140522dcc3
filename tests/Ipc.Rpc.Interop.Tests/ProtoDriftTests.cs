using System;
using System.IO;
using Ipc.Rpc.Peer.Interop;
using Xunit;

namespace Ipc.Rpc.Interop.Tests;

/// <summary>The .proto that the native peer is built from is what the contract generates.</summary>
public sealed class ProtoDriftTests
{
    /// <summary>After a wanted change of the contract, run once with IPC_UPDATE_PROTO=1 and check the difference in.</summary>
    [Fact]
    public void TheCheckedInProtoIsTheOneThatTheContractGenerates()
    {
        string file = Path.Combine(Repository.Root, "tests", "native", "rpc", "tests.proto");
        if (Environment.GetEnvironmentVariable("IPC_UPDATE_PROTO") == "1")
            File.WriteAllText(file, TestsRpc.Proto);
        Assert.Equal(TestsRpc.Proto, File.ReadAllText(file));
    }
}
