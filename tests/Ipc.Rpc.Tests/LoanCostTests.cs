using System;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>What a long message costs.</summary>
[Collection(nameof(Alone))]
public sealed class LoanCostTests
{
    /// <summary>The message is encoded in shared memory and decoded there: all that is allocated is the result.</summary>
    [Fact]
    public void ALongResponseIsReadInPlace()
    {
        const int Size = 4 << 20;
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        ITestService service = TestServiceRpc.Client(client);
        for (int i = 0; i < 3; i++)
            service.Blob(Size);
        long before = GC.GetTotalAllocatedBytes(precise: true);
        for (int i = 0; i < 10; i++)
            service.Blob(Size);
        long perCall = (GC.GetTotalAllocatedBytes(precise: true) - before) / 10;
        Assert.InRange(perCall, 2L * Size, (2L * Size) + 100_000); // the handler's array and the caller's: both sides are in this process
    }
}
