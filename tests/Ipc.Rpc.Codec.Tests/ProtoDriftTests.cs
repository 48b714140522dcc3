using System;
using System.IO;
using System.Runtime.CompilerServices;
using Ipc.Rpc.Codec.Tests.Contract;
using Xunit;

namespace Ipc.Rpc.Codec.Tests;

/// <summary>The .proto beside the contract is what the other languages build from: it must be the contract's.</summary>
public sealed class ProtoDriftTests
{
    /// <summary>After a wanted change of the contract, run once with IPC_UPDATE_PROTO=1 and check the difference in.</summary>
    [Fact]
    public void TheCheckedInProtoIsTheOneThatTheContractGenerates()
    {
        string file = Path.Combine(Here(), "Contract", "codec.proto");
        if (Environment.GetEnvironmentVariable("IPC_UPDATE_PROTO") == "1")
            File.WriteAllText(file, CodecContractRpc.Proto);

        Assert.Equal(CodecContractRpc.Proto, File.ReadAllText(file));
    }

    private static string Here([CallerFilePath] string path = "") => Path.GetDirectoryName(path)!;
}
