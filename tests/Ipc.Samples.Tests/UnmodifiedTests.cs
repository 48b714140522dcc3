using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Samples.Tests;

/// <summary>The sample of gRPC and StreamJsonRpc as they are: two processes, and nothing between them but shared memory.</summary>
public class UnmodifiedTests
{
    [Fact]
    public void GrpcAndStreamJsonRpcCrossTheProcesses()
    {
        using var regions = new RegionDirectory();
        using var serving = new OtherProcess(true, Repository.In(regions), [.. Repository.Managed("Unmodified", "Unmodified"), "server", "unmodified"]);
        serving.WaitUntilReady(null);
        using var asking = new OtherProcess(false, Repository.In(regions), [.. Repository.Managed("Unmodified", "Unmodified"), "client", "unmodified"]);
        string said = asking.Rest();
        Assert.Equal((0, 0), (asking.WaitForExit(), serving.EndInput()));
        Assert.Equal(
            [
                "EURUSD 100, asked by this process",
                "EURUSD 100",
                "EURUSD 101",
                "EURUSD 102",
                "EURUSD 103",
                "EURUSD 104",
                "InvalidArgument: a quote of what?",
                "2 + 3 = 5",
            ],
            said.TrimEnd('\n').Split('\n'));
    }
}
