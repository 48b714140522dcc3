using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>What waits for room is bounded at every moment. What has been sent waits no more: a connection may carry any number of such bytes in its life.</summary>
public sealed class UnsentTests
{
    private const int Bound = 100_000;
    private static readonly RpcMethod<int, byte[]> _blob = new(Hand.Name, "Blob", RpcMethodKind.Unary, Hand.Number, TestServiceRpc.Blob.Response);

    [Fact]
    public void AServersBoundCountsWhatWaitsAndNotWhatHasWaited()
    {
        using RpcServer server = Hand.Serve(
            out string name,
            new RpcServerOptions { MaxUnsentBytes = Bound },
            RpcHandler.Unary(_blob, static size => new byte[size]));
        using var client = new RawClient(name, toClientCapacity: 4096); // of 5 answers 2 fit
        for (uint round = 0; round < 120; round++) // one answer waits in each: what follows is not read until there is room
        {
            for (uint call = 1; call <= 5; call++)
                client.Send(Hand.Request(_blob, (round * 5) + call), Hand.Bytes(1900));
            Thread.Sleep(2); // longer than the moment for which a server's thread waits for room itself
            for (int i = 0; i < 5; i++)
                Assert.Equal(FrameKind.Response, client.Receive().Kind);
        }
    }

    [Fact]
    public async Task AClientsBoundCountsWhatWaitsAndNotWhatHasWaited()
    {
        using RpcServer server = Hand.Serve(out string name, RpcHandler.UnaryAsync(Hand.Ask, static async (number, cancel) =>
        {
            await Task.Delay(Timeout.Infinite, cancel);
            return number;
        }));
        using RpcClient client = RpcClient.Connect(name, new RpcClientOptions { MaxUnsentBytes = Bound, AutoReconnect = false });
        for (int i = 0; i < 3000; i++) // each cancellation counts for some 90 bytes
        {
            using var cancel = new CancellationTokenSource();
            Task<int> call = client.CallAsync(Hand.Ask, i, cancel.Token).AsTask();
            cancel.Cancel();
            await Assert.ThrowsAnyAsync<System.OperationCanceledException>(() => Eventually.Ends(call));
        }

        Assert.True(client.IsConnected);
    }
}
