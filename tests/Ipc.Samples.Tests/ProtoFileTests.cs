using System;
using System.IO;
using QuickStart;
using Sysmon;
using Xunit;

namespace Ipc.Samples.Tests;

/// <summary>
/// The .proto beside a contract is what the C++ side compiles. It is generated text: when the contract changes, run the
/// tests once with IPC_UPDATE_PROTO=1, and review the difference as a change of the wire.
/// </summary>
public class ProtoFileTests
{
    [Fact]
    public void TheProtoFileBesideTheQuickStartContractIsTheGeneratedOne() =>
        AssertSame(QuotesRpc.Proto, "samples/QuickStart/Contract/quotes.proto");

    [Fact]
    public void TheProtoFileBesideTheSystemMonitorContractIsTheGeneratedOne() =>
        AssertSame(SystemMonitorRpc.Proto, "samples/Sysmon/Contract/sysmon.proto");

    private static void AssertSame(string generated, string file)
    {
        string path = Repository.PathOf(file);
        if (Environment.GetEnvironmentVariable("IPC_UPDATE_PROTO") == "1")
            File.WriteAllText(path, generated);

        Assert.Equal(generated, File.ReadAllText(path));
    }
}
